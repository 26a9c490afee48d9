import type { RawDraft } from '#shared/raw/draft.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { operatorsWithoutValue } from '#shared/api/raw-columns.ts'
import type { Instant } from '#shared/values/ids.ts'
import type { KnownList } from './raw-asking-parts.ts'

/** Days would not be right either with a clock that is off by more; in milliseconds. */
const clocksDiffer = 36 * 3_600_000

type Sent = { readonly draft: RawDraft; readonly sentAt: Instant }

const plain = (name: string) => name.normalize('NFC').replace(/\s+/g, ' ').trim()

/** A name that was given is the report's; otherwise the service made one up. */
const fitsName = (draft: RawDraft, name: string) => draft.name === '' || plain(draft.name) === plain(name)

/**
 * Whether a row of the list may be what was sent: of its type and name, in no list that was complete before it was sent,
 * and not far older by its own time either, which another clock gave it.
 */
export function mayBe({ draft, sentAt }: Sent, { row, firstSeen }: KnownList['reports'][number]): boolean {
  const requested = row.requested === null ? NaN : Date.parse(row.requested)
  return (
    firstSeen > sentAt &&
    row.type.toLowerCase() === draft.type &&
    fitsName(draft, row.name) &&
    !(requested < sentAt - clocksDiffer)
  )
}

const asText = (values: Iterable<string | number>) => JSON.stringify([...values].map(String).sort())

type AnyFilter = { readonly column: string; readonly operator?: string | null; readonly value?: string }

/** Filters as text, without what means nothing: no operator, and values that are not applied. */
const filtersAsText = (filters: readonly AnyFilter[]) =>
  asText(
    filters.map(({ column, operator, value = '' }) => {
      const takesNone = operatorsWithoutValue.some((item) => item === operator)
      return JSON.stringify([column, operator || null, takesNone ? '' : value])
    }),
  )

/** Whether a full record is the report that a draft asks for: its instance, days, columns and filters. */
export function isWhatWasAsked(draft: RawDraft, record: RawReport): boolean {
  return (
    record.type.toLowerCase() === draft.type &&
    fitsName(draft, record.name) &&
    record.instance_id === draft.instance &&
    record.start === draft.start &&
    record.end === draft.end &&
    asText(record.columns.standard) === asText(draft.standard) &&
    asText(record.columns.additional ?? []) === asText(draft.additional) &&
    filtersAsText(record.filters ?? []) === filtersAsText(draft.filters)
  )
}
