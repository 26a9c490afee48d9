import { createRawReports } from '../../../../src-main/raw/watching/raw-reports.ts'
import type { RawReports } from '../../../../src-main/raw/watching/raw-reports.ts'
import type { Store } from '../../../../src-main/store/store.ts'
import type { Announcement } from '../../../../src-shared/raw/announcements.ts'
import { isRunning, lifeOf } from '../../../../src-shared/raw/life.ts'
import type { RawState } from '../../../../src-shared/raw/life.ts'
import { usualRawSettings } from '../../../../src-shared/raw/settings.ts'
import type { RawListRow, RawTableAnswer } from '../../../../src-shared/service/answers.ts'
import type { RawReportId } from '../../../../src-shared/values/ids.ts'
import { settled } from '../../reports/clock.ts'
import { account, firstId } from '../../store/helpers.ts'
import { FakeService, failing, row } from '../fake-service.ts'
import { JumpingClock, Life, mortalClient, mortalStore } from './mortal.ts'

/** How a report is going to end, if nothing comes between; or that it was over before the desk knew of it. */
export type Fate = 'ready' | 'failed' | 'timed-out' | 'cancelled' | 'vanishes' | 'runs' | 'old'
const fates: readonly Fate[] = [
  ...(['ready', 'ready', 'ready', 'failed', 'timed-out', 'cancelled', 'vanishes', 'runs', 'old'] as const),
]

const at = '2026-11-20T12:30:00+00:00'
/** Ends with their moment, and ends of which the label alone tells. */
const endings: Partial<Record<Fate, readonly Partial<RawListRow>[]>> = {
  ready: [{ created: at, status: 'Ready' }, { created: at, status: '?' }, { status: 'READY' }],
  failed: [{ failed: at, status: 'Failed' }, { status: 'failed' }],
  'timed-out': [{ timed_out: at, status: '?' }, { status: 'Timed Out' }],
  cancelled: [{ cancelled: at, status: 'In Progress' }, { status: 'Canceled' }],
}

type Random = {
  readonly chance: (share: number) => boolean
  readonly below: (most: number) => number
  readonly one: <T>(of: readonly T[]) => T
}

function randomBy(random: () => number): Random {
  const below = (most: number) => Math.floor(random() * most)
  const one = <T>(of: readonly T[]): T => {
    const found = of[below(of.length)]
    if (found === undefined) throw new TypeError('There is none')
    return found
  }
  return { below, one, chance: (share) => random() < share }
}

type Told = Pick<Announcement, 'report' | 'kind'>

/** Reports that live at random, and a desk that is killed at random while it watches them. */
export class Lives {
  readonly #random: Random
  readonly #store: Store
  readonly #folder: string
  readonly #clock = new JumpingClock('2026-11-20T12:00:00Z')
  readonly #service = new FakeService()
  readonly #fates = new Map<string, Fate>()
  /** Rows of these are left out of lists now and then, but never of two in a row that are kept. */
  readonly #slippery = new Set<string>()
  readonly #leftOut = new Set<string>()
  /** What removed reports were when they were removed here, and which of them ran as far as the desk knew. */
  readonly #removed = new Map<string, RawState>()
  readonly #removedRunning = new Set<string>()
  readonly #shown: Told[] = []
  /** Reports of which it was told that they became ready. */
  readonly #ready = new Set<string>()
  #life = new Life(Infinity)
  #desk: RawReports | null = null
  #jumped = 0
  #trouble = false
  #made = 0
  kills = 0

  constructor(store: Store, folder: string, random: () => number) {
    this.#store = store
    this.#folder = folder
    this.#random = randomBy(random)
    this.#service.pageSize = 7
    this.#service.before = (path, given) => this.#mayFail(path, given, 'offline')
    this.#service.after = (path, given) => this.#mayFail(path, given, 'timed-out')
    this.#service.page = (answer, page) => this.#spoilt(answer, page)
  }

