import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { createRawReports } from '../../../../src-main/raw/watching/raw-reports.ts'
import { createServiceClient } from '../../../../src-main/service/client.ts'
import { systemClock } from '../../../../src-main/service/clock.ts'
import { AccessToken } from '../../../../src-main/service/token.ts'
import { openStore } from '../../../../src-main/store/store.ts'
import { noWindows } from '../../../../src-shared/accounts/account.ts'
import type { Account } from '../../../../src-shared/accounts/account.ts'
import { usualRawSettings } from '../../../../src-shared/raw/settings.ts'
import type { AccountId } from '../../../../src-shared/values/ids.ts'

/** The watcher over a real store with its thread, as a process of its own, to be killed: see killed.test.ts. */
const given = v.parse(
  v.object({ folder: v.string(), address: v.string(), token: v.string() }),
  JSON.parse(process.argv[2] ?? '{}'),
)

const account: Account = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Acme',
  kind: 'service',
  address: given.address,
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}

const store = openStore({
  folder: given.folder,
  worker: new URL('../../../../src-main/store/worker.ts', import.meta.url),
})
const client = createServiceClient({
  address: given.address,
  token: () => Promise.resolve(new AccessToken(given.token)),
  bodyEncoding: 'json',
})

await store.run('accounts/put', account)
const room = createRawReports({
  store,
  clock: systemClock,
  folder: given.folder,
  random: Math.random,
  book: {
    account: () => account,
    list: () => [account],
    clientFor: async () => client,
    onChange: () => () => undefined,
  },
  // The first list is kept: the test knows where it stands.
  emit: () => appendFileSync(join(given.folder, 'looked.txt'), 'looked\n'),
  settings: async () => usualRawSettings,
  saved: async () => new Map(),
  becameReady: async () => undefined,
  announce: async (news, handing) => {
    const told = news.as === 'one' ? [news.announcement] : news.announcements
    handing()
    appendFileSync(
      join(given.folder, 'shown.txt'),
      told.map(({ kind, report }) => `${kind} ${report}\n`).join(''),
    )
  },
})
room.begin()
// Looks again and again, so that there is always something to be killed in.
for (;;) await room.fresh(account.id).catch(() => undefined)
