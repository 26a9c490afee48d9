import type { Count, Label } from '../api/answers.ts'
import type { DayRange } from '../values/day.ts'
import type { Instant } from '../values/ids.ts'

/** How many days of a range were restated, and when newer figures of one of them last came. */
export type RestatedDays = { readonly days: number; readonly latest: Instant }

/** A count that came otherwise: a total by its name, or a cell by its header. Null where it was not known. */
export type CountChange = { readonly name: string; readonly before: Count; readonly after: Count }

/** A row of which counts changed. Of a row that was not there, or is not there any more, no count is known. */
export type RestatedRow = { readonly label: Label; readonly changes: readonly CountChange[] }

/** What was otherwise when days that were over were fetched again. */
export type Restatement = {
  readonly range: DayRange
  /** When the older figures were fetched, and the newer ones. */
  readonly beforeFetchedAt: Instant
  readonly afterFetchedAt: Instant
  readonly totals: readonly CountChange[]
  /** The row of all first, where that changed; then the rows with the largest changes. */
  readonly rows: readonly RestatedRow[]
  /** How many rows changed, without the row of all; null where the rows of both were not there to compare. */
  readonly differing: number | null
}

/** Restatements of a subject within a range, the newest first, as far as they are shown; `of` is how many there are. */
export type Restatements = { readonly found: readonly Restatement[]; readonly of: number }

/**
 * What a total was as known at a time, by the restatements of the same days.
 * @returns undefined where none of them is about that total
 */
export function totalAt(restatements: readonly Restatement[], name: string, time: number): Count | undefined {
  const changes = [...restatements]
    .sort((one, other) => one.afterFetchedAt - other.afterFetchedAt)
    .flatMap(({ afterFetchedAt, totals }) =>
      totals.filter((total) => total.name === name).map((change) => ({ ...change, at: afterFetchedAt })),
    )
  const next = changes.find(({ at }) => at > time)
  return next ? next.before : changes.at(-1)?.after
}

/** How many days were restated, in words: `1 day`. */
export const restatedWords = ({ days }: Pick<RestatedDays, 'days'>): string =>
  days === 1 ? '1 day' : `${days} days`
