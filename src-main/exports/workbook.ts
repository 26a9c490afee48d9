import { createWriteStream } from 'node:fs'
import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import type { Workbook as HeldWorkbook, WorkbookWriter } from '@cj-tech-master/excelts'
import { invalid } from '#shared/api/failure.ts'
import type { CutCells } from '#shared/app/jobs.ts'
import { maxCellOfSheet, maxRowsOfSheet } from '#shared/archives/rows.ts'
import { cutWords, wholeElsewhere } from '#shared/texts/jobs.ts'
import { charactersOf } from '#shared/values/text.ts'
import { asDiskFailure, destroyStream } from '#main/files/disk-failure.ts'
import { cellText } from './safe-text.ts'
import { drawCharts, quoted } from './workbook-charts.ts'
import type { PlacedChart, SheetChart } from './workbook-charts.ts'

/** A number or a time (in UTC) with a format of its own (ECMA-376: number formats). */
type Formatted = { readonly value: number | Date; readonly format: string }

/** A text that leads to another sheet. */
type Link = { readonly text: string; readonly sheet: string }

/** Value of a cell. Empty text and null leave the cell empty. */
export type SheetCell = string | number | Date | Formatted | Link | null

/** Header of a column, and the format of its numbers and dates. */
export type SheetColumn = { readonly header: string; readonly format?: string }

export type SheetOptions = {
  /** Lines above the header, one row each. */
  readonly above?: readonly string[]
  /** Rows below the others and an empty row, outside the filter. */
  readonly totals?: readonly (readonly SheetCell[])[]
  /** Notes below the totals, one row each. */
  readonly notes?: readonly string[]
  /** Number of columns that stay visible. */
  readonly frozen?: number
  /** A sheet of facts has no filter. A sheet of charts gets the charts of all sheets. */
  readonly kind?: 'table' | 'facts' | 'charts'
  /** Chart of the rows. Only workbooks that are held in memory have charts. */
  readonly chart?: SheetChart | undefined
}

export type Workbook = {
  /** Ends the previous sheet and starts the next, whose header stays visible. The name is made valid and unique. */
  readonly sheet: (name: string, columns: readonly SheetColumn[], options?: SheetOptions) => Promise<void>
  /** Adds rows to the sheet. @throws DeskFailure `invalid` if a sheet cannot hold them */
  readonly add: (rows: readonly (readonly SheetCell[])[]) => Promise<void>
  /** Ends the last sheet. Returns the cells that were cut in all sheets. */
  readonly finish: () => Promise<CutCells>
}

/** Number of rows that determine the width of a column. */
const measuredRows = 500
const widths = { min: 8, max: 60 } as const
/** Text that looks like a number stays text when it is edited. */
const asText = '@'

type HeldSheet = ReturnType<HeldWorkbook['addWorksheet']>
type Worksheet = ReturnType<WorkbookWriter['addWorksheet']> | HeldSheet
type Style = Worksheet['columns'][number]['style']

/** The library's workbook: streamed row by row, or held in memory, which its charts and tables need. */
type Book = {
  readonly addWorksheet: (name: string, options: Parameters<HeldWorkbook['addWorksheet']>[1]) => Worksheet
  readonly commit: () => Promise<void>
}

async function openBook(stream: Writable, charts: boolean): Promise<Book> {
  // The library is large and rarely needed.
  const library = await import('@cj-tech-master/excelts')
  const by = 'Traffic Desk'
  if (!charts) return new library.WorkbookWriter({ stream, useStyles: true, creator: by, lastModifiedBy: by })
  const { installChartSupport } = await import('@cj-tech-master/excelts/chart')
  installChartSupport()
  const book = new library.Workbook()
  Object.assign(book, { creator: by, lastModifiedBy: by })
  return {
    addWorksheet: (name, options) => book.addWorksheet(name, options),
    // The library ends the stream, but waits neither until everything is written nor for a stream that failed.
    commit: async () => void (await Promise.all([finished(stream), book.xlsx.write(stream)])),
  }
}

/**
 * Writes sheets into a stream, row by row. Text is never interpreted as a number or formula.
 * @param charts whether the workbook has charts and real tables. It is then held in memory until its end
 */
