import { labelText } from '../../src-shared/reports/rows.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import type { ExportColumn } from './columns.ts'
import { valueAt } from './columns.ts'
import type { Out, TableWriter } from './table-writer.ts'

/**
 * One table as JSON: what is to be known of the figures, then `rows`, an object each by header. An instance is an object
 * with id and name; rates are in percent; a header that stands twice is numbered.
 */
export function jsonFile(file: Out): TableWriter {
  let members: readonly Member[] = []
  let first = true
  return {
    begin: async ({ columns, facts, above = [] }) => {
      members = membersOf(columns)
      const { all: plain, fetchedAt, range, missing, restated, ...rest } = facts
      const known = {
        ...rest,
        ...range,
        fetchedAt: new Date(fetchedAt).toISOString(),
        missing,
        partial: missing.length > 0,
        restated: restated && { days: restated.days, latest: new Date(restated.latest).toISOString() },
        headers: columns.map(({ header }) => header),
      }
      const all = above.find(({ label }) => label.kind === 'all') ?? plain
      const total = all ? written(all, members) : 'null'
      await file.appendFile(
        `${JSON.stringify(known, null, 2).slice(0, -2)},\n  "all": ${total},\n  "rows": [`,
      )
    },
    rows: async (rows) => {
      const text = rows.map((row) => `\n    ${written(row, members)}`).join(',')
      if (text !== '') await file.appendFile(first ? text : `,${text}`)
      first &&= text === ''
    },
    absent: () => Promise.resolve(),
    finish: () => file.appendFile('\n  ]\n}\n'),
  }
}

type Member = { readonly name: string; readonly column: ExportColumn }

/** Names as text of JSON already: an object of JavaScript would trip over a header such as `__proto__`. */
function membersOf(columns: readonly ExportColumn[]): Member[] {
  const taken = new Set<string>()
  return columns.map((column) => {
    let name = column.header
    for (let turn = 2; taken.has(name); turn += 1) name = `${column.header} (${turn})`
    taken.add(name)
    return { name: JSON.stringify(name), column }
  })
}

const written = (row: TableRow, members: readonly Member[]): string =>
  `{${members.map(({ name, column }) => `${name}: ${valueOf(row, column)}`).join(', ')}}`

function valueOf(row: TableRow, column: ExportColumn): string {
  if (column.kind !== 'label') return JSON.stringify(valueAt(row, column))
  const { label } = row
  return JSON.stringify(label.kind === 'instance' ? { id: label.id, name: label.name } : labelText(label))
}
