import type { TableToStore } from '#main/reports/history/history.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import { openStore } from '#main/database/open-store.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { engineChannel } from '../src-main/reports/engine/engine-thread.ts'
import { workerFile } from '../src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { join } from 'node:path'
import { historyOver } from '#test/src-main/reports/history/history-over.ts'

const pages = 4
const rowsOfPage = 1000

export const rowsOfGeneration = pages * rowsOfPage
export const place = { dataScope: 'scope-1' as DataScopeId, subject: 'direct/browsers?' }

/** So many days are kept in turn: each generation replaces the one that many before it. */
const daysKept = 5

/** A day's table of a few pages, in each of whose cells stands its number. */
export function generation(number: number): TableToStore {
  const on = addDays(day('2026-10-01'), number % daysKept)
  const page = (nth: number) =>
    Array.from({ length: rowsOfPage }, (_, row) => ({
      label: { kind: 'text', text: `row ${nth * rowsOfPage + row}` } as const,
      cells: [number],
    }))
  return {
    ...place,
    term: 0,
    range: { start: on, end: on },
    headers: ['Browser', 'Requests'],
    all: { label: { kind: 'all', name: null }, cells: [number] },
    total: { suspect: number },
    rows: Array.from({ length: pages }, (_, nth) => page(nth)),
    fetchedAt: number as Instant,
    doubt: null,
  }
}

/** The history of a folder, with its store and its engine. */
export function historyIn(folder: string) {
  const root = join(folder, 'history')
  const store = withDataScopes(openStore({ folder, worker: workerFile }), place.dataScope)
  const engine = startEngine({ open: () => engineChannel(root) })
  return {
    history: historyOver({ store, engine, historyFolder: root }),
    store,
    engine,
    root,
  }
}