export async function openWorkbook(stream: Writable, charts = false): Promise<Workbook> {
  // Each step checks for an error of the stream. Without a listener, an earlier error would end the process.
  stream.on('error', () => undefined)
  const writer = await openBook(stream, charts)
  const placed: PlacedChart[] = []
  let chartSheet: HeldSheet | null = null
  const taken = new Set<string>()
  const styles = new Styles()
  const cut = new Map<string, number>()
  let open: OpenSheet | null = null
  const end = () => {
    if (open === null) return
    for (const { column, cells } of open.end()) cut.set(column, (cut.get(column) ?? 0) + cells)
    const { chart, held } = open
    if (chart) placed.push(chart)
    if (held && open.kind === 'charts') chartSheet = held
    open = null
  }
  const written = async () => {
    if (stream.errored) throw stream.errored
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  return {
    sheet: async (name, columns, options = {}) => {
      end()
      open = new OpenSheet(writer, styles, sheetName(name, taken), columns, options)
      await written()
    },
    add: async (rows) => {
      if (open === null) throw new TypeError('Rows belong to a sheet')
      open.add(rows)
      await written()
    },
    finish: async () => {
      end()
      if (chartSheet) drawCharts(chartSheet, placed)
      await writer.commit()
      await written()
      return [...cut].map(([column, cells]) => ({ column, cells }))
    },
  }
}

/**
 * Writes a workbook into an existing file, and closes the file.
 * @param write adds the sheets
 * @returns the cells that were cut
 * @throws DeskFailure `disk`, and errors of `write`
 */
export async function writeWorkbook(
  path: string,
  write: (workbook: Workbook) => Promise<void>,
): Promise<CutCells> {
  const stream = createWriteStream(path, { flags: 'r+' })
  try {
    const workbook = await openWorkbook(stream)
    await write(workbook)
    return await workbook.finish()
  } catch (error) {
    throw asDiskFailure(error)
  } finally {
    // After a failure, nothing else closes the file: its disk space would be taken until the app quits.
    await destroyStream(stream)
  }
}

/** Cache of styles: the library finds a known style quickly, and builds one for each cell that has none. */
class Styles {
  readonly #styles = new Map<string, Style>()

  get(format: string, bold: boolean, underline: boolean): Style {
    const name = `${bold ? 'b' : ''}${underline ? 'u' : ''}${format}`
    const known = this.#styles.get(name)
    if (known) return known
    const style = { numFmt: format, ...((bold || underline) && { font: { bold, underline } }) }
    this.#styles.set(name, style)
    return style
  }
}

/** A sheet that is being written. Its first rows are held until the column widths are known. */
class OpenSheet {
  readonly #writer: Book
  readonly #styles: Styles
  readonly #name: string
  readonly #columns: readonly SheetColumn[]
  readonly #options: SheetOptions
  #waiting: (readonly SheetCell[])[] = []
  #sheet: Worksheet | null = null
  #rows = 0
  /** Number of cut cells by column index. */
  readonly #cutCells = new Map<number, number>()

  constructor(
    writer: Book,
    styles: Styles,
    name: string,
    columns: readonly SheetColumn[],
    options: SheetOptions,
  ) {
    this.#writer = writer
    this.#styles = styles
    this.#name = name
    this.#columns = columns
    this.#options = options
  }

  add(rows: readonly (readonly SheetCell[])[]): void {
    const { above = [], totals = [], notes = [] } = this.#options
    this.#rows += rows.length
    for (const cells of rows) this.#noteCut(cells)
    const below = totals.length + notes.length + (this.#cutCells.size > 0 ? 1 : 0)
    if (above.length + 1 + this.#rows + (below && below + 1) > maxRowsOfSheet) throw tooLong()
    if (this.#sheet) for (const cells of rows) this.#write(this.#sheet, cells)
    else if ((this.#waiting = [...this.#waiting, ...rows]).length >= measuredRows) this.#begin()
  }

  /** @returns the cells that were cut */
  end(): CutCells {
    const { above = [], totals = [], kind } = this.#options
    const sheet = this.#sheet ?? this.#begin()
    for (const cells of totals) this.#noteCut(cells)
    const cut = [...this.#cutCells].map(([nth, cells]) => ({
      column: this.#columns[nth]?.header ?? '',
      cells,
    }))
    const notes = [
      ...(this.#options.notes ?? []),
      ...(cut.length > 0 ? [`${cutWords(cut, plainCounts)} ${wholeElsewhere}`] : []),
    ]
    if (totals.length + notes.length > 0) sheet.addRow([]).commit()
    for (const cells of totals) this.#write(sheet, cells, true)
    for (const note of notes) this.#write(sheet, [note])
    if (kind === undefined || kind === 'table') this.#filter(sheet, above.length + 1)
    if (isStreamed(sheet)) sheet.commit()
    return cut
  }

  get kind(): SheetOptions['kind'] {
    return this.#options.kind
  }

  /** The sheet, if it is held in memory. */
  get held(): HeldSheet | null {
    return this.#sheet && !isStreamed(this.#sheet) ? this.#sheet : null
  }

  /** The sheet's chart, if it has one with rows. */
  get chart(): PlacedChart | null {
    const { chart, above = [] } = this.#options
    if (!chart || !this.held || this.#rows === 0) return null
    const header = above.length + 1
    return { ...chart, sheet: this.held.name, header, last: header + Math.min(chart.rows, this.#rows) }
  }

  /** Makes a table of the rows, or only filters them: a table needs rows, and headers that name one column each. */
  #filter(sheet: Worksheet, header: number): void {
    const names = this.#columns.map((column) => column.header)
    const last = header + this.#rows
    const isTable = !isStreamed(sheet) && this.#rows > 0 && areTableHeaders(names)
    if (!isTable) {
      sheet.autoFilter = { from: { row: header, col: 1 }, to: { row: last, col: names.length } }
      return
    }
    const rows = Array.from({ length: this.#rows }, (_, place) => {
      const row = sheet.getRow(header + 1 + place)
      return names.map((__, column) => row.getCell(column + 1).value)
    })
    sheet.addTable({
      name: `Table${sheet.id}`,
      ref: `A${header}`,
      style: { theme: 'TableStyleLight1', showRowStripes: true },
      columns: names.map((name) => ({ name, filterButton: true })),
      rows,
    })
  }

  #noteCut(cells: readonly SheetCell[]): void {
    for (const [nth, cell] of cells.entries())
      if (typeof cell === 'string' && cell.length > maxCellOfSheet)
        this.#cutCells.set(nth, (this.#cutCells.get(nth) ?? 0) + 1)
  }

  #begin(): Worksheet {
    const { above = [], frozen = 0 } = this.#options
    const rows = [...this.#waiting, ...(this.#options.totals ?? [])]
    const columns = this.#columns.map((column, nth) => ({ width: widthOf(column, nth, rows) }))
    const fitToWidth = pagesAcross(columns)
    const sheet = this.#writer.addWorksheet(this.#name, {
      views: [{ state: 'frozen', ...(frozen > 0 && { xSplit: frozen }), ySplit: above.length + 1 }],
      pageSetup: {
        ...{ orientation: 'landscape', fitToPage: true, fitToWidth, fitToHeight: 0 },
        ...(fitToWidth > 1 && { printTitlesColumn: 'A:A' }),
      },
    })
    this.#sheet = sheet
    sheet.columns = columns
    const headers = this.#columns.map(({ header }) => header)
    for (const cells of [...above.map((words) => [words]), headers]) this.#write(sheet, cells, true)
    for (const cells of this.#waiting) this.#write(sheet, cells)
    this.#waiting = []
    return sheet
  }

  #write(sheet: Worksheet, cells: readonly SheetCell[], bold = false): void {
    const row = sheet.addRow(cells.map(valueOf))
    for (const [nth, cell] of cells.entries()) {
      if (cell === null || cell === '') continue
      row.getCell(nth + 1).style = this.#styles.get(formatOf(cell, this.#columns[nth]), bold, isLink(cell))
    }
    row.commit()
  }
}

/** Characters across a printed page that are still read with ease. */
const pageWidth = 220

/** Number of pages across which the columns are printed. */
const pagesAcross = (columns: readonly { readonly width: number }[]): number =>
  Math.max(1, Math.ceil(columns.reduce((sum, { width }) => sum + width, 0) / pageWidth))

const isStreamed = (sheet: Worksheet): sheet is ReturnType<WorkbookWriter['addWorksheet']> =>
  'commit' in sheet

/** Maximum length of a column's name in a table. */
const longestHeader = 255

/** Whether headers are the same text in their cells and as names of a table's columns. */
const areTableHeaders = (names: readonly string[]): boolean =>
  new Set(names.map((name) => name.toLowerCase())).size === names.length &&
  names.every((name) => name !== '' && name.length <= longestHeader && !/[\p{C}\n]|_x|^ | $/u.test(name))

const plainCounts = { count: (value: number | null | undefined) => (value ?? 0).toLocaleString('en') }

function formatOf(cell: Exclude<SheetCell, null>, column: SheetColumn | undefined): string {
  if (typeof cell === 'string' || isLink(cell)) return asText
  const { value, format } = isFormatted(cell) ? cell : { value: cell, format: column?.format ?? 'General' }
  return typeof value === 'number' ? withEnoughDecimals(value, format) : format
}

/** More decimals than a number in a spreadsheet has. */
const maxDecimals = 15

/**
 * Adds decimals to a format until only zero is shown as zero, and only 100 as 100. Words like `<0.1%` in the format would not follow the
 * spreadsheet's own number settings.
 */
export function withEnoughDecimals(value: number, format: string): string {
  const decimals = /\.(0+)/.exec(format)?.[1]?.length
  const seen = Math.abs(value) * (format.includes('%') ? 100 : 1)
  const distance = Math.min(seen, Math.abs(100 - seen))
  if (decimals === undefined || distance === 0 || distance > 0.5 * 10 ** -decimals) return format
  const enough = Math.min(maxDecimals, Math.ceil(-Math.log10(distance)))
  return format.replaceAll(/\.0+/g, `.${'0'.repeat(Math.max(enough, decimals))}`)
}

const isLink = (cell: SheetCell): cell is Link => typeof cell === 'object' && cell !== null && 'sheet' in cell

const isFormatted = (cell: SheetCell): cell is Formatted =>
  typeof cell === 'object' && cell !== null && 'format' in cell

function valueOf(cell: SheetCell) {
  if (typeof cell === 'string') return cell === '' ? null : cellText(cell)
  if (isLink(cell)) return { text: cellText(cell.text), hyperlink: `#${quoted(cell.sheet)}!A1` }
  return isFormatted(cell) ? cell.value : cell
}

function widthOf(
  { header, format }: SheetColumn,
  nth: number,
  rows: readonly (readonly SheetCell[])[],
): number {
  // The filter's button takes some of a header's width.
  let longest = header.length + 2
  for (const cells of rows) longest = Math.max(longest, lengthOf(cells[nth] ?? null, format))
  return Math.min(widths.max, Math.max(widths.min, longest + 2))
}

/** Approximate number of characters in a cell. */
function lengthOf(cell: SheetCell, format = ''): number {
  if (cell === null) return 0
  if (typeof cell === 'string' || isLink(cell)) return (isLink(cell) ? cell.text : cell).length
  const { value, format: own } = isFormatted(cell) ? cell : { value: cell, format }
  return value instanceof Date ? own.length : value.toLocaleString('en').length + 1
}

const longestSheetName = 31

/** Returns a valid and unique sheet name: at most 31 characters, without those that the format reserves. */
export function sheetName(name: string, taken: Set<string>): string {
  const plain = name.slice(0, 1000).replace(/[[\]:*?/\\\p{Cc}\p{Cs}\uFFFE\uFFFF]/gu, ' ')
  for (let turn = 1; ; turn += 1) {
    const mark = turn === 1 ? '' : ` (${turn})`
    const stem = cutTo(longestSheetName - mark.length, trimmed(plain)) || 'Sheet'
    const tried = `${stem}${mark}`
    // Excel reserves this name for a list of changes.
    if (taken.has(tried.toLowerCase()) || tried.toLowerCase() === 'history') continue
    taken.add(tried.toLowerCase())
    return tried
  }
}

const trimmed = (text: string): string => text.replace(/^[' ]+|[' ]+$/g, '')

/** Truncates a text, never within a user-perceived character. */
function cutTo(longest: number, text: string): string {
  let cut = ''
  for (const character of charactersOf(text)) {
    if (cut.length + character.length > longest) break
    cut += character
  }
  return trimmed(cut)
}

const tooLong = () => invalid("These rows don't fit a sheet (1,048,576). Save them as CSV instead.")
