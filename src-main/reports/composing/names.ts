import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { ComposedOf } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/limits.ts'
import { addDays } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { throwIfCancelled } from '#main/lib/async.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Aggregate } from '../engine/aggregate.ts'
import type { Lookups } from '../lookups/lookups.ts'

/** Far more pages than any list has: a service that says so says something wrong. */
const maxPages = 100

export type NamesOptions = {
  readonly signal: AbortSignal
  /** Whether a kept list can be taken for all of them, by when it was fetched. */
  readonly stands: (fetchedAt: Instant) => boolean
}

/**
 * Every source or campaign that occurs in a range, as the look-up lists them; piece by piece where the service answers no
 * longer range.
 * @throws DeskFailure or ServiceFailure where a part of the list cannot be had
 */
export async function namesIn(
  lookups: Pick<Lookups, 'sources' | 'campaigns'>,
  account: AccountId,
  query: TableQuery,
  by: ComposedOf,
  { signal, stands }: NamesOptions,
): Promise<readonly string[]> {
  const own = query[by]
  if (own !== null) return [own]
  const names = new Set<string>()
  const list = async (range: DayRange, page: number) => {
    const { instance, source } = query
    const request = { account, range, instance, page, limit: limits.rowsPerPage }
    const found =
      by === 'source'
        ? await lookups.sources({ ...request, source: null }, stands)
        : await lookups.campaigns({ ...request, source, campaign: null }, stands)
    throwIfCancelled(signal)
    if (found.failure) throw new DeskFailure(found.failure)
    const entries = 'sources' in found.answer ? found.answer.sources : found.answer.campaigns
    // Nothing can be limited to a name without a character.
    for (const name of entries) if (name !== '') names.add(name)
    return { pages: found.answer.query.pages, range: found.narrowed ?? range }
  }
  let rest: DayRange | null = query.range
  while (rest !== null) {
    const { start }: DayRange = rest
    const { pages, range }: { pages: number; range: DayRange } = await list(rest, 1)
    for (let page = 2; page <= Math.min(pages, maxPages); page += 1) await list(range, page)
    rest = range.start > start ? { start, end: addDays(range.start, -1) } : null
  }
  return [...names]
}

/** The same names, those first that are known to be large, by the newest table that is kept of the subject. */
export async function largestFirst(
  aggregate: Pick<Aggregate, 'table'>,
  names: readonly string[],
  query: TableQuery,
  stored: readonly StoredTable[],
): Promise<readonly string[]> {
  const newest = stored.toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
  if (!newest) return names
  const { family, dimension } = query
  const request = { ...plainTable, family, dimension, range: newest.range, limit: limits.rowsPerPage }
  const computed = await aggregate.table({ tables: [newest], query: request }).catch(() => null)
  if (computed?.kind !== 'computed') return names
  const ordered = computed.figures.table.rows.flatMap(({ label }) =>
    label.kind === 'text' ? [label.text] : [],
  )
  const places = new Map(ordered.map((name, place) => [name, place]))
  const placeOf = (name: string) => places.get(name) ?? ordered.length
  return names.toSorted((one, other) => placeOf(one) - placeOf(other))
}
