import type { Failure } from '../api/failure.ts'
import type { RawType } from '../api/raw-columns.ts'
import { dayAt } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'

/** The rows of one archive: `report-…` for a saved raw report, `file-…` for a file that a person added. */
export type RowsFileId = string & { readonly __brand: 'RowsFileId' }

/** A file that a person dropped on the window; the main process alone knows where it lies. A random UUID. */
export type DroppedFileId = string & { readonly __brand: 'DroppedFileId' }

/**
 * What a column holds in every row that is not empty: `time`, moments with their offset; `number`, numbers as they came; `text`,
 * anything else.
 */
export const columnKinds = ['text', 'number', 'time'] as const
export type ColumnKind = (typeof columnKinds)[number]

/** A column of raw rows. */
export type RowsColumn = {
  /**
   * What questions call it: the header as it came, with a number behind it where another column has the same one ("SOURCE (2)"),
   * "Column 3" where it has none.
   */
  readonly name: string
  readonly kind: ColumnKind
  /** The standard column (service/raw-columns.ts) that the header means, or `timestamp`; null for any other. */
  readonly standard: string | null
}

/** What is known of rows that are read in. */
type RowsFacts = {
  readonly columns: readonly RowsColumn[]
  readonly rows: number
  /** Lines of the file that are no rows of it: `rows/unreadable` shows them. */
  readonly unreadable: number
  /** The first and last moment, where there is a column of them. */
  readonly first: Instant | null
  readonly last: Instant | null
  /** What the rows take on the disk. */
  readonly bytes: number
  readonly readAt: Instant
}

/** How the rows of an archive stand. */
export type RowsState =
  | { readonly kind: 'not-read' }
  /** Its job says how far it is. */
  | {
      readonly kind: 'reading'
      /** Whether there were rows already, and another file has taken the place of the one that they are of. */
      readonly replaced: boolean
    }
  | { readonly kind: 'whole'; readonly facts: RowsFacts }
  /** What was read in is there no more as it was written: read it in again, where its file is still there. */
  | { readonly kind: 'damaged' }
  /** Reading it in came to nothing. */
  | { readonly kind: 'failed'; readonly failure: Failure }

/** An archive whose rows are, or can be, looked into. */
export type RowsFile = {
  readonly id: RowsFileId
  readonly account: AccountId
  /** The raw report that the archive is of; null for a file that a person added. */
  readonly report: RawReportId | null
  /** The report's name, or the file's. */
  readonly name: string
  /** Which type of raw report the rows are; null before they are read, and for a table that is no raw report. */
  readonly type: RawType | null
  /**
   * Whether the ZIP or CSV is still where it was: without it, rows that are lost are lost. It is `away` where its folder does
   * not answer.
   */
  readonly archive: 'there' | 'gone' | 'away'
  readonly state: RowsState
}

/** The first and last moment of a file's rows; files of different labels have no row in common. */
type Span = Pick<RowsFacts, 'first' | 'last'> & { readonly label?: string }

const daysOf = ({ first, last }: Span, zone: string): DayRange | null =>
  first === null || last === null ? null : { start: dayAt(first, zone), end: dayAt(last, zone) }

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)
const later = (one: Day, other: Day): Day => (one > other ? one : other)

/**
 * The first and the last day of which two files have rows: one that is in both counts twice. Null where no two files have a day in
 * common; rows without moments are of no day.
 * @param spans the first and last moment of each file
 */
export function commonDays(spans: readonly Span[], zone: string): DayRange | null {
  let common: DayRange | null = null
  const ranges = spans.flatMap((span) => {
    const days = daysOf(span, zone)
    return days ? [{ ...days, label: span.label ?? '' }] : []
  })
  for (const [place, one] of ranges.entries())
    for (const other of ranges.slice(place + 1).filter(({ label }) => label === one.label)) {
      const start = later(one.start, other.start)
      const end = earlier(one.end, other.end)
      if (start > end) continue
      common =
        common === null
          ? { start, end }
          : { start: earlier(common.start, start), end: later(common.end, end) }
    }
  return common
}
