import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Reports } from '#main/reports/reports.ts'
import type { Account, LiveAccount } from '#shared/accounts/account.ts'
import type { JobProgress } from '#shared/app/jobs.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { account, firstId, localStore, temporaryFolder } from '../database/helpers.ts'
import { accountsOf } from './accounts-of.ts'
import { historyIn, now } from './helpers.ts'
import { newReports, settingsOf } from './new-reports.ts'

type Told = { readonly name: string; readonly key: string } & Partial<JobProgress>

/** Noon of the sandbox's last day, or so much later; nobody waits for anything. */
class MovedClock {
  moved = 0
  readonly now = () => Date.parse(now) + this.moved
  readonly wait = () => Promise.resolve()
}

export type SandboxDesk = {
  readonly reports: Reports
  readonly events: AppEvents
  readonly ask: (query: ReportQuery, force?: boolean) => ReturnType<Reports['ask']>
  readonly account: () => Account
  /** What was told since the last look: "14 of 31 days", or "changed" for the question's key. */
  readonly received: () => readonly string[]
  /** Resolves when this is told, from now on. */
  readonly until: (words: string) => Promise<void>
  readonly cancel: (query: ReportQuery) => void
  /** Paths of the reports that the service was asked for since the last look. */
  readonly asked: () => Promise<readonly string[]>
  readonly clock: MovedClock
  /** What the service was called with since the last look, look-ups too; each as one text. */
  readonly calls: () => readonly string[]
  /** Paths of the files of kept tables, within the history folder. */
  readonly files: () => readonly string[]
  /** Tells of the account what happened to it, and takes it off the list. */
  readonly remove: () => Promise<void>
}

/** The reports room with a real store, a real thread and a real client of a sandbox. */
export async function sandboxDesk(
  running: RunningSandbox,
  {
    folder = temporaryFolder(),
    traits = {},
    mostCalls,
    between = (channel) => channel,
  }: {
    folder?: string
    traits?: Partial<LiveAccount>
    mostCalls?: () => Promise<number>
    /** Stands between the reports and the engine. */
    between?: (channel: Channel) => Channel
  } = {},
): Promise<SandboxDesk> {
  const clock = new MovedClock()
  const store = localStore(folder)
  const inner = running.client({ clock })
  const made: string[] = []
  const client: typeof inner = {
    ...inner,
    call: (path, given, options) => {
      made.push(`${path} ${JSON.stringify(given)}`)
      return inner.call(path, given, options)
    },
  }
  const { accounts, stored } = accountsOf(account(traits), client)
  await store.run('accounts/put', account(traits))
  const told: Told[] = []
  const waiting = new Set<() => void>()
  const events = eventsTo((event) => {
    if (event.kind === 'reports/changed' || event.kind === 'reports/progress') {
      const { kind: name, ...more } = event
      told.push({ name, ...more })
    }
    for (const look of waiting) look()
  })
  const { historyFolder, openEngine } = historyIn(folder)
  const reports = newReports({
    ...{ store, accounts, events, clock, historyFolder, openEngine: () => between(openEngine()) },
    settings: settingsOf(mostCalls),
  })
  onTestFinished(async () => {
    await reports.stop()
    await client.close()
  })
  const words = ({ name, key, done, total, unit }: Told) =>
    name === 'reports/progress' ? `${done} of ${total} ${unit}` : `changed ${key}`
  return {
    reports,
    events,
    clock,
    calls: () => made.splice(0),
    files: () =>
      readdirSync(join(folder, 'history'), { recursive: true, encoding: 'utf8' }).filter((path) =>
        path.endsWith('.parquet'),
      ),
    ask: (query, force = false) => reports.ask({ account: firstId, query, force }),
    account: () => accounts.account(firstId),
    received: () => told.splice(0).map(words),
    until: (expected) => {
      const before = told.length
      return new Promise((resolve) => {
        const look = () => {
          if (!told.slice(before).some((each) => words(each) === expected)) return
          waiting.delete(look)
          resolve()
        }
        waiting.add(look)
      })
    },
    cancel: (query) => reports.cancel(firstId, answerKey(query)),
    asked: async () => {
      const all = await running.requests()
      await running.control('DELETE', '/requests')
      return all.map(({ path }) => path).filter((path) => !path.startsWith('interface/'))
    },
    remove: async () => {
      const dataScopes = [accounts.dataScopeOf(firstId)]
      stored.length = 0
      await store.run('accounts/remove', firstId)
      events.emit({ kind: 'account/removed', account: firstId, dataScopes })
    },
  }
}
