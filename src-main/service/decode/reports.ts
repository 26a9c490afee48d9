import type { OverviewAnswer, TableAnswer, Unknown } from '../../../src-shared/service/answers.ts'
import { dimensionEntry, dimensionNames, headersOf } from '../../../src-shared/service/dimensions.ts'
import type { EndpointPath } from '../../../src-shared/service/endpoints.ts'
import { familyNames } from '../../../src-shared/service/families.ts'
import { decodeChart } from './chart.ts'
import { decodeEcho, decodePagedEcho } from './echo.ts'
import { decodeMembers } from './members.ts'
import type { Members } from './members.ts'
import { decodeTable } from './table.ts'
import type { TableKind } from './table.ts'
import { decodeTotals } from './totals.ts'

/** Each table's kind by its path, from the interface as data. */
const tableKinds: ReadonlyMap<string, TableKind> = new Map(
  familyNames.flatMap((family) =>
    dimensionNames.map((dimension): [string, TableKind] => {
      const [header = null, ...counts] = headersOf(family, dimension)
      return [
        `${family}/${dimension}`,
        { label: dimensionEntry(dimension).label, header, counts: new Set(counts) },
      ]
    }),
  ),
)

const anyTable: TableKind = { label: 'text', header: null, counts: new Set() }

const withoutEmpty = (parts: Readonly<Record<string, Unknown>>): Unknown =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))

/** A chart that was not recognised is kept among the unknown members. */
function unknownOf(
  answer: Members,
  known: readonly string[],
  parts: Readonly<Record<string, Unknown>>,
): Unknown {
  return { ...decodeMembers(answer, new Set([...known, 'token'])), ...withoutEmpty(parts) }
}

const knownBeside = (chart: unknown, answer: Members, known: readonly string[]): readonly string[] =>
  chart !== null || !answer['chart'] ? [...known, 'chart'] : known

/** An overview: `total` and `query`, and a chart where one was asked for. */
export function decodeOverview(answer: Members): OverviewAnswer {
  const { total, others } = decodeTotals(answer['total'])
  const chart = decodeChart(answer['chart'])
  const known = knownBeside(chart, answer, ['total', 'query'])
  return {
    total,
    chart,
    query: decodeEcho(answer['query']),
    unknown: unknownOf(answer, known, { total: others }),
  }
}

/** A table endpoint: `total`, `table` and `query`, and a chart where one was asked for. */
export function decodeTableAnswer(answer: Members, path: EndpointPath): TableAnswer {
  const totals = decodeTotals(answer['total'])
  const read = decodeTable(answer['table'], tableKinds.get(path) ?? anyTable)
  const chart = decodeChart(answer['chart'])
  const known = knownBeside(chart, answer, ['total', 'table', 'query'])
  return {
    total: totals.total,
    table: read.table,
    chart,
    query: decodePagedEcho(answer['query'], read.table.rows.length),
    unknown: unknownOf(answer, known, { total: totals.others, table: read.others }),
  }
}
