import { join } from 'node:path'
import type { TableToStore } from '#main/reports/history/history.ts'
import { systemClock } from '#main/lib/async.ts'
import type { PublishingContext } from '#main/publishing/publishing-context.ts'
import { publishHistory } from '#main/publishing/publishing.ts'
import { defaultTimeouts } from '#main/publishing/team-folder.ts'
import { fake } from '#test/helpers/fake.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { openStore } from '#main/database/open-store.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { accountsOfScope, historyOver } from '#test/src-main/reports/history/history-over.ts'

// Nothing here is for tests alone: processes that are killed import it, and begin the faster for it.

export const storeWorker = appThread('store')

/** Begins the engine in a thread of its own. */
export const engineChannelOf = (root: string): Channel =>
  threadChannel(appThread('engine'), { argv: ['figures', root, `${root}-work`], name: 'engine' })

export const rootIn = (folder: string): string => join(folder, 'history')

/** The history of a folder, with a store and an engine as the app has them. */
export function openHistory(folder: string, zoneOf: () => string | null = () => null) {
  const root = rootIn(folder)
  const store = withDataScopes(openStore({ folder, worker: storeWorker }), place.dataScope)
  const engine = startEngine({ open: () => engineChannelOf(root) })
  const accounts = accountsOfScope(place.dataScope, () => {
    const dayZone = zoneOf()
    return dayZone === null ? null : { dayZone }
  })
  const history = historyOver({ store, engine, historyFolder: root, accounts })
  const close = async (): Promise<void> => {
    await Promise.all([engine.close(), store.close()])
  }
  return { history, store, engine, root, close }
}

export const place = { dataScope: 'scope-1' as DataScopeId, subject: 'direct/browsers?' }

const rowsOfPage = 150
const pages = 2
export const rowsOfTable = rowsOfPage * pages

export const firstDay = day('2026-10-01')

/** So many days are fetched again and again. */
export const daysKept = 10

/** A table as it was fetched last: on which day, when, and the count that stands in each of its cells. */
export type Fetched = { readonly day: number; readonly fetchedAt: number; readonly count: number }

/** A day's table of two pages, in each of whose cells stands one count, so that a mixture of two shows. */
export function tableOf({ day: number, fetchedAt, count }: Fetched): TableToStore {
  const on = addDays(firstDay, number)
  const page = (nth: number) =>
    Array.from({ length: rowsOfPage }, (_, row) => ({
      label: { kind: 'text', text: `row ${nth * rowsOfPage + row}` } as const,
      cells: [count],
    }))
  return {
    ...place,
    term: 0,
    range: { start: on, end: on },
    headers: ['Browser', 'Requests'],
    all: { label: { kind: 'all', name: null }, cells: [count] },
    total: { suspect: count },
    rows: Array.from({ length: pages }, (_, nth) => page(nth)),
    fetchedAt: fetchedAt as Instant,
    doubt: null,
  }
}

/** When the first of them was fetched: all days had been over for long. */
export const firstFetched = Date.parse('2026-11-01T00:00:00Z')

/** Publishes the history of a profile once. */
export const publishTo = (
  { folder, share }: { readonly folder: string; readonly share: string },
  { store, root, thorough = false }: { store: PublishingContext['store']; root: string; thorough?: boolean },
) =>
  publishHistory(
    fake<PublishingContext>('publishing', {
      ...{ store, clock: systemClock, historyFolder: root, profileFolder: folder, timeouts: defaultTimeouts },
    }),
    {
      account: { name: 'Kestrel Media', address: '', dataScope: place.dataScope },
      folder: share,
      directory: 'account=Kestrel-Media',
      ...{
        thorough,
        expected: false,
        removing: false,
        signal: new AbortController().signal,
        progress: () => undefined,
      },
    },
  )
