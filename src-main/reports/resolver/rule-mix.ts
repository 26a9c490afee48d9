import { headersOf } from '#shared/api/dimensions.ts'
import type { Cell, Chart, Count } from '#shared/api/answers.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import { ruleMixKey, ruleMixQuery } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { byCodePoints } from '#shared/values/text.ts'
import type { Day } from '#shared/values/day.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Computed } from '../engine/table-calls.ts'
import { fromHeads } from '../engine/totals.ts'
import { fewestMissing } from './saved-elsewhere.ts'
import { nothingOf, overRange } from './figures-of-query.ts'
import type { Resolvable } from './figures-of-query.ts'
import type { QueryResolver } from './query-resolver.ts'
import type { ResolverContext } from './resolver-context.ts'
import { requestedRow, rowByDay } from './row-elsewhere.ts'
import type { StoredFigures } from './stored-figures.ts'

/** Counts of the rule sets that a day's requests broke, by code. Null if the day's table has no aggregate row. */
type DayMix = { readonly day: Day; readonly counts: ReadonlyMap<string, Count> | null }

/**
 * Returns the counts of broken rule sets by day. Stored days answer without a request; `load` fetches the others. If days are
 * missing, the failure says what loading them takes (`costly`), or why they cannot be loaded.
 * @throws DeskFailure with that failure if no day is stored
 */
export async function ruleMixOf(
  context: ResolverContext,
  resolver: QueryResolver,
  stored: StoredFigures,
  { account, query, load }: CallArgument<'reports/rule-mix'>,
): Promise<TrendAnswer> {
  const run = { account, key: ruleMixKey(query), force: load }
  const find = () => mixOfQuery(context, account, query)
  const own = load ? null : await resolver.answerStored(run, find)
  // Days that may have changed since are fetched again behind the answer.
  if (load || own?.provenance.missing.length === 0) return await resolver.answer(run, find)
  const ofRow = await resolver.during(run, (ending) => mixOfRow(context, account, query, ending))
  const found = fewestMissing([own, ofRow])
  if (found?.provenance.missing.length === 0) return found
  const failure = await notLoaded(context, stored, account, query)
  if (!found) throw new DeskFailure(nothingOf(find().needs, failure))
  return { ...found, provenance: { ...found.provenance, failure } }
}

/** Why the missing days of a mix were not loaded. */
async function notLoaded(
  context: ResolverContext,
  stored: StoredFigures,
  account: AccountId,
  query: TableQuery,
): Promise<Failure> {
  const obstacle = context.connections.obstacle(account)
  if (obstacle) return obstacle
  const { requests, milliseconds } = await stored.estimate(account, [ruleMixQuery(query)])
  const message = 'The rule sets of these days are not saved.'
  return { kind: 'costly', message, cost: { calls: requests, milliseconds, more: 0 } }
}

/** Resolves the mix from whole tables of single days with rule sets. The service has no chart of rule sets. */
function mixOfQuery(
  { catalogue }: ResolverContext,
  account: AccountId,
  request: TableQuery,
): Resolvable<Chart, TrendAnswer> {
  const query = ruleMixQuery(request)
  return {
    account,
    key: ruleMixKey(request),
    force: false,
    needs: [
      { catalogued: catalogue.subject(account, query, 'whole days'), range: query.range, asSeen: true },
    ],
    compute: ([plan]) => Promise.resolve(mixIn(plan?.tables ?? [], query)),
    page: null,
    show: (chart, provenance) => ({ chart, provenance }),
  }
}

const mixIn = (tables: readonly StoredTable[], query: TableQuery): Computed<Chart> =>
  fromHeads(tables, (parts) => {
    const days = parts.map(({ headers, all, range }): DayMix => ({
      day: range.start,
      counts: all && countsIn(query, headers, all.cells),
    }))
    return overRange(chartOf(days), query.range)
  })

/** The mix of a report that is limited to one row, from the stored tables of all rows; null without any. */
async function mixOfRow(
  context: ResolverContext,
  account: AccountId,
  request: TableQuery,
  signal: AbortSignal,
): Promise<TrendAnswer | null> {
  const query = ruleMixQuery(request)
  const row = requestedRow(query)
  if (row === null) return null
  const away = { account, failure: null, signal }
  const found = await rowByDay(context, row, away, ({ day, headers, all, cells }) => ({
    day,
    // A row without requests broke nothing.
    counts: countsIn(query, headers, cells ?? (all ?? []).map(() => 0)),
  }))
  return found && { chart: overRange(chartOf(found.figures), query.range), provenance: found.provenance }
}

/** Every column that the specification does not name is a rule set's. */
function countsIn(
  { family, dimension }: TableQuery,
  headers: readonly string[],
  cells: readonly Cell[],
): ReadonlyMap<string, Count> {
  const standard = headersOf(family, dimension)
  const columns = headers.slice(1).map((header, place) => [header, cells[place] ?? null] as const)
  return new Map(
    columns.flatMap(([header, cell]) =>
      standard.includes(header) ? [] : [[header, typeof cell === 'number' ? cell : null] as const],
    ),
  )
}

/** Chart with a series for each code. A rule set without a column broke on no request that day. */
function chartOf(days: readonly DayMix[]): Chart {
  const codes = new Set(days.flatMap(({ counts }) => [...(counts?.keys() ?? [])]))
  return {
    days: days.map(({ day }) => day),
    series: [...codes].sort(byCodePoints).map((header) => ({
      header,
      values: days.map(({ counts }) =>
        counts === null ? null : counts.has(header) ? (counts.get(header) ?? null) : 0,
      ),
    })),
  }
}
