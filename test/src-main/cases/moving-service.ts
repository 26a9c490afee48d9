import type { Reports } from '#main/reports/reports.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import { isSettledOn } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { addDays, dayAt, daysBetween, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { soundFigures } from '#test/helpers/known-figures.ts'
import type { Around } from '../archives/open-rows.ts'

const minute = 60_000
const staleAfter = 5 * minute
export const instances = ['7', '8']
export const sources = ['news', 'shop']

/** What is counted: of an instance or all, of a source or all. */
type Scope = { readonly instance: string | null; readonly source: string | null }
type Fetched = { readonly counts: readonly number[]; readonly at: number }

/**
 * A service whose counts are a function of scope, day and time: at each time its parts add up to the whole. A day grows until it
 * is settled, and after that where the service restates it.
 */
export class MovingService {
  #time = Date.parse('2026-11-20T12:00:00Z')
  readonly #start = this.#time
  readonly #restated: { readonly day: Day; readonly at: number }[] = []
  isAway = false
  /** Times that a refresh is asked after before it ends; none ends while this is Infinity. */
  lag = 1
  /** Times at which something was fetched. */
  readonly fetched = new Set<number>()
  /** Requests that reached the service. */
  requests = 0

  readonly now = () => this.#time

  pass(minutes: number): void {
    this.#time += minutes * minute
  }

  /** Counts a day anew, a little later: nothing is of the same time with other counts. */
  restate(day: Day): void {
    this.pass(0.01)
    this.#restated.push({ day, at: this.#time })
  }

  /** Suspect and other requests over some days, at this time or another. */
  count(
    { instance, source }: Scope,
    days: readonly Day[],
    time = this.#time,
  ): readonly [suspect: number, other: number] {
    let [suspect, other] = [0, 0]
    for (const day of days)
      for (const [place, ofInstance] of instances.entries())
        for (const [nth, ofSource] of sources.entries()) {
          if ((instance ?? ofInstance) !== ofInstance || (source ?? ofSource) !== ofSource) continue
          const weight = 1 + place * 2 + nth * 5
          suspect += this.#grown(day, time) * weight
          other += this.#grown(day, time) * (weight + 1) * 2
        }
    return [suspect, other]
  }

  fetch(scope: Scope, day: Day): Fetched {
    this.fetched.add(this.#time)
    return { counts: this.count(scope, [day]), at: this.#time }
  }

  #grown(day: Day, time: number): number {
    const settled = Date.parse(`${addDays(day, 3)}T00:00:00Z`)
    const minutes = Math.floor((Math.min(time, settled) - this.#start) / minute)
    const times = this.#restated.filter((each) => each.day === day && each.at <= time).length
    return 10_000 + daysBetween(day, dayAt(this.#start, 'UTC')) + Math.max(0, minutes) + times * 700
  }
}

const offline = { kind: 'offline', message: 'No answer came.' } as const

/** Reports over such a service, with what is stored of it: stale figures come at once and are refreshed behind. */
export class StoringReports {
  readonly #service: MovingService
  /** By subject and day. */
  readonly #stored = new Map<string, Map<Day, Fetched>>()
  readonly #restated = new Map<string, Map<Day, number>>()
  readonly #refreshing = new Map<
    string,
    { left: number; readonly days: readonly Day[]; readonly scope: Scope }
  >()

  constructor(service: MovingService) {
    this.#service = service
  }

  readonly ask = (({ query, force }: { query: ReportQuery; force: boolean }) =>
    this.#answer(query.kind, query, force).then(({ provenance, days, fetched }) => {
      const total = this.#totalOf(fetched)
      if (query.kind === 'overview')
        return { kind: 'overview', query, provenance, figures: { total, chart: null } }
      const { kept } = this.#kept('table', query)
      const counted = (instance: string) =>
        days.flatMap((day) => kept(day, instance)).reduce((sum, count) => sum + count, 0)
      const rows = instances.map((id) => ({
        label: { kind: 'instance', id, name: `Site ${id}` },
        cells: [counted(id)],
      }))
      const all = { label: { kind: 'all' }, cells: [total.suspect + total.nonsuspect] }
      const table = { headers: ['Instance', 'Requests'], all, rows }
      return { kind: 'table', query, provenance, figures: { total, table, chart: null } }
    })) as unknown as Reports['ask']

  readonly trend = ((_: unknown, query: ReportQuery, force = false) =>
    this.#answer('trend', query, force).then(({ provenance, fetched }) => {
      const days = daysOf(query.range)
      const valuesOf = (place: number) => days.map((day) => fetched.get(day)?.counts[place] ?? null)
      const series = [
        { header: 'Suspect', values: valuesOf(0) },
        { header: 'Non-Suspect', values: valuesOf(1) },
      ]
      return { provenance, chart: { days, series } }
    })) as unknown as Around['trend']

  #totalOf(fetched: ReadonlyMap<Day, Fetched>) {
    const sumOf = (place: number) =>
      [...fetched.values()].reduce((sum, { counts }) => sum + (counts[place] ?? 0), 0)
    return { suspect: sumOf(0), nonsuspect: sumOf(1) }
  }

