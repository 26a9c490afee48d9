import type { RawOperator, RawType } from '#shared/api/raw-columns.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

/** An instance as the look-up knows it. */
export type NamedInstance = { readonly id: InstanceId; readonly name: string }

/** A filter that was found right: no operator for the outcome of requests, no value where the operator takes none. */
export type OrderFilter = {
  readonly column: string
  readonly operator?: RawOperator
  readonly value?: string
}

/** What a raw report is asked to hold: a raw/request whose parameters were all found right. */
export type RawOrder = {
  readonly type: RawType
  readonly instance: NamedInstance
  readonly range: DayRange
  /** At least one, in the order asked. */
  readonly standard: readonly string[]
  readonly additional: readonly number[] | null
  readonly filters: readonly OrderFilter[] | null
  /** Null where the service makes one up. */
  readonly name: string | null
  readonly sendEmail: boolean
}

/** The filter of a request's outcome, which names no column of that type (specification: filter operators). */
export const REQUEST_RESULT = 'result'
