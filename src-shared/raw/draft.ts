import type { ArgumentsFor } from '../api/endpoints.ts'
import type { RawOperator, RawType } from '../api/raw-columns.ts'
import type { Day } from '../values/day.ts'
import type { InstanceId } from '../values/ids.ts'

/** A filter as it is filled in. Its column is a standard column, or an additional column's number as text. */
export type RawDraftFilter = {
  readonly column: string
  /** Null where none is chosen, and for the outcome of requests, which takes none. */
  readonly operator: RawOperator | null
  readonly value: string
}

/** A raw report as it is being asked for: what the form holds, right or wrong (specification: raw/request). */
export type RawDraft = {
  readonly type: RawType
  readonly instance: InstanceId | null
  readonly start: Day
  readonly end: Day
  /** Empty where the service is to make one up. */
  readonly name: string
  readonly standard: readonly string[]
  readonly additional: readonly number[]
  readonly filters: readonly RawDraftFilter[]
  readonly email: boolean
}

/** A draft in which nothing is wrong (`check-draft.ts` makes it). */
export type RawOrder = RawDraft & { readonly instance: InstanceId; readonly __brand: 'RawOrder' }

/** What raw/request is sent. `send_email` is always said, because the service assumes yes. */
export function argumentsOf(order: RawOrder): ArgumentsFor<'raw/request'> {
  const { type, instance, start, end, name, standard, additional, filters, email } = order
  return {
    type,
    instance,
    start,
    end,
    standard,
    ...(name !== '' && { name }),
    ...(additional.length > 0 && { additional }),
    ...(filters.length > 0 && {
      filters: filters.map(({ column, operator, value }) => ({
        column,
        ...(operator !== null && { operator }),
        ...(operator !== 'empty' && operator !== 'not_empty' && { value }),
      })),
    }),
    send_email: email,
  }
}
