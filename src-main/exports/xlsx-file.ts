import { once } from 'node:events'
import { Writable } from 'node:stream'
import { WorkbookWriter } from '@cj-tech-master/excelts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'
import type { Facts } from './facts.ts'
import { comparedFact, knownOf, oldestOf } from './facts.ts'
import { cellText } from './safe-text.ts'
import type { Out, TableWriter } from './table-writer.ts'

/** What a sheet of the format holds, its header line included. */
const MAX_ROWS = 1_048_576
const LONGEST_SHEET_NAME = 31
const LABEL_WIDTH = 44
const formats = {
  label: '@',
  count: '#,##0',
  rate: '0.00%',
  change: '+#,##0;-#,##0;0',
  daily: '+#,##0.00;-#,##0.00;0',
  proportion: '+0.0%;-0.0%;0.0%',
  points: '+0.00;-0.00;0.00',
} as const
const DATE = 'yyyy-mm-dd'
const MOMENT = 'yyyy-mm-dd hh:mm'

type Worksheet = ReturnType<WorkbookWriter['addWorksheet']>
type Line = readonly [name: string, value: string | number | Date, format?: string]

/** Tables as sheets of one workbook; a last sheet “About” says what is to be known of them. */
export function xlsxFile(file: Out): TableWriter {
  const stream = streamInto(file)
  const by = 'Traffic Desk'
  const workbook = new WorkbookWriter({ stream, useStyles: true, creator: by, lastModifiedBy: by })
  const names = new Set<string>(['about'])
  const about: Line[][] = []
  let open: { readonly sheet: Worksheet; readonly columns: readonly ExportColumn[]; rows: number } | null =
    null

  const written = async () => {
    if (stream.errored) throw stream.errored
    if (stream.writableNeedDrain) await once(stream, 'drain')
  }
  const end = async () => {
    if (open === null) return
    const { sheet, columns, rows } = open
    sheet.autoFilter = { from: { row: 1, col: 1 }, to: { row: rows, col: columns.length } }
    sheet.commit()
    open = null
    await written()
  }
  return {
    begin: async ({ name, columns, facts, above = [] }) => {
      await end()
      const sheet = workbook.addWorksheet(sheetName(name, names), {
        views: [{ state: 'frozen', ySplit: 1 + above.length }],
      })
      sheet.columns = columns.map(({ header, kind }) => ({
        header: cellText(header),
        width: kind === 'label' ? LABEL_WIDTH : Math.min(30, Math.max(11, header.length + 4)),
        style: { numFmt: formats[kind] },
      }))
      const titles = sheet.getRow(1)
      titles.font = { bold: true }
      titles.commit()
      for (const row of above) {
        const all = sheet.addRow(columns.map((column) => cellOf(valueAt(row, column), column)))
        all.font = { bold: true }
        all.commit()
      }
      open = { sheet, columns, rows: 1 + above.length }
      about.push(linesOf(name, facts, columns))
      await written()
    },
    rows: async (rows) => {
      if (open === null) throw new TypeError('Rows belong to a sheet')
      const { sheet, columns } = open
      open.rows += rows.length
      if (open.rows > MAX_ROWS) throw tooLong()
      for (const row of rows)
        sheet.addRow(columns.map((column) => cellOf(valueAt(row, column), column))).commit()
      await written()
    },
    absent: async (name, words) => {
      await end()
      const sheet = workbook.addWorksheet(sheetName(name, names))
      sheet.addRow([cellText(`Not available: ${words}`)]).commit()
      sheet.commit()
      about.push([
        ['Sheet', name],
        ['Not available', words],
      ])
      await written()
    },
    finish: async () => {
      await end()
      writeAbout(workbook.addWorksheet('About'), about)
      await workbook.commit()
    },
  }
}

/** The library waits for a stream to close, and whoever opened the file closes it: so the stream is not the file's own. */
function streamInto(file: Out): Writable {
  const stream = new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      file.appendFile(chunk).then(() => done(), done)
    },
  })
  // It is looked at before each step; until then nobody listens.
  stream.on('error', () => undefined)
  return stream
}

/** Rates and proportions come in percent; a cell with the format of percentages holds the share. */
function cellOf(value: string | number | null, { kind }: ExportColumn): string | number | null {
  if (typeof value === 'string') return cellText(value)
  return (kind === 'rate' || kind === 'proportion') && value !== null ? value / 100 : value
}

function writeAbout(sheet: Worksheet, about: readonly Line[][]): void {
  sheet.columns = [{ width: 20 }, { width: 60 }]
  for (const lines of about) {
    for (const [name, value, format] of lines) {
      const row = sheet.addRow([cellText(name), typeof value === 'string' ? cellText(value) : value])
      row.getCell(1).font = { bold: true }
      if (format !== undefined) row.getCell(2).numFmt = format
      row.commit()
    }
    sheet.addRow([]).commit()
  }
  sheet.commit()
}

const ratesWords = { service: 'Computed by the service', desk: 'Computed by Traffic Desk from the counts' }

/** What is known of a sheet's figures, and the table's totals. */
function linesOf(name: string, facts: Facts, columns: readonly ExportColumn[]): Line[] {
  const { all } = facts
  return [
    ['Sheet', name],
    ['Account', facts.account],
    ['Report', facts.report],
    ['First day', new Date(facts.range.start), DATE],
    ['Last day', new Date(facts.range.end), DATE],
    ...facts.filters.map((filter): Line => [filter.name, filter.value]),
    ['Figures of (UTC)', new Date(oldestOf(facts)), MOMENT],
    ...knownOf(facts).flatMap(({ key, name: known, words }): Line[] =>
      key === 'fetchedAt' ? [] : [[known, words]],
    ),
    ...(facts.compared === null ? [] : [['Compared with', comparedFact(facts.compared)] as const]),
    ...(facts.ratesBy === 'nobody' ? [] : [['Rates', ratesWords[facts.ratesBy]] as const]),
    ['Rows found', facts.results, formats.count],
    ...(all === null
      ? []
      : columns
          .filter(({ kind }) => kind !== 'label')
          .flatMap((column): Line[] => {
            const value = cellOf(valueAt(all, column), column)
            return value === null ? [] : [[`All: ${column.header}`, value, formats[column.kind]]]
          })),
  ]
}

/** A sheet's name: 31 characters, without what the format keeps for itself, and not twice. */
export function sheetName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[[\]:*?/\\\p{Cc}\p{Cs}]/gu, ' ').replace(/^[' ]+|[' ]+$/g, '')
  const stem = plain === '' ? 'Sheet' : plain
  for (let turn = 1; ; turn += 1) {
    const mark = turn === 1 ? '' : ` (${turn})`
    const tried = `${[...stem]
      .join('')
      .slice(0, LONGEST_SHEET_NAME - mark.length)
      .trim()}${mark}`
    if (taken.has(tried.toLowerCase())) continue
    taken.add(tried.toLowerCase())
    return tried
  }
}

const tooLong = () =>
  new DeskFailure({
    kind: 'invalid',
    message: 'A sheet holds 1,048,576 rows and this table has more. Save it as CSV instead.',
  })
