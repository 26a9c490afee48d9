import type { AnsweredTable } from '../../../../src-renderer/state/rows.svelte.ts'
import type { CallName, CallOutcome, DeskBridge } from '../../../../src-shared/bridge/calls.ts'
import { plainTable } from '../../../../src-shared/reports/query.ts'
import type { TableRow } from '../../../../src-shared/service/answers.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../../../src-shared/values/ids.ts'
import { headers } from './made-rows.ts'

export const account = '00000000-0000-4000-8000-000000000001' as AccountId

const BLOCK = 1000

/** A page of the rows as the main process answers it: a copy, as everything is that crosses the bridge. */
export function answerOf(rows: readonly TableRow[], page: number): AnsweredTable {
  return structuredClone({
    kind: 'table',
    ratesBy: 'nobody',
    query: {
      ...plainTable,
      family: 'script',
      dimension: 'referrers',
      range: { start: day('2026-11-13'), end: day('2026-11-19') },
      whole: true,
      limit: BLOCK,
      page,
    },
    figures: {
      total: {},
      table: {
        headers,
        all: { label: { kind: 'all', name: null }, cells: rows[0]?.cells.map(() => 90_000_000) ?? [] },
        rows: rows.slice((page - 1) * BLOCK, page * BLOCK),
      },
      chart: null,
      query: { results: rows.length, pages: Math.ceil(rows.length / BLOCK), echo: {} },
      unknown: {},
    },
    provenance: { from: 'computed', fetchedAt: 0 as Instant, refreshing: false, failure: null, missing: [] },
  })
}

/** A bridge that answers blocks of the rows, and nothing else. */
export function bridgeTo(rows: readonly TableRow[]): DeskBridge {
  const call = async (name: CallName, argument: unknown): Promise<unknown> => {
    if (name !== 'reports/ask') throw new Error(`Nothing else is asked here, such as ${name}`)
    const { query } = argument as { query: { page: number } }
    return Promise.resolve({
      ok: true,
      value: answerOf(rows, query.page),
    } satisfies CallOutcome<'reports/ask'>)
  }
  return { call: call as DeskBridge['call'], on: () => () => undefined }
}
