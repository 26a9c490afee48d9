import type { ReportQuery } from './query.ts'
import { normalise } from './query.ts'

/**
 * What a query is about, whatever days, order and part of it are looked at: family, dimension, and every filter. Tables of
 * one subject add up over days. Rule sets belong to it, because a table fetched without them knows nothing of them.
 */
export function subjectOf(asked: ReportQuery): string {
  const query = normalise(asked)
  const written = new URLSearchParams()
  for (const name of ['instance', 'source', 'campaign'] as const) {
    const value = query[name]
    if (value !== null) written.set(name, value)
  }
  if (query.kind === 'overview') return `${query.family}/overview?${written}`
  for (const [name, value] of Object.entries(query.filters)) written.set(name, value)
  if (query.rules) written.set('rules', '1')
  return `${query.family}/${query.dimension}?${written}`
}
