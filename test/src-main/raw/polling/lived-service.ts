import { isRunning, lifeOf } from '#shared/raw/list.ts'
import type { RawState } from '#shared/raw/list.ts'
import type { RawListRow, RawTableAnswer } from '#shared/api/answers.ts'
import { FakeService, failing, row } from '../fake-service.ts'
import type { ListToStore } from '#main/database/state/raw-reports-repository.ts'
import type { Random } from './random.ts'

/** How a report is going to end, if nothing comes between; or that it was over before any desk knew of it. */
export type Fate = 'ready' | 'failed' | 'timed-out' | 'cancelled' | 'vanishes' | 'runs' | 'old'
const fates: readonly Fate[] = [
  ...(['ready', 'ready', 'ready', 'failed', 'timed-out', 'cancelled', 'vanishes', 'runs', 'old'] as const),
]

const at = '2026-11-20T12:30:00+00:00'
/** Ends with their moment, and ends of which the label alone tells; some labels nobody has seen before. */
const endings: Partial<Record<Fate, readonly Partial<RawListRow>[]>> = {
  ready: [{ created: at, status: 'Ready' }, { created: at, status: 'Zustand 4' }, { status: 'READY' }],
  failed: [{ failed: at, status: 'Failed' }, { failed: at, status: '' }, { status: 'failed' }],
  'timed-out': [{ timed_out: at, status: '?' }, { status: 'Timed Out' }],
  cancelled: [{ cancelled: at, status: 'In Progress' }, { status: 'Canceled' }],
}
const labelsOfRunning = ['In Progress', 'In Progress', 'Being wrapped', 'Zustand 1', ''] as const

/** A service whose reports live at random, and whose answers go wrong at random. */
export class LivedService {
  readonly fake = new FakeService()
  readonly fates = new Map<string, Fate>()
  /** What removed reports were when they were removed by the desk. */
  readonly removed = new Map<string, RawState>()
  /** Rows of these are left out of lists now and then, but never of two in a row that are kept. */
  readonly #slippery = new Set<string>()
  readonly #leftOut = new Set<string>()
  readonly #random: Random
  trouble = false
  /**
   * The next list is taken as a first one: what it lacks, though it looks whole, is forgotten, and nobody could tell. What
   * it lacks and does not look whole is in the one after.
   */
  #anew = true
  readonly #lacked = new Set<string>()

  constructor(random: Random) {
    this.#random = random
    this.fake.pageSize = 7
    this.fake.before = (path, given) => this.#mayFail(path, given, 'offline')
    this.fake.after = (path, given) => this.#mayFail(path, given, 'timed-out')
    this.fake.page = (answer, page) => this.#spoilt(answer, page)
  }

  /** Somebody is about to see this service for the first time, or has forgotten what they saw. */
  beginAnew(): void {
    // Of two first lists in a row, that are the same, the second is believed.
    if (!this.#anew) this.#lacked.clear()
    this.#anew = true
    this.#leftOut.clear()
  }

  /** A list was kept. */
  stored({ rows, undecided }: ListToStore): void {
    const here = new Set<string>(rows.map(({ id }) => id))
    for (const id of here) this.#leftOut.delete(id)
    for (const id of this.fake.hidden) if (!here.has(id)) this.#leftOut.add(id)
    for (const id of this.#slippery) if (this.#anew && !here.has(id)) this.#lacked.add(id)
    this.#anew = undecided
  }

  request(fate = this.#random.one(fates)): RawListRow {
    const id = `r${this.fates.size + 1}`
    const { one, chance } = this.#random
    const made = row(id, fate === 'old' ? { created: at, status: 'Ready' } : { status: one(labelsOfRunning) })
    // Only the first ones are old: one that is over when it first comes up in a later list is news.
    this.fates.set(id, fate === 'old' && this.trouble ? 'ready' : fate)
    this.fake.put(made)
    if (fate !== 'vanishes' && chance(0.3)) this.#slippery.add(id)
    return made
  }

  /** One report that runs meets its fate. @param mayVanish whether somebody would miss it now */
  endOne(mayVanish: (id: string) => boolean): void {
    const running = [...this.fake.rows.values()].filter((each) => isRunning(lifeOf(each).state))
    if (running.length === 0) return
    const { id } = this.#random.one(running)
    const fate = this.fates.get(id) ?? 'runs'
    const ending = endings[fate]
    if (ending) this.fake.change(id, this.#random.one(ending))
    // Nobody can miss what they never saw.
    else if (fate === 'vanishes' && mayVanish(id)) this.fake.rows.delete(id)
  }

  #mayFail(path: string, given: Readonly<Record<string, unknown>>, how: 'offline' | 'timed-out'): void {
    if (!this.trouble) return
    const listBegins = path === 'raw/table' && given['page'] === undefined && how === 'offline'
    if (listBegins) this.fake.hidden = this.#slipped()
    const often = path === 'raw/report' ? 4 : 1
    if (this.#random.chance(often * (how === 'offline' ? 0.05 : 0.1))) throw failing(how)
    if (path === 'raw/remove' && how === 'offline') this.#noteRemoved([given['raw']].flat().map(String))
  }

  /** Of a list that looks whole, some are left out. */
  #slipped(): ReadonlySet<string> {
    const { chance } = this.#random
    if (this.#anew || chance(0.6)) return new Set()
    return new Set([...this.#slippery].filter((id) => !this.#leftOut.has(id) && chance(0.5)))
  }

  #noteRemoved(ids: readonly string[]): void {
    for (const id of ids) {
      const found = this.fake.rows.get(id)
      if (found) this.removed.set(id, lifeOf(found).state)
    }
  }

  /** Rows twice, in an older state; rows left out; pages that do not agree. */
  #spoilt(answer: RawTableAnswer, page: number): RawTableAnswer {
    const { chance } = this.#random
    if (!this.trouble) return answer
    let rows = answer.rows
    let { results } = answer.query
    if (chance(0.25)) rows = rows.filter(({ id }) => !this.#slippery.has(id) || this.#lacked.has(id))
    if (chance(0.2)) {
      const twice = rows.filter(() => chance(0.3))
      rows = [...rows, ...twice.map(({ id, name }) => row(id, { name }))]
    }
    if (chance(0.05)) results += page
    return { ...answer, rows, query: { ...answer.query, results } }
  }
}
