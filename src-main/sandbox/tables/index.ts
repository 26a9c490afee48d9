import { dimensionNames, totalsOf } from '#shared/api/dimensions.ts'
import { familyNames } from '#shared/api/families.ts'
import type { Family } from '#shared/api/families.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import type { Handler } from '../contracts/handler.ts'
import type { Events } from '../events/index.ts'
import { checkWindow } from '../request/window.ts'
import { chartMember } from './chart.ts'
import { totalOf } from './counts.ts'
import { rangeOf, selectionFor } from './selection.ts'
import { tableHandler } from './table.ts'
import { tally } from './tally.ts'

/** Answers a family's overview: `total` and, where asked for, `chart`. */
function overviewHandler(events: Events, family: Family): Handler {
  return (request) => {
    checkWindow(rangeOf(request), request.behaviour.windows.overview)
    const selection = selectionFor(request, events, family, undefined)
    const { first, end } = events.span(rangeOf(request))
    return {
      total: totalOf(totalsOf(family), tally(selection, first, end)),
      ...chartMember(request, events, selection, family, undefined),
      query: request.echo,
    }
  }
}

/** The handlers of the 16 tables and the two overviews, made from the interface as data. */
export function reportHandlers(events: Events): ReadonlyMap<string, Handler> {
  const tables = familyNames.flatMap((family) =>
    dimensionNames.flatMap((dimension): [string, Handler][] => {
      const path = tablePath(family, dimension)
      return path ? [[path, tableHandler(events, family, dimension)]] : []
    }),
  )
  const overviews = familyNames.map((family): [string, Handler] => [
    `${family}/overview`,
    overviewHandler(events, family),
  ])
  return new Map([...tables, ...overviews])
}
