import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { createRawAsking } from '../../../../src-main/raw/asking/asking.ts'
import { keptLists } from '../../../../src-main/raw/asking/kept-lists.ts'
import { createRawReports } from '../../../../src-main/raw/watching/raw-reports.ts'
import { createServiceClient } from '../../../../src-main/service/client.ts'
import { systemClock } from '../../../../src-main/service/clock.ts'
import { AccessToken } from '../../../../src-main/service/token.ts'
import { openStore } from '../../../../src-main/store/store.ts'
import { noWindows } from '../../../../src-shared/accounts/account.ts'
import type { Account } from '../../../../src-shared/accounts/account.ts'
import type { RawDraft } from '../../../../src-shared/raw/draft.ts'
import { usualRawSettings } from '../../../../src-shared/raw/settings.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { AccountId, InstanceId } from '../../../../src-shared/values/ids.ts'

/** Asking and the watcher over a real store, as a process of its own, to be killed: see killed.test.ts. */
const given = v.parse(
  v.object({
    folder: v.string(),
    address: v.string(),
    token: v.string(),
    instance: v.string(),
    today: v.string(),
    names: v.array(v.string()),
  }),
  JSON.parse(process.argv[2] ?? '{}'),
)

/** What happened, for whoever waits for it. */
const say = (line: string) => appendFileSync(join(given.folder, 'said.txt'), `${line}\n`)

const account: Account = {
  ...{ id: '11111111-1111-4111-8111-111111111111' as AccountId, name: 'Acme', kind: 'service' },
  ...{ address: given.address, bodyEncoding: 'json', dayZone: 'UTC', windows: noWindows, firstColumn: null },
}
const store = openStore({
  folder: given.folder,
  worker: new URL('../../../../src-main/store/worker.ts', import.meta.url),
})
const client = createServiceClient({
  address: given.address,
  token: () => Promise.resolve(new AccessToken(given.token)),
  bodyEncoding: 'json',
  timeouts: { firstByte: 1_500, idle: 1_500, whole: 5_000 },
})
await store.run('accounts/put', account)

const book = {
  account: () => account,
  list: () => [account],
  clientFor: async () => client,
  onChange: () => () => undefined,
}
const reports = createRawReports({
  ...{ store, book, clock: systemClock, folder: given.folder, random: Math.random },
  emit: (name) => {
    if (name === 'raw/changed') asking.listChanged(account.id)
  },
  settings: async () => usualRawSettings,
  saved: async () => new Map(),
  becameReady: async () => undefined,
  announce: async (_news, handing) => handing(),
})
const asking = createRawAsking({
  ...{ store, book, clock: systemClock },
  lists: keptLists({ store, clock: systemClock, fresh: reports.fresh, accepted: reports.accepted }),
  settings: async () => usualRawSettings,
  stuck: () => undefined,
  emit: () => undefined,
})
reports.begin()
asking.begin()
say('began')
const today = day(given.today)
for (const name of given.names) {
  const draft: RawDraft = {
    ...{ name, type: 'response', instance: given.instance as InstanceId, start: today, end: today },
    ...{ standard: ['source', 'result'], additional: [], filters: [], email: false },
  }
  asking.request({ account: account.id, draft, template: null }).then(
    () => say(`answered ${name}`),
    () => say(`refused ${name}`),
  )
}
// Looks again and again: what was lost is looked for with every list.
for (;;) {
  await reports.fresh(account.id).catch(() => undefined)
  await asking.atRest()
  const { requests } = await asking.queue({ account: account.id })
  say(`open ${requests.map(({ state }) => state.as).join()}`)
}
