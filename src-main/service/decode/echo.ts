import type { Echo, PagedEcho } from '../../../src-shared/service/answers.ts'
import { limits } from '../../../src-shared/service/limits.ts'
import { decodeMembers, members, numberOf, optionalMembers, whole } from './members.ts'

const never = new Set(['token'])
const neverOrPaging = new Set(['token', 'results', 'pages'])

/** Parameters that hold an id, which a service echoes as a number or as text. */
const ids = ['instance', 'raw'] as const

/** What was supplied, as the service echoes it: `false` means that it was not (specification: conventions). */
function supplied(query: unknown, without: ReadonlySet<string>): Echo {
  const echo: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(decodeMembers(optionalMembers(query, 'query'), without))) {
    if (value !== false) echo[name] = value
  }
  for (const name of ids) {
    if (typeof echo[name] === 'number') echo[name] = String(echo[name])
  }
  return echo
}

/** The echo of an endpoint that does not page. The token is left out, whatever a service echoes. */
export function decodeEcho(query: unknown): Echo {
  return supplied(query, never)
}

/**
 * The echo of an endpoint that pages: `results` must be there, the rest is for reading. Where `pages` is not there, or
 * says that there are none though there are results, it follows from the limit.
 * @param rows how many came, where that tells how many a page has
 */
export function decodePagedEcho(query: unknown, rows?: number): PagedEcho {
  const { results: said, pages, limit } = members(query, 'query')
  const results = whole(said, 'query.results')
  const size = numberOf(limit) ?? 0
  const pageSize = size >= 1 ? size : Math.max(1, rows ?? limits.rowsPerPageByDefault)
  const isAbsent = pages === undefined || pages === null || pages === false
  const known = isAbsent ? 0 : whole(pages, 'query.pages')
  return {
    results,
    pages: known === 0 ? Math.ceil(results / pageSize) : known,
    echo: supplied(query, neverOrPaging),
  }
}
