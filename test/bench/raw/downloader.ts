import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createDownloads } from '../../../src-main/raw/downloads/downloads.ts'
import { createServiceClient } from '../../../src-main/service/client.ts'
import { AccessToken } from '../../../src-main/service/token.ts'
import { openSession } from '../../../src-main/store/session.ts'
import { noWindows } from '../../../src-shared/accounts/account.ts'
import type { Account } from '../../../src-shared/accounts/account.ts'
import { usualRawSettings } from '../../../src-shared/raw/settings.ts'
import type { AccountId, RawReportId } from '../../../src-shared/values/ids.ts'

/** Downloads once, as the app does, and prints what it took: `downloader.ts <service> <folder> <profile>`. */
const [address = '', folder = '', profile = ''] = process.argv.slice(2)
const account: Account = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Bench',
  kind: 'service',
  address,
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}
const session = openSession(profile, () => undefined)
session.run('accounts/put', account)
const client = createServiceClient({
  address,
  token: () => Promise.resolve(new AccessToken('a'.repeat(32))),
  bodyEncoding: 'json',
})
/** The most that the process ever had in memory, in KiB. */
const peak = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0)

let arrived = 0
let whileArriving = 0
let saved: () => void = () => undefined
const done = new Promise<void>((resolve) => (saved = resolve))
const downloads = createDownloads({
  account: () => account,
  clientFor: () => Promise.resolve(client),
  settings: () => Promise.resolve(usualRawSettings),
  archiveWorker: new URL('../../../src-main/raw/downloads/worker.ts', import.meta.url),
  // Windows hear of changes at once here: they are what is measured by.
  clock: {
    now: () => Date.now(),
    wait: (milliseconds, signal) => sleep(Math.min(milliseconds, 10), undefined, { signal }),
  },
  resolveProxy: () => Promise.resolve('DIRECT'),
  store: { run: (name, argument) => new Promise((resolve) => resolve(session.run(name, argument))) },
  emit: (_, { changed }) => {
    const state = changed[0]?.state
    if (state?.as === 'checking' && arrived === 0) {
      arrived = performance.now()
      whileArriving = peak()
    }
    if (state?.as === 'failed') throw new Error(state.failure.message)
    if (state?.as === 'saved') saved()
  },
  downloads: () => Promise.resolve(folder),
  chooseFolder: () => Promise.resolve(null),
  knownReport: () => Promise.resolve(null),
  templateOf: () => Promise.resolve(null),
  showFile: () => undefined,
  openFile: () => Promise.resolve(''),
})
await downloads.begin()
// A question of the same kind first: what is loaded once is no part of a download.
await client.call('raw/report', { raw: 'large' as RawReportId })
const before = peak()
const began = performance.now()
await downloads.start({ account: account.id, report: 'large' as RawReportId, choose: false })
await done
const figures = {
  arrived: arrived - began,
  saved: performance.now() - began,
  whileArriving: (whileArriving - before) / 1024,
  memory: (peak() - before) / 1024,
}
process.stdout.write(`${JSON.stringify(figures)}\n`)
await downloads.close()
await client.close()
session.close()
