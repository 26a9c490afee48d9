import type { Echo, PagedEcho } from '../../../src-shared/service/answers.ts'
import { decodeMembers, members, optionalMembers, whole } from './members.ts'

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

/** The echo of an endpoint that pages: `results` and `pages` must be there, the rest is for reading. */
export function decodePagedEcho(query: unknown): PagedEcho {
  const { results, pages } = members(query, 'query')
  return {
    results: whole(results, 'query.results'),
    pages: whole(pages, 'query.pages'),
    echo: supplied(query, neverOrPaging),
  }
}
