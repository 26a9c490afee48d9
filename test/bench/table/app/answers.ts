import type { CallOutcome } from '#shared/bridge/calls.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { all, headers } from './made-rows.ts'

export const account = '00000000-0000-4000-8000-000000000001' as AccountId

/** What is asked for: the rows of a table in blocks, as a view with "all rows" asks for them. */
export const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'referrers',
  range: { start: day('2026-11-13'), end: day('2026-11-19') },
  whole: true,
  limit: limits.rowsPerPage,
}

/** A block of the rows as the product's main process answers it. */
export function answerOf(rows: readonly TableRow[], page: number): CallOutcome<'reports/ask'> {
  const { limit } = query
  return {
    ok: true,
    value: {
      kind: 'table',
      ratesBy: 'nobody',
      query: { ...query, page },
      figures: {
        total: {},
        table: { headers, all, rows: rows.slice((page - 1) * limit, page * limit) },
        chart: null,
        query: { results: rows.length, pages: Math.ceil(rows.length / limit), echo: {} },
        unknown: {},
      },
      provenance: {
        from: 'computed',
        fetchedAt: 0 as Instant,
        refreshing: false,
        failure: null,
        missing: [],
        doubt: null,
        restated: null,
      },
    },
  }
}
