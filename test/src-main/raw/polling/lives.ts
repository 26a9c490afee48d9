import { rawContext, settingsWith } from '../raw-context.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import { RawReports } from '#main/raw/polling/raw-reports.ts'
import type { AccountEvent } from '#main/lib/app-events.ts'
import type { ArgumentOf } from '#main/workers/rpc.ts'
import type { StateCalls } from '#main/database/state/state-store.ts'
import type { KnownReport } from '#main/database/state/raw-reports-repository.ts'
import type { AnnouncementBatch } from '#shared/raw/settings.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { settled } from '#test/src-main/reports/clock.ts'
import { account } from '#test/src-main/database/helpers.ts'
import { Holding } from './holding.ts'
import { LivedService } from './lived-service.ts'
import { JumpingClock, Life, crashingClient } from './crashing.ts'
import { CrashingStore } from './crashing-store.ts'
import { randomBy } from './random.ts'
import type { Random } from './random.ts'
import { AppEvents } from '#main/lib/app-events.ts'

const services = 2
/** What a life may do before it is killed: it asks, writes or hears something so many times. */
const longestLife = 250
const day = 86_400_000

/** Reports that live at random, and a desk that is killed at random while it watches them. */
export class Lives {
  readonly #random: Random
  readonly #store: CrashingStore
  readonly #folder: string
  readonly #clock = new JumpingClock('2026-11-20T12:00:00Z')
  readonly #services: readonly LivedService[]
  readonly #holdings: Holding[] = []
  /** Reports of which it was told that they became ready, by account. */
  readonly #ready = new Set<string>()
  #events = new AppEvents()
  #life = new Life(Infinity)
  #desk: RawReports | null = null
  #jumped = 0
  #trouble = false
  readonly #wrong: string[] = []
  #made = 0
  readonly seen = { kills: 0, sleeps: 0, jumpsOn: 0, jumpsBack: 0, rescues: 0, removed: 0, shown: 0 }

  constructor(folder: string, random: () => number) {
    this.#folder = folder
    this.#random = randomBy(random)
    this.#store = new CrashingStore(folder)
    this.#services = Array.from({ length: services }, () => new LivedService(this.#random))
  }

  /** Lives so many reports to their ends. @returns what is wrong in the end, in words */
  async run(reports: number): Promise<readonly string[]> {
    for (const service of this.#services) {
      for (let old = 0; old < 4; old += 1) this.#request(service, 'old')
      for (let running = 0; running < 4; running += 1) this.#request(service)
      this.#add(service)
    }
    await this.#start()
    this.#setTrouble(true)
    this.#life.shorten(1 + this.#random.below(longestLife))
    while (this.#made < reports || this.#random.chance(0.9)) await this.#turn(reports)
    await this.#calm()
    this.seen.rescues = this.#store.rescues
    this.seen.shown = this.#holdings.reduce((sum, { shown }) => sum + shown.length, 0)
    return [...this.#wrong, ...this.#holdings.flatMap((holding) => holding.wrong())]
  }

  #setTrouble(trouble: boolean): void {
    this.#trouble = trouble
    for (const service of this.#services) service.trouble = trouble
  }

  #request(service: LivedService, fate?: 'old') {
    this.#made += 1
    return service.request(fate)
  }

  #present = () => this.#holdings.filter(({ removed }) => !removed)

  /** A person adds an account of this service. */
  #add(service: LivedService): void {
    const id = `00000000-0000-4000-8000-${String(this.#holdings.length).padStart(12, '0')}` as AccountId
    this.#holdings.push(new Holding(id, service))
    service.beginAnew()
    this.#store.now('accounts/put', account({ id }))
    this.#emit({ kind: 'account/activated', account: id })
  }

  /** A person removes an account, in the middle of whatever the app does. */
  async #removeSoon(holding: Holding): Promise<void> {
    const life = this.#life
    for (let turns = this.#random.below(12); turns > 0; turns -= 1) await settled()
    if (life.dead || life !== this.#life || holding.removed) return
    this.seen.removed += 1
    this.#store.now('accounts/remove', holding.id)
    holding.removed = true
    this.#emit({ kind: 'account/removed', account: holding.id, dataScopes: [] })
  }

  #emit(event: AccountEvent): void {
    this.#events.emit(event)
  }

