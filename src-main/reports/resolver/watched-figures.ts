import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { accountDayOf, isSettledFor, settledAfterDays } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { rateBase } from '#shared/reports/rows.ts'
import { addDays, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import { daysRead } from '#shared/watch/alerts.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import { computeFrom, planOf } from '../coverage/plan.ts'
import type { Need } from '../coverage/plan.ts'
import type { WatchedDays } from '../engine/table-calls.ts'
import { judgeTotals, totalsOf } from '../engine/watched-totals.ts'
import type { DayTotals } from '../engine/totals.ts'
import { isPart } from '../history/history.ts'
import type { QueryResolver } from './query-resolver.ts'
import type { ResolverContext } from './resolver-context.ts'

/** Figures to judge: of an overview its totals, of a table its rows. Their days are the last `daysRead`. */
export type WatchedQuery = {
  readonly account: AccountId
  readonly query: ReportQuery
  /** Key with which the judgement can be cancelled, if at all. */
  readonly key?: string
}

export type WatchedAnswer = {
  /** Data scope of the figures. */
  readonly dataScope: DataScopeId
  readonly storedDays: number
  /** In the order of the tasks; null without stored figures. */
  readonly judged: readonly Judged[] | null
}

/** The last `daysRead` days that are over. */
const watchedDays = (today: Day): DayRange => ({
  start: addDays(today, -daysRead),
  end: addDays(today, -1),
})

/**
 * Judges stored figures of single days, all of one data scope and confirmed. Sends no requests. Rows are judged in the
 * engine's process.
 * @param ending ends it with the app
 * @throws DeskFailure if the engine fails, or `cancelled`
 */
export async function judgedFigures(
  context: ResolverContext,
  resolver: QueryResolver,
  watched: WatchedQuery,
  tasks: readonly JudgeTask[],
  ending: AbortSignal,
): Promise<WatchedAnswer> {
  const { account, key } = watched
  const work = (signal: AbortSignal) => judge(context, watched, tasks, signal)
  if (key === undefined) return await work(ending)
  return await resolver.ofOneScope(account, () => resolver.during({ account, key, signal: ending }, work))
}

async function judge(
  context: ResolverContext,
  watched: WatchedQuery,
  tasks: readonly JudgeTask[],
  signal: AbortSignal,
): Promise<WatchedAnswer> {
  const need = needOf(context, watched)
  let storedDays = 0
  const { figures } = await computeFrom(
    context,
    [need],
    async ([plan], ending = signal) => {
      const tables = plan?.tables ?? []
      storedDays = tables.length
      const params = { ...paramsOf(context, watched, need, tables), tasks }
      if (watched.query.kind === 'table')
        return await context.engine.call('judge', { ...params, tables }, ending)
      return { kind: 'computed', figures: await judgeTotals(totalsIn(tables), params, ending) }
    },
    signal,
  )
  return { dataScope: need.catalogued.scope.dataScope, storedDays, judged: figures }
}

/** Returns the stored totals of an account's family, as one row; null without any. */
export async function watchedTotals(
  context: ResolverContext,
  watched: WatchedQuery,
): Promise<NamedFigures | null> {
  const need = needOf(context, watched)
  const { tables } = await planOf(context, need)
  if (tables.length === 0) return null
  const { family, days, header, base } = paramsOf(context, watched, need, tables)
  return totalsOf(totalsIn(tables), { family, days, header, base })
}

function needOf(context: ResolverContext, { account, query }: WatchedQuery): Need {
  const kind = query.kind === 'table' ? 'whole days' : 'daily totals'
  const { accounts, clock } = context
  const range = watchedDays(accountDayOf(clock.now(), accounts.account(account)))
  return { catalogued: context.catalogue.subject(account, query, kind), range }
}

function paramsOf(
  { accounts, clock }: ResolverContext,
  { account: id, query }: WatchedQuery,
  { range }: Need,
  tables: readonly StoredTable[],
) {
  const account = accounts.account(id)
  const isSettled = isSettledFor(account, clock.now())
  const byDay = new Map(tables.map((table) => [table.range.start, table]))
  const at = (test: (table: StoredTable) => boolean) =>
    daysOf(range).map((day) => {
      const table = byDay.get(day)
      return table !== undefined && test(table)
    })
  const { family } = query
  const header: string = watchedCounts[family]
  // Of requests, as in Overview, whatever base the service's own rates have: they are a measure of their own too.
  const base = query.kind === 'table' ? rateBase(family, query.dimension) : 'Requests'
  const days: WatchedDays = {
    ...{ range, settlesAfter: settledAfterDays },
    settled: at(isSettled),
    whole: at((table) => table.doubt === null && !isPart(table.head)),
  }
  return { family, days, header, base }
}

const totalsIn = (tables: readonly StoredTable[]): readonly DayTotals[] =>
  tables.flatMap(({ head, range }) => {
    const { total } = readHead(head) ?? {}
    return total ? [{ range, total }] : []
  })