  /** Lives so many reports to their ends. @returns what is wrong in the end, in words */
  async run(reports: number): Promise<readonly string[]> {
    await this.#store.run('accounts/put', account())
    for (let old = 0; old < 5; old += 1) this.#request('old')
    for (let running = 0; running < 5; running += 1) this.#request()
    await this.#start()
    this.#trouble = true
    this.#life.shorten(1 + this.#random.below(120))
    while (this.#made < reports || this.#random.chance(0.9)) await this.#turn(reports)
    await this.#calm()
    return this.#wrong()
  }

  #request(fate = this.#random.one(fates)): RawListRow {
    const id = `r${(this.#made += 1)}`
    const made = row(id, fate === 'old' ? { created: at, status: 'Ready' } : {})
    // Only the first ones are old: a report that is over when it first comes up in a later list is news.
    this.#fates.set(id, fate === 'old' && this.#trouble ? 'ready' : fate)
    this.#service.put(made)
    if (fate !== 'vanishes' && this.#random.chance(0.3)) this.#slippery.add(id)
    return made
  }

  async #turn(reports: number): Promise<void> {
    const { chance, below, one } = this.#random
    for (let more = below(4); more > 0 && this.#made < reports; more -= 1) {
      const { id, name, type, instance } = this.#request()
      if (chance(0.4)) void this.#desk?.accepted({ account: firstId, report: id, name, type, instance })
    }
    for (let ends = below(4); ends > 0; ends -= 1) await this.#endOne()
    if (chance(0.1)) await this.#cancelOne()
    if (chance(0.1)) await this.#removeSome()
    if (chance(0.1)) this.#jump(one([-40, -2, -0.1, 0.1, 2, 40]) * 86_400_000)
    if (chance(0.05)) this.#clock.pass(8 * 3_600_000)
    if (chance(0.15)) this.#desk?.nudge()
    this.#clock.pass(one([1_000, 5_000, 20_000, 70_000]))
    await this.#settle()
    if (this.#life.dead || this.#desk === null) await this.#restart()
  }

  async #restart(): Promise<void> {
    this.kills += 1
    this.#desk = null
    this.#clock.forgetAlarms()
    this.#clock.pass(this.#random.below(3_600_000))
    if (this.#random.chance(0.5)) for (let ends = 0; ends < 4; ends += 1) await this.#endOne()
    await this.#start(1 + this.#random.below(120))
  }

  async #start(steps = Infinity): Promise<void> {
    const life = new Life(steps)
    this.#life = life
    const { one, chance, below } = this.#random
    this.#desk = createRawReports({
      store: mortalStore(this.#store, life, ({ rows, missing }) => {
        for (const { id } of rows) this.#leftOut.delete(id)
        for (const id of missing) this.#leftOut.add(id)
      }),
      clock: this.#clock,
      folder: this.#folder,
      random: () => 0.5,
      book: {
        account: () => account(),
        list: () => [account()],
        clientFor: () => life.step(async () => mortalClient(this.#service.client, life, () => below(4))),
        onChange: () => () => undefined,
      },
      emit: () => undefined,
      settings: () => life.step(async () => usualRawSettings),
      saved: () => life.step(async () => new Map()),
      becameReady: (_account, { id }) => life.step(async () => void this.#ready.add(id)),
      announce: async (news, handing) => {
        await life.step(async () => undefined)
        if (this.#trouble && chance(0.2)) throw new Error('The desktop refuses')
        handing()
        const told = news.as === 'one' ? [news.announcement] : news.announcements
        if (this.#trouble && chance(0.1)) throw new Error('The desktop refuses')
        for (const { report, kind } of told) {
          if (kind === 'ready' && !this.#ready.has(report))
            throw new TypeError('Announced before it was told')
        }
        this.#shown.push(...told.map(({ report, kind }) => ({ report, kind })))
        await life.step(async () => undefined)
      },
    })
    this.#desk.begin()
    await this.#settle()
    if (!life.dead) this.#clock.pass(one([1_000, 20_000]))
    await this.#settle()
  }

  /** Everything that only waits for promises has happened. */
  async #settle(): Promise<void> {
    for (let still = 0, before = -1; still < 3;) {
      await settled()
      still = before === this.#life.steps ? still + 1 : 0
      before = this.#life.steps
    }
  }

  /** One report that runs meets its fate. */
  async #endOne(): Promise<void> {
    const running = [...this.#service.rows.values()].filter((each) => isRunning(lifeOf(each).state))
    if (running.length === 0) return
    const { id } = this.#random.one(running)
    const fate = this.#fates.get(id) ?? 'runs'
    const ending = endings[fate]
    if (ending) this.#service.change(id, this.#random.one(ending))
    // Nobody can miss what they never saw.
    else if (fate === 'vanishes' && (await this.#known(id))?.listsWithout === 0) this.#service.rows.delete(id)
  }

  #known = async (id: string) => {
    const { reports } = await this.#store.run('raw-reports/known', { account: firstId })
    return reports.find((each) => each.id === id)
  }

  async #cancelOne(): Promise<void> {
    const own = (id: string) => !['cancelled', 'vanishes'].includes(this.#fates.get(id) ?? '')
    const ids = [...this.#service.rows.keys()].filter(own)
    if (ids.length === 0) return
    const report = this.#random.one(ids) as RawReportId
    // Nobody cancels what the list has not shown them.
    if (!(await this.#known(report))) return
    this.#desk?.cancel({ account: firstId, report }).catch(() => undefined)
  }

  async #removeSome(): Promise<void> {
    const ids = [...this.#service.rows.keys()].filter((id) => this.#fates.get(id) !== 'vanishes')
    const chosen = ids.filter(() => this.#random.chance(0.1)) as RawReportId[]
    const reports: RawReportId[] = []
    for (const id of chosen) {
      const known = await this.#known(id)
      if (!known) continue
      reports.push(id)
      if (isRunning(known.state)) this.#removedRunning.add(id)
      else this.#removedRunning.delete(id)
    }
    if (reports.length > 0) this.#desk?.remove({ account: firstId, reports })
  }

  #jump(milliseconds: number): void {
    // Never more than forty days off.
    const off = Math.max(-40, Math.min(40, (this.#jumped + milliseconds) / 86_400_000)) * 86_400_000
    this.#clock.jump(off - this.#jumped)
    this.#jumped = off
  }

  #mayFail(path: string, given: Readonly<Record<string, unknown>>, how: 'offline' | 'timed-out'): void {
    if (!this.#trouble) return
    // Another list begins.
    if (path === 'raw/table' && given['page'] === undefined) this.#service.hidden = this.#slipped()
    if (this.#random.chance(how === 'offline' ? 0.05 : 0.1)) throw failing(how)
    if (path === 'raw/remove' && how === 'offline') this.#noteRemoved([given['raw']].flat().map(String))
  }

  /** Of a list that looks whole, some are left out. */
  #slipped(): ReadonlySet<string> {
    const { chance } = this.#random
    if (chance(0.6)) return new Set()
    return new Set([...this.#slippery].filter((id) => !this.#leftOut.has(id) && chance(0.5)))
  }

  #noteRemoved(ids: readonly string[]): void {
    for (const id of ids) {
      const found = this.#service.rows.get(id)
      if (found) this.#removed.set(id, lifeOf(found).state)
    }
  }

  /** Rows twice, in an older state; rows left out; pages that do not agree. */
  #spoilt(answer: RawTableAnswer, page: number): RawTableAnswer {
    const { chance } = this.#random
    if (!this.#trouble) return answer
    let rows = answer.rows
    let { results } = answer.query
    if (chance(0.1)) rows = rows.filter(({ id }) => !this.#slippery.has(id))
    if (chance(0.2)) {
      const twice = rows.filter(() => chance(0.3))
      rows = [...rows, ...twice.map(({ id, name }) => row(id, { name }))]
    }
    if (chance(0.05)) results += page
    return { ...answer, rows, query: { ...answer.query, results } }
  }

  /** No more trouble: what happened is found out, and shown. */
  async #calm(): Promise<void> {
    this.#trouble = false
    this.#service.hidden = new Set()
    this.#jump(-this.#jumped)
    for (let restarts = 0; restarts < 2; restarts += 1) {
      this.#clock.forgetAlarms()
      await this.#start()
      for (let looks = 0; looks < 5; looks += 1) {
        this.#desk?.nudge()
        await this.#settle()
        this.#clock.pass(61_000)
        await this.#settle()
      }
    }
  }

  #wrong(): string[] {
    return [...this.#fates.keys()].flatMap((id) => {
      const shown = this.#shown.filter(({ report }) => report === id).map(({ kind }) => kind)
      const expiries = shown.filter((kind) => kind.startsWith('expires'))
      const told = shown.filter((kind) => !kind.startsWith('expires')).join()
      const twice = new Set(expiries).size < expiries.length
      const right = this.#right(id)
      if (right.includes(told) && !twice) return []
      return [`${id} (${this.#fates.get(id)}): "${shown.join()}" instead of "${right.join('" or "')}"`]
    })
  }

  /** What may have been announced of a report; more than one only where it was removed here while it still ran. */
  #right(id: string): readonly string[] {
    const fate = this.#fates.get(id)
    const found = this.#service.rows.get(id)
    if (fate === 'old') return ['']
    if (!found && fate === 'vanishes') return ['disappeared']
    const state = found ? lifeOf(found).state : this.#removed.get(id)
    if (state === undefined) return ['nothing that can be said']
    // Nobody else cancels a report of another fate.
    if (isRunning(state) || (state === 'cancelled' && fate !== 'cancelled')) return ['']
    return this.#removedRunning.has(id) && !found ? ['', state] : [state]
  }
}
