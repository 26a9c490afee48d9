import type { Failure } from '../api/failure.ts'
import type { RawType } from '../api/raw-columns.ts'
import { dayAt } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import type { AccountId, Instant, RawReportId } from '../values/ids.ts'

/** Id of an archive's rows: `report-…` for a saved raw report, `file-…` for a file that the user added. */
export type RowsFileId = string & { readonly __brand: 'RowsFileId' }

/** Id of a dropped file, a random UUID. Only the main process knows the path. */
export type DroppedFileId = string & { readonly __brand: 'DroppedFileId' }

/** Type of all non-empty cells of a column: `time` with an offset, `number` as written, or `text` for any other. */
export const columnKinds = ['text', 'number', 'time'] as const
export type ColumnKind = (typeof columnKinds)[number]

/** Formats of times and of numbers. */
export const timeForms = [
  'year-first',
  'month-first',
  'day-first',
  'named-month',
  'epoch-s',
  'epoch-ms',
  'epoch-us',
  'epoch-ns',
] as const
export type TimeForm = (typeof timeForms)[number]
export const isTimeForm = (form: string | undefined): form is TimeForm =>
  timeForms.some((one) => one === form)
export type EpochForm = Extract<TimeForm, `epoch-${string}`>
export const isEpoch = (form: string | undefined): form is EpochForm =>
  isTimeForm(form) && form.startsWith('epoch-')
export const numberForms = ['decimal-point', 'decimal-comma'] as const
export type NumberForm = (typeof numberForms)[number]
export const isNumberForm = (form: string | undefined): form is NumberForm =>
  numberForms.some((one) => one === form)

/** Formats that the user can choose for a column. */
export const columnForms = ['text', ...numberForms, ...timeForms] as const
export type ColumnForm = (typeof columnForms)[number]

/** A column of raw rows. */
export type RowsColumn = {
  /** Unique name: the header, with a number if it repeats ("SOURCE (2)"), or "Column 3" without a header. */
  readonly name: string
  readonly kind: ColumnKind
  /** Role: a standard column (raw-columns.ts), `timestamp`, `click_id`, `sub_id` or `instance`; null for others. */
  readonly standard: string | null
}

/** Name of an additional column in an account: "Sub-id" for number 1. Saved views may have an earlier one of `former`. */
export type ColumnName = {
  readonly account: AccountId
  readonly number: string
  readonly name: string
  readonly former?: readonly string[]
}

/** Maximum number of earlier names of a column; the oldest are forgotten. */
export const maxFormer = 20

/** Number of an additional column; null for other columns. */
export const additionalNumber = ({ standard }: Pick<RowsColumn, 'standard'>): string | null =>
  standard !== null && /^\d+$/.test(standard) ? standard : null

const additionalHeader = /^\s*additional[ _](\d+)\s*$/i

/** Whether the user named an additional column. */
export const isNamedAdditional = (column: Pick<RowsColumn, 'name' | 'standard'>): boolean =>
  additionalNumber(column) !== null && !additionalHeader.test(column.name)

/** Sets the name of an additional column. An empty name restores the header. */
export function withColumnName(names: readonly ColumnName[], named: ColumnName): ColumnName[] {
  const isOther = ({ account, number }: ColumnName) => account !== named.account || number !== named.number
  const others = names.filter(isOther)
  if (named.name === '') return others
  const before = names.find((one) => !isOther(one))
  const former = [...(before ? [before.name] : []), ...(before?.former ?? [])].filter(
    (name) => name !== named.name,
  )
  return [...others, former.length > 0 ? { ...named, former: former.slice(0, maxFormer) } : named]
}

/**
 * Returns a function that finds the present name of an additional column by its header or an earlier name. Other names are
 * unchanged.
 */
export function presentName(
  columns: readonly RowsColumn[],
  names: readonly ColumnName[],
): (name: string) => string {
  const present = new Set(columns.map(({ name }) => name))
  return (name) => {
    if (present.has(name)) return name
    const number =
      additionalHeader.exec(name)?.[1] ?? names.find(({ former = [] }) => former.includes(name))?.number
    return columns.find((column) => number !== undefined && additionalNumber(column) === number)?.name ?? name
  }
}

/** Gives additional columns the account's names. A column keeps its header if another column of the file has the name. */
export function withColumnNames<C extends RowsColumn, F extends { readonly columns: readonly C[] }>(
  file: F,
  names: ReadonlyMap<string, string>,
): F {
  if (names.size === 0) return file
  const taken = new Set(file.columns.map(({ name }) => name.toLowerCase()))
  const columns = file.columns.map((column) => {
    const name = names.get(additionalNumber(column) ?? '')
    if (name === undefined || taken.has(name.toLowerCase())) return column
    taken.add(name.toLowerCase())
    return { ...column, name }
  })
  return { ...file, columns }
}

/**
 * Gives columns of one role the name in the first file with the role. A column keeps its name if its file has several
 * columns of the role or another column of that name. It also does if only one of the two contains times.
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

/**
 * Doubts about a table's format. `month-first` and `day-first` are the assumed order of ambiguous dates, `decimal-point` and
 * `decimal-comma` the assumed sign of ambiguous numbers. `times`: no times could be read in the column that should hold them.
 */
export const importDoubts = [
  'encoding',
  'delimiter',
  'header',
  'totals',
  'month-first',
  'day-first',
  'decimal-point',
  'decimal-comma',
  'times',
] as const
export type ImportDoubt = (typeof importDoubts)[number]