  #kept(kind: string, query: ReportQuery) {
    const scope: Scope = { instance: query.instance, source: query.source }
    const subject = [kind, scope.instance, scope.source].join(' ')
    const stored = this.#stored.get(subject) ?? new Map<Day, Fetched>()
    this.#stored.set(subject, stored)
    /** What a table counts of one of its rows, as it was when it was fetched. */
    const kept = (day: Day, instance: string) => {
      const { counts = [] } = stored.get(day) ?? {}
      const place = 2 + instances.indexOf(instance)
      return counts.slice(place, place + 1)
    }
    return { subject, scope, stored, kept }
  }

  async #answer(kind: string, query: ReportQuery, force: boolean) {
    const { subject, scope, stored } = this.#kept(kind, query)
    const days = daysOf(query.range)
    const key = `${subject} ${query.range.start} ${query.range.end}`
    this.#proceed(key, subject)
    const absent = days.filter((day) => !stored.has(day))
    const due = days.filter((day) => stored.has(day) && (force || this.#isStale(day, stored.get(day))))
    if (absent.length > 0 && !this.#service.isAway) this.#fetch(subject, scope, absent)
    const isObstructed = this.#service.isAway && due.length > 0
    if (due.length > 0 && !isObstructed && !this.#refreshing.has(key))
      this.#refreshing.set(key, { left: this.#service.lag, days: due, scope })
    const there = days.filter((day) => stored.has(day))
    if (there.length === 0) throw new DeskFailure(offline)
    const fetched = new Map(there.flatMap((day) => [[day, stored.get(day)] as const])) as Map<Day, Fetched>
    const missing = days.filter((day) => !stored.has(day))
    return {
      days: there,
      fetched,
      provenance: this.#provenance({ subject, key, fetched, missing, isObstructed }),
    }
  }

  #provenance(of: {
    readonly subject: string
    readonly key: string
    readonly fetched: ReadonlyMap<Day, Fetched>
    readonly missing: readonly Day[]
    readonly isObstructed: boolean
  }): Provenance {
    const ages = [...of.fetched].map(([day, { at }]) => ({
      range: { start: day, end: day },
      fetchedAt: at as Instant,
    }))
    const times = [...of.fetched.keys()].flatMap((day) => this.#restated.get(of.subject)?.get(day) ?? [])
    return {
      ...soundFigures,
      ages,
      fetchedAt: Math.min(...ages.map(({ fetchedAt }) => fetchedAt)) as Instant,
      refreshing: this.#refreshing.has(of.key),
      missing: of.missing,
      failure: of.missing.length > 0 || of.isObstructed ? offline : null,
      restated: times.length > 0 ? { days: times.length, latest: Math.max(...times) as Instant } : null,
    }
  }

  #isStale(day: Day, fetched: Fetched | undefined): boolean {
    if (!fetched) return false
    const isRecent = this.#service.now() - fetched.at < staleAfter
    const known = [...this.#restated.values()].some((times) => (times.get(day) ?? 0) > fetched.at)
    return known || !(isSettledOn({ start: day, end: day }, dayAt(fetched.at, 'UTC')) || isRecent)
  }

  /** A refresh that is asked after ends at some time. */
  #proceed(key: string, subject: string): void {
    const refresh = this.#refreshing.get(key)
    if (!refresh || this.#service.lag === Infinity) return
    refresh.left = Math.min(refresh.left, this.#service.lag) - 1
    if (refresh.left > 0) return
    this.#refreshing.delete(key)
    if (!this.#service.isAway) this.#fetch(subject, refresh.scope, refresh.days)
  }

  #fetch(subject: string, scope: Scope, days: readonly Day[]): void {
    this.#service.requests += 1
    const stored = this.#stored.get(subject) ?? new Map<Day, Fetched>()
    const restated = this.#restated.get(subject) ?? new Map<Day, number>()
    for (const day of days) {
      const { counts, at } = this.#service.fetch(scope, day)
      const ofRows = instances.map((instance) => {
        const [suspect, other] = this.#service.count({ ...scope, instance }, [day])
        return suspect + other
      })
      const before = stored.get(day)
      const wasSettled = before && isSettledOn({ start: day, end: day }, dayAt(before.at, 'UTC'))
      if (wasSettled && before.counts.join(' ') !== [...counts, ...ofRows].join(' ')) restated.set(day, at)
      stored.set(day, { counts: [...counts, ...ofRows], at })
    }
    this.#stored.set(subject, stored)
    this.#restated.set(subject, restated)
  }
}
