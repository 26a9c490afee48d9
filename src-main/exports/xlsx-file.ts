import { Writable } from 'node:stream'
import type { TableRow } from '#shared/api/answers.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'
import type { Facts } from './facts.ts'
import { comparedFact, knownOf, oldestOf } from './facts.ts'
import type { Out, TableWriter } from './table-writer.ts'
import { openWorkbook } from './workbook.ts'
import type { SheetCell } from './workbook.ts'

const formats = {
  label: '@',
  day: 'yyyy-mm-dd',
  count: '#,##0',
  rate: '0.00%',
  change: '+#,##0;-#,##0;0',
  daily: '+#,##0.00;-#,##0.00;0',
  proportion: '+0.0%;-0.0%;0.0%',
  points: '+0.00;-0.00;0.00',
} as const
const MOMENT = 'yyyy-mm-dd hh:mm'

type Line = readonly [name: string, value: SheetCell]

/**
 * Writes tables as sheets of one workbook, with totals below the rows. A last sheet “About” contains the facts.
 * @param options whether the workbook has charts
 */
export async function xlsxFile(
  file: Out,
  { charts = false }: { readonly charts?: boolean } = {},
): Promise<TableWriter> {
  const workbook = await openWorkbook(streamInto(file), charts)
  const about: Line[][] = []
  let columns: readonly ExportColumn[] = []
  let links: readonly string[] = []
  const cellsOf = (row: TableRow) =>
    columns.map((column) => {
      const cell = cellOf(valueAt(row, column), column)
      return column.place === 0 ? linked(cell, links) : cell
    })
  return {
    begin: async (sheet) => {
      columns = sheet.columns
      links = sheet.links ?? []
      if (sheet.facts) about.push(linesOf(sheet.name, sheet.facts, columns))
      await workbook.sheet(
        sheet.name,
        columns.map(({ header, kind }) => ({ header, format: formats[kind] })),
        {
          totals: (sheet.above ?? []).map(cellsOf),
          frozen: sheet.kind === undefined ? 1 : 0,
          kind: sheet.kind ?? 'table',
          chart: sheet.chart,
        },
      )
    },
    rows: (rows) => workbook.add(rows.map(cellsOf)),
    absent: async (name, words) => {
      await workbook.sheet(name, [{ header: `Not available: ${words}` }], { kind: 'facts' })
      about.push([
        ['Sheet', name],
        ['Not available', words],
      ])
    },
    finish: async () => {
      await workbook.sheet('About', [{ header: 'What' }, { header: 'Value' }], { kind: 'facts' })
      await workbook.add(about.flatMap((lines) => [...lines, []]))
      return { cut: await workbook.finish() }
    },
  }
}

/** The library waits for its stream to close, but the caller closes the file: a stream of its own separates the two. */
const streamInto = (file: Out): Writable =>
  new Writable({
    write: (chunk: Uint8Array, _encoding, done) => {
      file.appendFile(chunk).then(() => done(), done)
    },
  })

/** Makes the name of a sheet lead to that sheet. */
const linked = (cell: SheetCell, links: readonly string[]): SheetCell =>
  typeof cell === 'string' && links.includes(cell) ? { text: cell, sheet: cell } : cell

/** Rates and proportions are in percent; a cell with a percent format holds the fraction. */
function cellOf(value: string | number | null, { kind }: ExportColumn): string | number | Date | null {
  if (kind === 'day' && typeof value === 'string') return new Date(value)
  return (kind === 'rate' || kind === 'proportion') && typeof value === 'number' ? value / 100 : value
}

const ratesWords = { service: 'Computed by the service', desk: 'Computed by Traffic Desk from the counts' }

/** Facts about a sheet's figures, and the table's totals. */
function linesOf(name: string, facts: Facts, columns: readonly ExportColumn[]): Line[] {
  const { all } = facts
  return [
    ['Sheet', name],
    ['Account', facts.account],
    ['Report', facts.report],
    ['First day', { value: new Date(facts.range.start), format: formats.day }],
    ['Last day', { value: new Date(facts.range.end), format: formats.day }],
    ...facts.filters.map((filter): Line => [filter.name, filter.value]),
    ['Updated (UTC)', { value: new Date(oldestOf(facts)), format: MOMENT }],
    ...knownOf(facts).flatMap(({ key, name: known, words }): Line[] =>
      key === 'fetchedAt' ? [] : [[known, words]],
    ),
    ...(facts.compared === null ? [] : [['Compared with', comparedFact(facts.compared)] as const]),
    ...(facts.ratesBy === 'nobody' ? [] : [['Rates', ratesWords[facts.ratesBy]] as const]),
    ['Rows found', { value: facts.results, format: formats.count }],
    ...(all === null
      ? []
      : columns
          .filter(({ kind }) => kind !== 'label')
          .flatMap((column): Line[] => {
            const value = cellOf(valueAt(all, column), column)
            if (value === null) return []
            const format = formats[column.kind]
            return [[`All: ${column.header}`, typeof value === 'number' ? { value, format } : value]]
          })),
  ]
}
