import type { Cell } from '#shared/api/answers.ts'
import type { ExportColumn } from '#shared/exports/columns.ts'
import { valueAt } from '#shared/exports/columns.ts'
import type { ParquetColumn } from '#main/reports/engine/table-calls.ts'
import { numbered, openFacts } from './json-file.ts'
import type { Out, TableWriter } from './table-writer.ts'

type ColumnType = ParquetColumn['type']

/** Types of columns, unless their cells need another. */
const usualTypes: Readonly<Record<ExportColumn['kind'], ColumnType>> = {
  ...{ label: 'VARCHAR', day: 'DATE' },
  ...{ count: 'BIGINT', change: 'BIGINT' },
  ...{ rate: 'DOUBLE', daily: 'DOUBLE', proportion: 'DOUBLE', points: 'DOUBLE' },
}

/**
 * Writes the rows of one table as lines, of which the engine makes Parquet once the types of all columns are known. Aggregate
 * rows are among the facts: in a table that is summed they would count twice.
 */
export function parquetLines(file: Out): TableWriter {
  let columns: { readonly column: ExportColumn; readonly name: string; type: ColumnType }[] = []
  let facts = ''
  return {
    begin: (sheet) => {
      const names = columnNames(sheet.columns)
      columns = sheet.columns.map((column, nth) => ({
        ...{ column, name: names[nth] ?? '', type: usualTypes[column.kind] },
      }))
      facts = `${openFacts(sheet)}\n}`
      return Promise.resolve()
    },
    rows: async (rows) => {
      const lines = rows.map((row) => {
        const cells = columns.map((known) => {
          const value = valueAt(row, known.column)
          known.type = widened(known.type, value)
          return value === null ? null : wellFormed(String(value))
        })
        return `${JSON.stringify(cells)}\n`
      })
      await file.appendFile(lines.join(''))
    },
    absent: () => Promise.resolve(),
    finish: () =>
      Promise.resolve({
        cut: [],
        parquet: { columns: columns.map(({ name, type }) => ({ name, type })), facts },
      }),
  }
}

/** Texts without letters and digits, such as `--`, are no figures: the cell is null. Others need a column of texts. */
const saysSomething = /[\p{L}\p{N}]/u

/** Returns the type that a column needs with this value. */
function widened(type: ColumnType, value: Cell): ColumnType {
  if (type === 'VARCHAR' || type === 'DATE' || value === null) return type
  if (typeof value === 'number') return Number.isSafeInteger(value) ? type : 'DOUBLE'
  return saysSomething.test(value) ? 'VARCHAR' : type
}

/** Readers, and the engine, tell names apart regardless of case. */
const columnNames = (columns: readonly ExportColumn[]): readonly string[] =>
  numbered(
    columns.map(({ header }, nth) => wellFormed(header).replaceAll('\0', ' ') || `Column ${nth + 1}`),
    (name) => name.toLowerCase(),
  )

/** Lone surrogates are no Unicode text, which the engine would refuse. */
const wellFormed = (text: string): string => text.replace(/\p{Cs}/gu, '\uFFFD')
