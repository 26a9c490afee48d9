import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { onTestFinished, vi } from 'vitest'
import { Downloads } from '#main/raw/downloads/downloads.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import { slowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { FetcherOptions } from '#main/fetching/fetcher.ts'
import type { Clock } from '#main/lib/async.ts'
import type { ServiceClient } from '#main/api/client.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Download, DownloadId, DownloadsChanged } from '#shared/downloads/download.ts'
import type { Account } from '#shared/accounts/account.ts'
import { usualRawSettings } from '#shared/raw/settings.ts'
import type { RawSettings } from '#shared/raw/settings.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import { day } from '#shared/values/day.ts'
import type { RawReportId } from '#shared/values/ids.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { fake } from '#test/helpers/fake.ts'
import { sandboxTime } from '#test/helpers/running-sandbox.ts'
import type { Channel } from '#main/workers/rpc.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, localStore } from '#test/src-main/database/helpers.ts'
import { noShell, settingsWith } from '../raw-context.ts'
import { openAsThread } from '#test/helpers/app-threads.ts'

export { account }

// Every attempt begins a thread, from its sources it may be: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 60_000 })

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-downloads-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Everything in a folder, hidden files too. */
export const namesIn = (folder: string): readonly string[] => readdirSync(folder).sort()

/** The sandbox's time, in which long pauses pass a hundred times faster. */
export const hurriedClock: Clock = {
  now: sandboxTime,
  wait: (milliseconds, signal) => sleep(milliseconds / 100, undefined, { signal }),
}

export type TestDownloads = {
  readonly downloads: Downloads
  readonly jobs: Jobs
  readonly folder: string
  readonly store: Store
  readonly events: readonly DownloadsChanged[]
  /** Resolves as soon as one stands so; the list is looked at whenever it changes. */
  readonly until: (id: DownloadId, stands: (download: Download) => boolean) => Promise<Download>
  /** Starts one, into the folder unless the person chooses another. */
  readonly started: (report: RawReportId, choose?: boolean) => Promise<DownloadId>
  /** Starts one and waits for its end, good or bad. */
  readonly fetched: (report: RawReportId) => Promise<Download>
  readonly set: (change: Partial<RawSettings>) => void
}

/** What a test has otherwise. */
export type DownloadsChanges = {
  readonly store?: Store
  readonly settings?: ReturnType<typeof settingsWith>
  readonly events?: ReturnType<typeof eventsTo>
  readonly shell?: SystemShell
  readonly network?: FetcherOptions
  readonly openArchive?: () => Channel
  readonly clock?: Clock
  readonly random?: () => number
  readonly folderGuard?: SlowFolderGuard
  readonly folder?: string
  readonly account?: Account
  readonly raw?: Partial<RawSettings>
  /** Hears of everything. */
  readonly heard?: (event: AppEvent) => void
  /** Whether it goes on at once with what the last session left. */
  readonly begins?: boolean
}

/** Downloads into a folder of their own, with everything around them made up but the store. */
export async function downloadsFrom(
  client: ServiceClient,
  address: string,
  changes: DownloadsChanges = {},
): Promise<TestDownloads> {
  const { folder = temporaryFolder(), raw, begins = true, heard } = changes
  const { shell = noShell, clock = hurriedClock, random = () => 0.5 } = changes
  const { network = { resolveProxy: () => Promise.resolve('DIRECT') }, folderGuard = slowFolderGuard } =
    changes
  const one = changes.account ?? account({ address })
  const store = changes.store ?? localStore()
  await store.run('accounts/put', account({ address }))
  let settings: RawSettings = { ...usualRawSettings, ...raw }
  const events: DownloadsChanged[] = []
  const listeners = new Set<() => void>()
  const jobs = new Jobs(new AppEvents(), clock)
  const downloads = new Downloads({
    ...{ store, shell, network, folderGuard, jobs, clock, random },
    accounts: fake<Accounts>('accounts', {
      account: () => one,
      list: () => [one],
      clientFor: () => Promise.resolve(client),
    }),
    settings: changes.settings ?? settingsWith(() => settings, folder),
    events:
      changes.events ??
      eventsTo((event) => {
        if (event.kind === 'downloads/changed') events.push(event)
        for (const listener of listeners) listener()
        heard?.(event)
      }),
    openArchive: changes.openArchive ?? openAsThread('archive'),
  })
  onTestFinished(() => downloads.stop())
  if (begins) await downloads.resumeAll()

  const until: TestDownloads['until'] = (id, stands) =>
    new Promise((resolve, reject) => {
      const look = () => {
        downloads.list().then((list) => {
          const found = list.find((each) => each.id === id)
          if (!found || !stands(found)) return
          listeners.delete(look)
          resolve(found)
        }, reject)
      }
      listeners.add(look)
      look()
    })
  const started: TestDownloads['started'] = async (report, choose = false) => {
    const begun = await downloads.start({ account: account().id, report, choose })
    if (!begun) throw new TypeError('Nothing was started')
    return begun.id
  }
  return {
    downloads,
    jobs,
    folder,
    store,
    events,
    until,
    started,
    fetched: async (report) => until(await started(report), hasEnded),
    set: (change) => {
      settings = { ...settings, ...change }
    },
  }
}

export const hasEnded = ({ state }: Pick<Download, 'state'>): boolean =>
  ['saved', 'failed', 'missing'].includes(state.kind)

/** Asks for a report with everything in it, lets it finish, and fetches its archive as the sandbox hands it out. */
export async function readyReport(
  running: RunningSandbox,
  name: string,
): Promise<{ record: RawReport; bytes: Buffer }> {
  const client = running.client()
  const { answer } = await client.call('raw/request', {
    type: 'response',
    instance: '4123',
    start: day('2026-10-20'),
    end: day('2026-11-18'),
    standard: rawStandardColumns.response,
    name,
    send_email: false,
  })
  if (answer.id === null) throw new RangeError(JSON.stringify(answer))
  await running.control('POST', '/clock', { advance: 3_600_000 })
  const { answer: record } = await client.call('raw/report', { raw: answer.id })
  return { record, bytes: await archiveOf(running, answer.id) }
}

export async function archiveOf(running: RunningSandbox, report: RawReportId): Promise<Buffer> {
  const { answer } = await running.client().call('raw/download', { raw: report })
  return Buffer.from(await (await fetch(answer.url)).arrayBuffer())
}

export const read = (folder: string, file: string): Promise<Buffer> => readFile(join(folder, file))
