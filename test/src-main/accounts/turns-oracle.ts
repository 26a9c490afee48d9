import { eventRecords } from '#main/sandbox/events/events.ts'
import type { Totals } from '#shared/api/answers.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import type { ServiceInProcess } from '#test/helpers/service-in-process.ts'

export type Counted = { readonly good: number; readonly bad: number }
export type ByRow = 'devices' | 'sources'

export const nothing: Counted = { good: 0, bad: 0 }
export const sumOf = (all: readonly Counted[]): Counted =>
  all.reduce((sum, { good, bad }) => ({ good: sum.good + good, bad: sum.bad + bad }), nothing)
export const countedIn = ({ good, bad }: Totals): Counted => ({
  good: Number(good ?? 0),
  bad: Number(bad ?? 0),
})
export const isSame = (one: Counted, other: Counted) => one.good === other.good && one.bad === other.bad

/** What the events say, by instance, day and what rows are of: counted by another road than the service's. */
export class Oracle {
  readonly #counts = new Map<string, { good: number; bad: number }>()
  readonly labels: Readonly<Record<ByRow, Set<string>>> = { devices: new Set(), sources: new Set() }

  constructor({ events }: ServiceInProcess, range: DayRange) {
    for (const { family, day, instance, manufacturer, source, result } of eventRecords(events, [], range)) {
      if (family !== 'script') continue
      this.labels.devices.add(manufacturer)
      this.labels.sources.add(source)
      for (const row of ['all', `devices ${manufacturer}`, `sources ${source}`]) {
        const key = `${instance} ${day} ${row}`
        const known = this.#counts.get(key) ?? { good: 0, bad: 0 }
        if (result === 'good') known.good += 1
        if (result === 'bad') known.bad += 1
        this.#counts.set(key, known)
      }
    }
  }

  of(scope: readonly InstanceId[], days: readonly Day[], row = 'all'): Counted {
    return sumOf(
      scope.flatMap((instance) =>
        days.map((day) => this.#counts.get(`${instance} ${day} ${row}`) ?? nothing),
      ),
    )
  }

  /** Every row of a table that counts anything. */
  rowsOf(scope: readonly InstanceId[], days: readonly Day[], by: ByRow): ReadonlyMap<string, Counted> {
    const rows = [...this.labels[by]].map((text) => [text, this.of(scope, days, `${by} ${text}`)] as const)
    return new Map(rows.filter(([, counted]) => !isSame(counted, nothing)))
  }
}

const oracles = new Map<ServiceInProcess, Oracle>()

/** Of the first eight days of November 2026. */
export const oracleOf = (service: ServiceInProcess): Oracle => {
  const known =
    oracles.get(service) ?? new Oracle(service, { start: '2026-11-01' as Day, end: '2026-11-08' as Day })
  oracles.set(service, known)
  return known
}
