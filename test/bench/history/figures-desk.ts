import { join } from 'node:path'
import type { Reports } from '#main/reports/reports.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { History } from '#main/reports/history/history.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { systemClock } from '#main/lib/async.ts'
import { openStore } from '#main/database/open-store.ts'
import type { Store } from '#main/database/open-store.ts'
import type { LiveAccount } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { deskFolder } from '../measure/desk.ts'
import { electronChannel } from '../measure/electron-channel.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { historyOver } from '#test/src-main/reports/history/history-over.ts'
import { newReports } from '#test/src-main/reports/new-reports.ts'

export const account: LiveAccount = {
  id: '00000000-0000-4000-8000-000000000001' as AccountId,
  name: 'Bench',
  kind: 'service',
  address: 'https://reports.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: 0,
}
export const dataScope = account.id as string as DataScopeId

/** What answers reports in the app, without its window: this process is its main one, the engine is in Electron's utility process. */
export type FiguresDesk = {
  readonly reports: Reports
  readonly store: Store
  /** Where kept tables lie. */
  readonly folder: string
  /** A history over the same folder, with an engine of its own: to lay down what is asked about. */
  readonly using: (work: (history: History) => Promise<void>) => Promise<void>
  /** The processes of engines that run. */
  readonly enginePids: () => readonly number[]
  readonly close: () => Promise<void>
}

const away: ServiceClient = {
  call: () => Promise.reject(new DeskFailure({ kind: 'offline', message: 'There is no service here.' })),
  close: () => Promise.resolve(),
}

type Circumstances = {
  /** What the store's thread runs, and how an engine begins, where it is not as usual. */
  readonly storeWorker?: URL
  readonly openEngine?: (history: string, temporary: string) => Channel
}

/** @param client asks the service; left out, there is none */
export async function figuresDesk(
  profile: string,
  client: ServiceClient = away,
  { storeWorker, ...given }: Circumstances = {},
): Promise<FiguresDesk> {
  const store = openStore({
    folder: profile,
    worker: storeWorker ?? new URL('../../../src-main/database/store-worker.ts', import.meta.url),
  })
  await store.run('accounts/put', account)
  const folder = join(profile, 'history')
  const pids = new Set<number>()
  const openEngine = (): Channel => {
    if (given.openEngine) return given.openEngine(folder, join(profile, 'work'))
    let pid: number | undefined
    const channel = electronChannel(
      new URL('electron/', import.meta.url),
      [join(deskFolder, 'out', 'main', 'engine-process.cjs'), 'figures', folder, join(profile, 'work')],
      (begun) => pids.add((pid = begun)),
    )
    channel.onEnd(() => pid !== undefined && pids.delete(pid))
    return channel
  }
  const reports = newReports({
    ...{ store, accounts: accountsOf(client), events: new AppEvents(), clock: systemClock },
    ...{ historyFolder: folder, openEngine, random: Math.random },
  })
  return {
    ...{ reports, store, folder },
    enginePids: () => [...pids],
    using: async (work) => {
      const engine = startEngine({ open: openEngine })
      await work(historyOver({ store, engine, historyFolder: folder })).finally(() => engine.close())
    },
    close: async () => {
      await reports.stop()
      await store.close()
    },
  }
}

/** One account, whose traits are learnt. */
function accountsOf(client: ServiceClient): Accounts {
  let known = account
  return fake<Accounts>('accounts', {
    account: () => known,
    list: () => [known],
    active: () => account.id,
    isDataScope: () => true,
    dataScopeOf: () => dataScope,
    scopeTermOf: () => ({ dataScope, term: 0 }),
    dataScopeClient: () => Promise.resolve({ ...client, term: 0, provisional: () => undefined }),
    isDoubted: () => false,
    confirm: () => Promise.resolve(null),
    startScopeCheck: () => () => Promise.resolve(null),
    standingOf: () => dataScope,
    learn: (_, { windows, firstColumn, rateBases, ratesCheckedAt, searchedAll }) => {
      known = {
        ...known,
        windows: { ...known.windows, ...windows },
        ...(firstColumn !== undefined && { firstColumn }),
        ...(rateBases && { rateBases: { ...known.rateBases, ...rateBases } }),
        ...(ratesCheckedAt && { ratesCheckedAt: { ...known.ratesCheckedAt, ...ratesCheckedAt } }),
        ...(searchedAll && { searchedAll: { ...known.searchedAll, ...searchedAll } }),
      }
      return Promise.resolve()
    },
  })
}