  async #turn(reports: number): Promise<void> {
    const { chance, below, one } = this.#random
    for (let more = below(4); more > 0 && this.#made < reports; more -= 1) {
      const service = one(this.#services)
      const { id, name, type, instance } = this.#request(service)
      const holding = this.#present().find((each) => each.service === service)
      if (chance(0.4) && holding)
        void this.#desk?.accepted({ account: holding.id, report: id, name, type, instance })
    }
    for (let ends = below(4); ends > 0; ends -= 1) this.#endOne()
    for (const holding of this.#present()) {
      if (chance(0.1)) this.#cancelOne(holding)
      if (chance(0.1)) this.#removeSome(holding)
      if (chance(0.02)) void this.#removeSoon(holding)
    }
    for (const service of this.#services) {
      const isThere = this.#present().some((each) => each.service === service)
      if (!isThere && chance(0.5)) this.#add(service)
    }
    if (chance(0.1)) this.#jump(one([-40, -2, -0.1, 0.1, 2, 40]) * day)
    if (chance(0.05)) this.#sleep()
    if (chance(0.01)) this.#damage()
    if (chance(0.15)) this.#desk?.retryNow()
    this.#clock.pass(one([1_000, 5_000, 20_000, 70_000]))
    await this.#settle()
    if (this.#life.dead || this.#desk === null) await this.#restart()
  }

  async #restart(): Promise<void> {
    this.seen.kills += 1
    this.#desk = null
    this.#events = new AppEvents()
    this.#clock.forgetAlarms()
    this.#clock.pass(this.#random.below(3_600_000))
    if (this.#random.chance(0.5)) for (let ends = 0; ends < 4; ends += 1) this.#endOne()
    if (this.#random.chance(0.05)) this.#damage()
    await this.#start(1 + this.#random.below(longestLife))
  }

  /** The file turns out damaged, and is replaced: at a start, or under a running app. */
  #damage(): void {
    this.#store.damage()
    for (const service of this.#services) service.beginAnew()
  }

  #sleep(): void {
    this.seen.sleeps += 1
    this.#clock.pass(8 * 3_600_000)
    for (let ends = 0; ends < 6; ends += 1) this.#endOne()
    this.#desk?.retryNow()
  }

  async #start(steps = Infinity): Promise<void> {
    const life = new Life(steps)
    this.#life = life
    const { one, below } = this.#random
    const holdingOf = (id: AccountId) => this.#holdings.find((each) => each.id === id)
    this.#desk = new RawReports(
      rawContext({
        ...{ events: this.#events, folder: this.#folder, clock: this.#clock },
        store: this.#store.of(life, (name, argument) => this.#stored(name, argument)),
        accounts: fake<Accounts>('accounts', {
          account: (id) => account({ id }),
          list: () => this.#present().map(({ id }) => account({ id })),
          clientFor: (id) =>
            life.step(async () => {
              const client = holdingOf(id)?.service.fake.client
              if (!client) throw new TypeError('Nobody has this account')
              return crashingClient(client, life, () => below(4))
            }),
        }),
        settings: settingsWith(() => life.step(async () => usualRawSettings)),
        downloads: fake<Downloads>('downloads', {
          savedState: () => 'none',
          reportReady: (of, { id }) => life.step(async () => void this.#ready.add(`${of} ${id}`)),
        }),
        news: { announce: (news, handing) => this.#announce(life, news, handing) },
      }),
    )
    this.#desk.start()
    await this.#settle()
    if (!life.dead) this.#clock.pass(one([1_000, 20_000]))
    await this.#settle()
  }

  async #announce(life: Life, news: AnnouncementBatch, handing: () => void): Promise<void> {
    const told = news.kind === 'one' ? [news.announcement] : news.announcements
    const present = new Set(this.#present().map(({ id }) => id))
    const gone = told.find((each) => !present.has(each.account))
    if (gone) this.#wrong.push(`${gone.account} was removed, and ${gone.report} announced`)
    await life.step(async () => undefined)
    if (this.#trouble && this.#random.chance(0.2)) throw new Error('The desktop refuses')
    handing()
    if (this.#trouble && this.#random.chance(0.1)) throw new Error('The desktop refuses')
    for (const { account: of, report, kind } of told) {
      const isEarly = kind === 'ready' && !this.#ready.has(`${of} ${report}`)
      if (isEarly) this.#wrong.push(`${of} ${report} was announced before it was told`)
      this.#holdings.find(({ id }) => id === of)?.shown.push({ report, kind })
    }
    await life.step(async () => undefined)
  }

  #stored<N extends keyof StateCalls>(name: N, argument: ArgumentOf<StateCalls[N]>): () => void {
    // Each of these operations takes an argument of its own kind.
    if (name === 'raw-reports/keep') {
      const list = argument as ArgumentOf<StateCalls['raw-reports/keep']>
      const holding = this.#present().find(({ id }) => id === list.account)
      return (
        holding?.keeping(list, this.#store.now('raw-reports/known', { account: list.account })) ?? nothing
      )
    }
    if (name === 'raw-reports/expect') {
      const { account: of, row } = argument as ArgumentOf<StateCalls['raw-reports/expect']>
      const holding = this.#present().find(({ id }) => id === of)
      return () => holding?.expecting(row.id)
    }
    if (name === 'raw-announcements/unshown' && this.#trouble && this.#random.chance(0.01)) {
      // While something is about to be shown of them.
      for (const holding of this.#present()) void this.#removeSoon(holding)
    }
    return nothing
  }

  /** Everything that only waits for promises has happened; an answer is on its way for three turns at most. */
  async #settle(): Promise<void> {
    for (let still = 0, before = -1; still < 6;) {
      await settled()
      still = before === this.#life.steps ? still + 1 : 0
      before = this.#life.steps
    }
  }

  #known = ({ id: of }: Holding, id: string): KnownReport | undefined =>
    this.#store.now('raw-reports/known', { account: of }).reports.find((each) => each.id === id)

  #endOne(): void {
    const service = this.#random.one(this.#services)
    const holding = this.#present().find((each) => each.service === service)
    service.endOne((id) => {
      const misses = holding !== undefined && this.#known(holding, id)?.listsWithout === 0
      if (misses) holding.missed.add(id)
      return misses
    })
  }

  #cancelOne(holding: Holding): void {
    const { fates, fake } = holding.service
    const own = (id: string) => !['cancelled', 'vanishes'].includes(fates.get(id) ?? '')
    const ids = [...fake.rows.keys()].filter(own)
    if (ids.length === 0) return
    const report = this.#random.one(ids) as RawReportId
    // Nobody cancels what the list has not shown them.
    if (this.#known(holding, report) === undefined) return
    this.#desk?.cancel({ account: holding.id, report }).catch(() => undefined)
  }

  #removeSome(holding: Holding): void {
    const { fates, fake } = holding.service
    const ids = [...fake.rows.keys()].filter((id) => fates.get(id) !== 'vanishes')
    const known = ids.filter(() => this.#random.chance(0.1)).flatMap((id) => this.#known(holding, id) ?? [])
    for (const each of known) holding.removing(each)
    const reports = known.map(({ id }) => id)
    if (reports.length > 0) this.#desk?.remove({ account: holding.id, reports })
  }

  #jump(milliseconds: number): void {
    // Never more than forty days off.
    const off = Math.max(-40, Math.min(40, (this.#jumped + milliseconds) / day)) * day
    if (off > this.#jumped) this.seen.jumpsOn += 1
    if (off < this.#jumped) this.seen.jumpsBack += 1
    this.#clock.jump(off - this.#jumped)
    this.#jumped = off
  }

  /** No more trouble: what happened is found out, and shown. */
  async #calm(): Promise<void> {
    this.#setTrouble(false)
    for (const { fake } of this.#services) fake.hidden = new Set()
    this.#jump(-this.#jumped)
    for (let ends = 0; ends < 300; ends += 1) this.#endOne()
    for (let restarts = 0; restarts < 2; restarts += 1) {
      this.#events = new AppEvents()
      this.#clock.forgetAlarms()
      await this.#start()
      for (let looks = 0; looks < 5; looks += 1) {
        this.#desk?.retryNow()
        await this.#settle()
        this.#clock.pass(61_000)
        await this.#settle()
      }
    }
  }
}

const nothing = () => undefined
