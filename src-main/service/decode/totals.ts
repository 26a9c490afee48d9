import type { Count, Totals, Unknown } from '../../../src-shared/service/answers.ts'
import { totalWords } from '../../../src-shared/service/families.ts'
import { malformed } from '../service-failure.ts'
import { count, decodeMembers, members, numberOf } from './members.ts'

/**
 * Reads `total` (specification: summary totals). Counts that no specification names are kept beside the others;
 * members that are no counts come back apart.
 */
export function decodeTotals(value: unknown): { readonly total: Totals; readonly others: Unknown } {
  const found = members(value, 'total')
  const total: Record<string, Count> = {}
  const counted = new Set<string>()
  for (const name of Object.keys(found)) {
    const specified = Object.hasOwn(totalWords, name)
    if (name === '__proto__' || !(specified || found[name] === null || numberOf(found[name]) !== undefined))
      continue
    total[name] = count(found[name], `total.${name}`)
    counted.add(name)
  }
  if (counted.size === 0) throw malformed('total has no counts')
  return { total, others: decodeMembers(found, counted) }
}
