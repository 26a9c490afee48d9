import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import { engineClient } from '#main/analytics/engine-client.ts'
import type { EngineClient, EngineOptions } from '#main/analytics/engine-client.ts'
import type { Chart, OverviewAnswer, TableAnswer } from '#shared/api/answers.ts'
import type { RowsOfLabels } from '#shared/reports/answer.ts'
import type { Explanation } from '#shared/reports/explain.ts'
import type { OverviewQuery, ReportQuery, TableQuery } from '#shared/reports/query.ts'
import type { Judged } from '#main/watch/judging/task.ts'
import { readHead } from '#main/analytics/history-layout.ts'
import type {
  Computed,
  ExplainParams,
  JudgeParams,
  Movers,
  MoversParams,
  Narrowed,
  EngineSnapshot,
  RowByDayParams,
  RowOfDay,
  SnapshotParams,
  TableParams,
  EngineCalls,
} from './table-calls.ts'
import { chartOf, sumOfDays } from './totals.ts'
import type { DayTotals } from './totals.ts'

/** Computes answers from stored tables (table-calls.ts): rows with the engine, totals without it. */
export type Aggregate = {
  readonly table: (params: TableParams, signal?: AbortSignal) => Promise<Computed<TableAnswer>>
  readonly narrowed: (params: TableParams, signal?: AbortSignal) => Promise<Computed<Narrowed>>
  readonly rowsOf: (
    params: TableParams & { readonly labels: readonly string[] },
    signal?: AbortSignal,
  ) => Promise<Computed<RowsOfLabels>>
  readonly rowByDay: (params: RowByDayParams, signal?: AbortSignal) => Promise<Computed<readonly RowOfDay[]>>
  readonly snapshot: (params: SnapshotParams, signal?: AbortSignal) => Promise<Computed<EngineSnapshot>>
  readonly movers: (params: MoversParams, signal?: AbortSignal) => Promise<Computed<Movers>>
  readonly explain: (params: ExplainParams, signal?: AbortSignal) => Promise<Computed<Explanation | null>>
  readonly judge: (params: JudgeParams, signal?: AbortSignal) => Promise<Computed<readonly Judged[]>>
  /** Accepts tables of any days, also with totals only. The chart requires tables of single days. */
  readonly overview: (request: {
    readonly tables: readonly StoredTable[]
    readonly query: OverviewQuery
  }) => Computed<OverviewAnswer>
  /** Daily figures. Tables of several days are skipped. Totals suffice. */
  readonly trend: (request: {
    readonly tables: readonly StoredTable[]
    readonly query: ReportQuery
  }) => Computed<Chart>
}

export function aggregateWith(engine: Engine): Aggregate {
  return {
    table: (params, signal) => engine.call('table', params, signal),
    narrowed: (params, signal) => engine.call('narrowed', params, signal),
    rowsOf: (params, signal) => engine.call('rowsOf', params, signal),
    rowByDay: (params, signal) => engine.call('rowByDay', params, signal),
    snapshot: (params, signal) => engine.call('snapshot', params, signal),
    movers: (params, signal) => engine.call('movers', params, signal),
    explain: (params, signal) => engine.call('explain', params, signal),
    judge: (params, signal) => engine.call('judge', params, signal),
    overview: ({ tables, query }) =>
      fromTotals(tables, (parts) => {
        const daily = parts.every(({ range }) => range.start === range.end)
        return {
          total: sumOfDays(parts.map(({ total }) => total)),
          chart: query.chart && daily ? chartOf(parts, query.family) : null,
          query: {},
          unknown: {},
        }
      }),
    trend: ({ tables, query }) =>
      fromTotals(tables, (parts) => chartOf(parts, query.family, dimensionOf(query))),
  }
}

const dimensionOf = (query: ReportQuery): TableQuery['dimension'] | undefined =>
  query.kind === 'table' ? query.dimension : undefined

function fromTotals<F>(
  tables: readonly StoredTable[],
  compute: (parts: readonly DayTotals[]) => F,
): Computed<F> {
  const parts: DayTotals[] = []
  const missing: StoredTable[] = []
  for (const table of tables) {
    const head = readHead(table.head)
    if (head) parts.push({ range: table.range, total: head.total })
    else missing.push(table)
  }
  if (missing.length > 0) return { kind: 'lacking', tables: missing.map(({ id }) => id), why: 'differs' }
  return { kind: 'computed', figures: compute(parts) }
}

/** The DuckDB process, for stored tables. */
export type Engine = EngineClient<EngineCalls>

export const startEngine = (options: EngineOptions): Engine =>
  engineClient('engine', "Can't compute the figures. Try again.", options)