/** Detected format of a table. */
export type DetectedFormat = {
  /** A label of the Encoding Standard. */
  readonly encoding: string
  readonly delimiter: string
  readonly hasHeader: boolean
  /** Number of lines before the header, and of totals and remarks after the rows. */
  readonly linesBefore: number
  readonly linesAfter: number
  /** Number of rows with missing cells at the end. */
  readonly short: number
  /** Whether apostrophes that guard texts against formulas were removed. */
  readonly guarded?: boolean
  /** Whether the user chose any of these. */
  readonly chosen?: boolean
  readonly doubts: readonly ImportDoubt[]
}

/** File names of archives and tables. */
export const tableFileName = /\.(zip|csv|tsv|txt|tab|log|gz)$/i

/** Encodings that the user can choose, by label of the Encoding Standard. */
export const importEncodings = [
  ...['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'windows-1250', 'windows-1251', 'windows-1253'],
  ...['windows-1254', 'windows-1257', 'iso-8859-2', 'iso-8859-5', 'macintosh', 'koi8-r', 'shift_jis'],
  ...['euc-jp', 'gb18030', 'big5', 'euc-kr'],
] as const
/** Delimiters that the user can choose. */
export const importDelimiters = [',', ';', '\t', '|', ' ', '^', '~', '\x01'] as const

/** Hash of a table's headers or width. The user's choice for one table applies to all tables with the same hash. */
export type TableShape = string & { readonly __brand: 'TableShape' }

/** User's choice for tables of one shape. Absent members are detected. */
export type ImportChoice = {
  /** A label of the Encoding Standard. */
  readonly encoding?: string
  readonly delimiter?: string
  /** First line of the table, from 1, and whether it is the header. */
  readonly start?: { readonly line: number; readonly hasHeader: boolean }
  /** Columns by name; `role` is `RowsColumn.standard`. */
  readonly columns?: readonly {
    readonly name: string
    readonly form?: ColumnForm
    readonly role?: string | null
  }[]
}
export type ShapeChoice = { readonly shape: TableShape; readonly choice: ImportChoice }

/** Preview of an import, from the start and end of a table. */
export type ImportPreview = {
  readonly shape: TableShape
  /** The part that the user chose. */
  readonly choice: ImportChoice
  readonly readAs: DetectedFormat
  /** First and last lines of the file, shortened if long. */
  readonly lines: readonly string[]
  readonly last: readonly string[]
  readonly columns: readonly {
    readonly name: string
    readonly form: ColumnForm
    readonly role: string | null
    /** The column's first cells. */
    readonly cells: readonly string[]
  }[]
  /** Number of tables in the file. The preview is of the first one. */
  readonly tables: number
}

/** Metadata of imported rows. */
export type RowsFacts = {
  readonly columns: readonly RowsColumn[]
  readonly rows: number
  /** Number of lines that could not be read as rows; `rows/unreadable` returns them. */
  readonly unreadable: number
  /** Format by table. Absent in imports of older versions. */
  readonly readAs?: readonly DetectedFormat[]
  /** Number of non-empty cells that do not match their column's kind, by column. */
  readonly odd: readonly { readonly column: string; readonly cells: number }[]
  /** Number of cells that list several addresses, of which the first counts, by column. */
  readonly several: readonly { readonly column: string; readonly cells: number }[]
  /** Zone of times without an offset; null if all have one. */
  readonly zone: string | null
  /** First and last time; null without a column of times. */
  readonly first: Instant | null
  readonly last: Instant | null
  /** Size on the disk. */
  readonly bytes: number
  readonly readAt: Instant
}

/** State of an archive's rows. */
export type RowsState =
  | { readonly kind: 'not-read' }
  /** The job has the progress. */
  | {
      readonly kind: 'importing'
      /** Whether rows of a replaced file exist already. */
      readonly replaced: boolean
    }
  | { readonly kind: 'whole'; readonly facts: RowsFacts }
  /** The imported files are damaged. Import the archive again if it still exists. */
  | { readonly kind: 'damaged' }
  /** The import failed. */
  | { readonly kind: 'failed'; readonly failure: Failure }

/** An archive and its rows. */
export type RowsFile = {
  readonly id: RowsFileId
  readonly account: AccountId
  /** Raw report of the archive; null for a file that the user added. */
  readonly report: RawReportId | null
  /** Name of the report or the file. */
  readonly name: string
  /** Type of the raw report; null before the import, and for other tables. */
  readonly type: RawType | null
  /**
   * Whether the ZIP or CSV still exists. Without it, lost rows cannot be imported again. `away`: its folder does not
   * respond.
   */
  readonly archive: 'there' | 'gone' | 'away'
  readonly state: RowsState
}

/** First and last time in a file. Files with different labels have no row in common. */
type Span = Pick<RowsFacts, 'first' | 'last'> & { readonly label?: string }

const daysOf = ({ first, last }: Span, zone: string): DayRange | null =>
  first === null || last === null ? null : { start: dayAt(first, zone), end: dayAt(last, zone) }

const earlier = (one: Day, other: Day): Day => (one < other ? one : other)
const later = (one: Day, other: Day): Day => (one > other ? one : other)

/**
 * Returns the first and last day that two files may share, whose rows may be counted twice. Returns null if there is
 * none. Rows without a time are ignored.
 * @param spans first and last time of each file
 */
export function overlappingDays(spans: readonly Span[], zone: string): DayRange | null {
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
