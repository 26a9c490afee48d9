import { headersOf } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import { families } from '#shared/api/families.ts'
import type { Family } from '#shared/api/families.ts'
import { dayToWire, daysOf } from '#shared/values/day.ts'
import { encoded } from '../contracts/handler.ts'
import type { SandboxRequest } from '../contracts/handler.ts'
import type { Events } from '../events/index.ts'
import { countUnder } from './counts.ts'
import { rangeOf } from './selection.ts'
import type { Selection } from './selection.ts'
import { tally } from './tally.ts'

/** What a chart shows of each family, in an order that is not the table's (field notes: additions to tables). */
const charted: Readonly<Record<Family, readonly string[]>> = {
  direct: ['Suspect', 'Non-Suspect'],
  script: ['Bad', 'Warning', 'Good', 'Responses', 'Requests', 'Mobile', 'Ad Blocker'],
}

/** Rows of arrays: a header, then one for each day of the range. Filters apply; search does not. */
function dailyRows(
  request: SandboxRequest,
  events: Events,
  selection: Selection,
  family: Family,
  dimension: Dimension | undefined,
): unknown[][] {
  const counts = dimension ? headersOf(family, dimension) : families[family].counts
  const headers = charted[family].filter((value) => counts.some((header) => header === value))
  const readings = headers.map(countUnder)
  const rows = daysOf(rangeOf(request)).map((day) => {
    const { first, end } = events.span({ start: day, end: day })
    const sum = tally(selection, first, end)
    return [String(dayToWire(day)), ...readings.map((read) => read(sum, 0))]
  })
  return [['Date', ...headers].map(encoded), ...rows]
}

/** The member `chart` of an answer, where it was asked for and this service gives it. */
export function chartMember(
  request: SandboxRequest,
  events: Events,
  selection: Selection,
  family: Family,
  dimension: Dimension | undefined,
): { readonly chart?: unknown } {
  if (request.parameters['chart'] !== true) return {}
  switch (request.behaviour.charts) {
    case 'none':
      return {}
    case 'unknown-shape':
      return { chart: { kind: 'line', points: { '1': [2, 3] } } }
    case 'direct-overview':
      if (request.path !== 'direct/overview') return {}
      return { chart: dailyRows(request, events, selection, family, dimension) }
    case 'all':
      return { chart: dailyRows(request, events, selection, family, dimension) }
  }
}
