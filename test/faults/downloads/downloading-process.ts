import promises from 'node:fs/promises'
import { flushCompileCache, syncBuiltinESMExports } from 'node:module'
import type { Accounts } from '#main/accounts/accounts.ts'
import { Downloads } from '#main/raw/downloads/downloads.ts'
import { createServiceClient } from '#main/api/client.ts'
import { AccessToken } from '#main/api/token.ts'
import { openSession } from '#main/database/store-session.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { Account } from '#shared/accounts/account.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { fake } from '#test/helpers/fake.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { rawContext, settingsWith } from '#test/src-main/raw/raw-context.ts'
import { dieAt } from './die-at.ts'

// Who is killed leaves nothing at its end: what is compiled is left for the next ones here.
flushCompileCache()

/**
 * Downloads a report into a folder, with its store in another, until it is killed: by others, or by itself at the step that
 * `DIE_AT` (or, in the thread of archives, `DIE_IN_THREAD_AT`) says. It says how each download stands, and each step. With
 * `NO_LINKS` the disk knows no second name for a file, as memory sticks do not.
 */
const [address = '', token = '', report = '', folder = '', profile = ''] = process.argv.slice(2)

const account: Account = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Acme',
  kind: 'service',
  address,
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}
const session = openSession(profile)
session.run('accounts/put', account)
const client = createServiceClient({
  address,
  token: () => Promise.resolve(new AccessToken(token, address)),
  bodyEncoding: 'json',
})
const downloads = new Downloads(
  rawContext({
    store: {
      opened: Promise.resolve(session.opening),
      close: async () => undefined,
      run: (name, argument) =>
        new Promise((resolve) => {
          step(name)
          resolve(session.run(name, argument))
        }),
    },
    accounts: fake<Accounts>('accounts', {
      account: () => account,
      list: () => [account],
      clientFor: () => Promise.resolve(client),
    }),
    settings: settingsWith(() => ({ ...usualRawSettings, unpack: true }), folder),
    events: eventsTo((event) => {
      if (event.kind !== 'downloads/changed') return
      for (const { state } of event.changed) process.stdout.write(`${state.kind}\n`)
    }),
    openArchive: () => threadChannel(new URL('./dying-worker.ts', import.meta.url), {}),
    random: Math.random,
  }),
)
if (process.env['NO_LINKS'] !== undefined) {
  promises.link = () => Promise.reject(Object.assign(new Error('No links here'), { code: 'EPERM' }))
  syncBuiltinESMExports()
}
const step = await dieAt(Number(process.env['DIE_AT'] ?? 0), (number, name) => {
  process.stdout.write(`main ${number} ${name}\n`)
})
await downloads.resumeAll()
process.stdout.write('begun\n')
await downloads.start({ account: account.id, report: report as RawReportId, choose: false })
