import { dimensionNames } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Day } from '#shared/values/day.ts'
import type { OverviewAddress } from '#shared/views/view-address.ts'
import { explanation } from '#renderer/queries/reports.ts'
import { useQuery } from '#renderer/queries/use-query.svelte.ts'
import { explainQueryOf } from '#renderer/stores/explain.svelte.ts'
import type { Lookup } from '#renderer/stores/lookup.svelte.ts'
import { watchedFigure } from '../reports/changed-figure.ts'

/** Returns the dimensions that are stored with more than one row. */
function comparable(answer: ExplainAnswer | null): readonly Dimension[] {
  return (answer?.dimensions ?? []).flatMap((found) => {
    if (found.kind !== 'explained') return []
    const { named, against, others, unknown } = found.explanation
    const rows = named.length + (against ? 1 : 0) + others.values + unknown
    return rows > 1 ? [found.dimension] : []
  })
}

/**
 * Chooses the dimension of the movers: that of the address, else sources if they are stored, else instances, which one
 * request loads. A single instance moves exactly as the total does, so another stored dimension takes its place. Call it
 * during component initialisation.
 * @returns a function whose result is null until the stored tables are known
 */
export function useMoversDimension(
  account: () => AccountId,
  view: () => { readonly address: OverviewAddress; readonly today: Day },
  instances: Lookup,
): () => Dimension | null {
  const ask = (family: 'script' | 'direct') =>
    useQuery(explanation, account, () => {
      const { address, today } = view()
      const query = address.movers ? null : explainQueryOf(watchedFigure(address, family), today)
      return query && { ...query, load: [] }
    })
  const queries = [ask('script'), ask('direct')]
  return () => {
    const { address } = view()
    if (address.movers) return address.movers
    if (queries.some(({ status }) => status.kind === 'skeleton')) return null
    const stored = queries.flatMap(({ answer }) => comparable(answer))
    if (stored.includes('sources')) return 'sources'
    const isOne = address.instance !== null || instances.results === 1
    if (!isOne) return 'sessions'
    return dimensionNames.find((dimension) => stored.includes(dimension)) ?? 'sources'
  }
}
