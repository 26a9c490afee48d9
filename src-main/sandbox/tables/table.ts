import { dimensionEntry, headersOf, totalsOf } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/families.ts'
import type { ArgumentsOf } from '#shared/api/parameters.ts'
import type { tableParameters } from '#shared/api/endpoints.ts'
import { encoded } from '../contracts/handler.ts'
import type { Handler, SandboxRequest } from '../contracts/handler.ts'
import { ALL_INSTANCES } from '../events/catalogue/labels.ts'
import type { Events } from '../events/index.ts'
import { matcher } from '../request/match.ts'
import { pageOf } from '../request/pages.ts'
import { checkWindow } from '../request/window.ts'
import { wireId } from '../request/wire-id.ts'
import { chartMember } from './chart.ts'
import { columnsOf } from './columns.ts'
import { eventsIn, totalOf } from './counts.ts'
import { grouping } from './groups.ts'
import type { Grouping } from './groups.ts'
import { rangeOf, selectionFor } from './selection.ts'
import { sortRows } from './sort-rows.ts'
import type { SortColumns } from './sort-rows.ts'
import { sumOf, tally } from './tally.ts'
import type { Tally } from './tally.ts'

/** The first cell of each row, and of the row `all`: for sessions an encoded JSON object, elsewhere text and false. */
function labelCells(dimension: Dimension, events: Events, request: SandboxRequest, rows: Grouping) {
  const isInstance = dimensionEntry(dimension).label === 'instance'
  const instance = (id: number | string, name: string) => encoded(JSON.stringify({ id, name }))
  return {
    all: isInstance ? instance(ALL_INSTANCES, ALL_INSTANCES) : false,
    row: (row: number) => {
      const named = isInstance ? events.instances[row] : undefined
      return named ? instance(wireId(named.id, request), named.name) : encoded(rows.labels[row] as string)
    },
  }
}

/** Rows that stand for events and are met by the search, sorted. */
function rowsFound(
  counts: Tally,
  rows: Grouping,
  columns: SortColumns,
  { search, startswith, sort }: ArgumentsOf<typeof tableParameters>,
): number[] {
  const isMet = matcher(search, startswith ?? false)
  const found = [...rows.labels.keys()].filter(
    (row) => eventsIn(counts, row) > 0 && isMet(rows.labels[row] as string),
  )
  return sortRows(found, sort, columns, counts, rows)
}

/** Answers a family's table by one dimension (specification: table). */
export function tableHandler(events: Events, family: Family, dimension: Dimension): Handler {
  const rows = grouping(dimension)
  const headers = headersOf(family, dimension)
  return (request) => {
    checkWindow(rangeOf(request), request.behaviour.windows.tables)
    const asked = request.parameters as ArgumentsOf<typeof tableParameters>
    const selection = selectionFor(request, events, family, dimension)
    const { first, end } = events.span(rangeOf(request))
    const counts = tally(selection, first, end, rows)
    const sortable = { headers, from: request.behaviour.sortColumnsFrom }
    const found = rowsFound(counts, rows, sortable, asked)
    const { items, counts: pages } = pageOf(found, asked)
    const sum = sumOf(counts, request.behaviour.searchedAll === 'found' && asked.search ? found : undefined)
    const additions = {
      rates: asked.rates ? request.behaviour.rates : 'none',
      rules: (asked.rules ?? false) && request.behaviour.rules,
    } as const
    const columns = columnsOf(family, dimension, additions, sum)
    const labels = labelCells(dimension, events, request, rows)
    return {
      total: totalOf(totalsOf(family, dimension), sum),
      table: {
        headers: [headers[0] as string, ...columns.map((column) => column.header)].map(encoded),
        all: [labels.all, ...columns.map(({ cell }) => cell(sum, 0))],
        rows: items.map((row) => [labels.row(row), ...columns.map(({ cell }) => cell(counts, row))]),
      },
      ...chartMember(request, events, selection, family, dimension),
      query: { ...request.echo, ...pages },
    }
  }
}
