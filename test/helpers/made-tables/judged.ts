import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { cellsOf, rowsOf } from '#test/src-main/archives/helpers.ts'
import type { RowsDesk } from '#test/src-main/archives/helpers.ts'
import { adTables } from './ads.ts'
import { affiliateTables, fraudTables } from './affiliates.ts'
import { analyticsTables } from './analytics.ts'
import { logTables } from './logs.ts'
import type { MadeTable } from './made-table.ts'
import { databaseTables, programTables, sheetTables } from './spreadsheets.ts'
import { trackerTables } from './trackers.ts'

/** Tables as exports write them, of every family. */
export const exportedTables = (): readonly MadeTable[] => [
  ...adTables(),
  ...analyticsTables(),
  ...trackerTables(),
  ...logTables(),
  ...affiliateTables(),
  ...fraudTables(),
  ...sheetTables(),
  ...programTables(),
  ...databaseTables(),
]

/** How a table was read: what the import said of it, and what was wrong in words. */
export type Judged = {
  readonly table: MadeTable
  readonly isSure: boolean
  readonly wrong: readonly string[]
}

/** Reads a table in and compares it with its answer. */
export async function judge(desk: RowsDesk, table: MadeTable): Promise<Judged> {
  const entry = await desk.importArchive(table.bytes).catch((error: unknown) => String(error))
  if (typeof entry === 'string') return { table, isSure: false, wrong: [entry] }
  const isSure = entry.readAs?.every(({ doubts }) => doubts.length === 0) ?? false
  return { table, isSure, wrong: await differences(desk, entry, table) }
}

async function differences(desk: RowsDesk, entry: RowsEntry, { answer }: MadeTable): Promise<string[]> {
  const [readAs] = entry.readAs ?? []
  const header = readAs?.hasHeader ? entry.columns.map(({ name }) => name) : null
  const named =
    answer.header?.map((name, place) => (name.trim() === '' ? `Column ${place + 1}` : name)) ?? null
  const cells = await cellsOf(desk, rowsOf([entry]))
  const first = cells.findIndex((row, nth) => row.join('\n') !== answer.rows[nth]?.join('\n'))
  const found: readonly (readonly [what: string, is: unknown, right: unknown])[] = [
    ['encoding', readAs?.encoding, answer.encoding],
    ['delimiter', readAs?.delimiter, answer.delimiter],
    ['header', header, named],
    ['rows', cells.length, answer.rows.length],
    [`row ${first}`, cells[first], answer.rows[first]],
    ['unreadable', entry.unreadable <= answer.others, true],
    ...[...answer.kinds].map(
      ([place, kind]) => [`kind of ${place}`, entry.columns[place]?.kind, kind] as const,
    ),
    [
      'odd cells',
      entry.columns.filter((_, place) => answer.kinds.has(place)).some(({ odd = 0 }) => odd > 0),
      false,
    ],
  ]
  return found.flatMap(([what, is, right]) => {
    const [text, expected] = [JSON.stringify(is), JSON.stringify(right)]
    return text === expected ? [] : [`${what}: ${text}, not ${expected}`]
  })
}

/** How many tables of a family fell where. */
export type Precision = {
  readonly family: string
  readonly sureRight: number
  readonly sureWrong: number
  readonly doubtRight: number
  readonly doubtWrong: number
}

/** What was judged, by family. */
export function precisionOf(all: readonly Judged[]): readonly Precision[] {
  return [...new Set(all.map(({ table }) => table.family))].map((family) => {
    const count = (isSure: boolean, isRight: boolean) =>
      all.filter(
        (one) => one.table.family === family && one.isSure === isSure && (one.wrong.length === 0) === isRight,
      ).length
    return {
      family,
      ...{ sureRight: count(true, true), sureWrong: count(true, false) },
      ...{ doubtRight: count(false, true), doubtWrong: count(false, false) },
    }
  })
}
