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

/** How moments are written in a column, and numbers. */
export const timeForms = [
  'year-first',
  'month-first',
  'day-first',
  'named-month',
  'epoch-s',
  'epoch-ms',
] as const
export type TimeForm = (typeof timeForms)[number]
export const isTimeForm = (form: string | undefined): form is TimeForm =>
  timeForms.some((one) => one === form)
export const numberForms = ['decimal-point', 'decimal-comma'] as const
export type NumberForm = (typeof numberForms)[number]
export const isNumberForm = (form: string | undefined): form is NumberForm =>
  numberForms.some((one) => one === form)

/** What a column is taken for. */
export const columnForms = ['text', ...numberForms, ...timeForms] as const
export type ColumnForm = (typeof columnForms)[number]

/** A column of raw rows. */
export type RowsColumn = {
  /**
   * What questions call it: the header as it came, with a number behind it where another column has the same one ("SOURCE (2)"),
   * "Column 3" where it has none.
   */
  readonly name: string
  readonly kind: ColumnKind
  /** What it holds: a standard column (raw-columns.ts), `timestamp`, `click_id`, `sub_id` or `instance`; null for anything else. */
  readonly standard: string | null
}

/**
 * Gives columns of one role the same name in all files: that of the first file that has the role. A column keeps its name where
 * its file has several of the role, where another column of the file has that name, or where one holds moments and the other none.
 */
export function joinByRole<C extends RowsColumn, F extends { readonly columns: readonly C[] }>(
  files: readonly F[],
): readonly F[] {
  const called = new Map<string, C>()
  return files.map((file) => {
    const names = new Set(file.columns.map(({ name }) => name))
    const isOnly = (role: string) => file.columns.filter(({ standard }) => standard === role).length === 1
    const columns = file.columns.map((column) => {
      const { standard } = column
      if (standard === null || !isOnly(standard)) return column
      const first = called.get(standard)
      if (first === undefined) called.set(standard, column)
      const isAlike = first !== undefined && (first.kind === 'time') === (column.kind === 'time')
      if (!isAlike || names.has(first.name)) return column
      names.add(first.name)
      return { ...column, name: first.name }
    })
    return { ...file, columns }
  })
}

/** What could not be told for sure of how a table is written; of dates, how they were taken. */
export const importDoubts = ['encoding', 'delimiter', 'header', 'totals', 'month-first', 'day-first'] as const
export type ImportDoubt = (typeof importDoubts)[number]

/** How a table was taken to be written, and what of it is no row. */
export type ReadAs = {
  /** A label of the Encoding Standard. */
  readonly encoding: string
  readonly delimiter: string
  readonly hasHeader: boolean
  /** Lines before the header; and of totals and remarks behind the rows. */
  readonly linesBefore: number
  readonly linesAfter: number
  /** Rows that lacked cells at their end. */
  readonly short: number
  /** Whether a person chose any of this. */
  readonly chosen?: boolean
  readonly doubts: readonly ImportDoubt[]
}

/** Files that are taken for archives and tables, by their names. */
export const tableFileName = /\.(zip|csv|tsv|txt|tab|log|gz)$/i

/** Encodings that a person may choose, by their labels in the Encoding Standard. */
export const importEncodings = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253'],
  ...['windows-1254', 'windows-1257', 'iso-8859-2', 'iso-8859-5', 'macintosh', 'koi8-r', 'shift_jis'],
  ...['euc-jp', 'gb18030', 'big5', 'euc-kr'],
] as const
/** Separators that a person may choose. */
export const importDelimiters = [',', ';', '\t', '|', ' ', '^', '~', '\x01'] as const

/** Tables whose headers, or whose widths, are alike: what a person chose for one is right for all. A hash. */
export type TableShape = string & { readonly __brand: 'TableShape' }

/** How a person has tables of one shape read. What is absent is told by their cells. */
export type ImportChoice = {
  /** A label of the Encoding Standard. */
  readonly encoding?: string
  readonly delimiter?: string
  /** The first line of the table, from 1, and whether it names the columns. */
  readonly start?: { readonly line: number; readonly hasHeader: boolean }
  /** By the columns' names; a role is `RowsColumn.standard`. */
  readonly columns?: readonly {
    readonly name: string
    readonly form?: ColumnForm
    readonly role?: string | null
  }[]
}
export type ShapeChoice = { readonly shape: TableShape; readonly choice: ImportChoice }

/** How a table would be read: told by its beginning and end. */
export type ImportPreview = {
  readonly shape: TableShape
  /** What of it a person chose. */
  readonly choice: ImportChoice
  readonly readAs: ReadAs
  /** Lines from the first, and the last ones, as they are written; long ones are cut. */
  readonly lines: readonly string[]
  readonly last: readonly string[]
  readonly columns: readonly {
    readonly name: string
    readonly form: ColumnForm
    readonly role: string | null
    /** Its first cells. */
    readonly cells: readonly string[]
  }[]
  /** How many tables the file has; this is the first. */
  readonly tables: number
}

/** What is known of rows that are read in. */
export type RowsFacts = {
  readonly columns: readonly RowsColumn[]
  readonly rows: number
  /** Lines of the file that are no rows of it: `rows/unreadable` shows them. */
  readonly unreadable: number
  /** By table of the file; unknown of rows that an older version imported. */
  readonly readAs?: readonly ReadAs[]
  /** Cells that are neither empty nor what their column's kind says, by column. */
  readonly odd: readonly { readonly column: string; readonly cells: number }[]
  /** The zone of moments that name none; null where all do. */
  readonly zone: string | null
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
