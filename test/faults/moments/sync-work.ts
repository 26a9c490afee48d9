import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { openStore } from '#main/database/open-store.ts'
import type { OpenStore } from '#main/database/open-store.ts'
import { accountsOf } from '#test/src-main/reports/accounts-of.ts'
import { engineChannelOf, rootIn, storeWorker } from './histories.ts'
import { account, toSync } from './syncing.ts'
import type { SyncOrders } from './syncing.ts'
import { sayStored, workUntilKilled } from './working.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { newReports } from '#test/src-main/reports/new-reports.ts'

/** A store that says of each table when it is in the catalogue. */
const saying = (store: OpenStore): OpenStore => ({
  ...store,
  run: async (name, argument) => {
    const answer = await store.run(name, argument)
    if (name === 'tables/keep' && typeof argument === 'object' && 'tables' in argument)
      for (const { subject, range, fetchedAt } of argument.tables)
        sayStored({ subject, start: range.start, fetchedAt })
    return answer
  },
})

/** Keeps whole tables of a service, day by day, as pinned views do, until all of them are there. */
await workUntilKilled<SyncOrders>(async ({ folder, address, token }) => {
  const begun = Date.parse('2026-11-20T12:00:00Z')
  const clock = { now: () => begun + Math.floor(performance.now()), wait: () => Promise.resolve() }
  const client = createServiceClient({
    ...{
      address,
      token: () => Promise.resolve(new AccessToken(token, address)),
      bodyEncoding: 'json',
      clock,
    },
    random: () => 0,
  })
  const store = saying(openStore({ folder, worker: storeWorker }))
  await store.run('accounts/put', account)
  const historyFolder = rootIn(folder)
  const reports = newReports({
    ...{ store, accounts: accountsOf(account, client).accounts, events: new AppEvents(), clock },
    ...{ historyFolder, openEngine: () => engineChannelOf(historyFolder) },
  })
  reports.start()
  const { signal } = new AbortController()
  const left: (typeof toSync)[number][] = []
  for (const query of toSync) {
    const { days, total } = await reports.storedOf(account.id, query)
    if (days < total) left.push(query)
  }
  return {
    work: async () => {
      const query = left.shift()
      if (query === undefined) return false
      try {
        await reports.storeWhole({ account: account.id, query, signal, progress: () => undefined })
      } catch (error) {
        left.push(query)
        throw error
      }
      return left.length > 0
    },
    close: async () => {
      await reports.stop()
      await Promise.all([client.close(), store.close()])
    },
  }
})
