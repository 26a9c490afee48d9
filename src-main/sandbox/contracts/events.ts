import type { RawType } from '#shared/api/raw-columns.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

/** One event by its place in the sandbox's columns; events lie in order of time. */
export type EventIndex = number

/**
 * Row-level events, the one source of every figure of the sandbox: tables, totals and raw rows are read off these,
 * so they agree. Kept in typed columns, because there are several hundred thousand.
 */
export type RawRows = {
  /** Events of a raw type in one instance and range, in order of time. `request` rows include drops. */
  readonly rows: (type: RawType, instance: InstanceId, range: DayRange) => Iterable<EventIndex>
  /** When it happened: ISO 8601 in UTC. */
  readonly timestamp: (event: EventIndex) => string
  /**
   * The plain (not encoded) value of a standard column, or of an additional column by its number; '' where empty. The
   * `result` of a request, which can be filtered but is no column, is `with-responses` or `drops`.
   */
  readonly value: (type: RawType, column: string | number, event: EventIndex) => string
  /** The same rows as they read after these days were restated (`Behaviour.restated`), for a report made from now on. */
  readonly restated: (days: readonly Day[]) => RawRows
}
