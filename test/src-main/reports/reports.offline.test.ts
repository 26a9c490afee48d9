import { expect, it, onTestFinished } from 'vitest'
import { Accounts } from '#main/accounts/accounts.ts'
import { Reports } from '#main/reports/reports.ts'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import { createServiceClient } from '#main/api/client.ts'
import { systemClock } from '#main/lib/async.ts'
import { openStore } from '#main/database/open-store.ts'
import type { Account } from '#shared/accounts/account.ts'
import { plainTable, queryKey } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { AppEvent } from '#main/lib/app-events.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { FakeKeychain } from '../accounts/helpers.ts'
import { temporaryFolder, workerFile } from '../database/helpers.ts'
import { historyIn } from './helpers.ts'
import { settingsOf } from './new-reports.ts'

const today = dayAt(Date.now(), 'UTC')

const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: { start: addDays(today, -6), end: today },
}

/** What was emitted; whoever waits for something hears of it as soon as it comes. */
class Events {
  readonly all: AppEvent[] = []
  readonly #waiting = new Set<() => void>()

  readonly bus = eventsTo((event) => {
    this.all.push(event)
    for (const look of this.#waiting) look()
  })

  /** Resolves when something that fits has been emitted since the last `clear`. */
  until(fits: (emitted: AppEvent) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = () => {
        if (!this.all.some(fits)) return
        this.#waiting.delete(look)
        resolve()
      }
      this.#waiting.add(look)
      look()
    })
  }

  clear(): void {
    this.all.length = 0
  }
}

/** The desk as the app joins it, without a window: a real store thread, a real client. */
async function openDesk(folder: string, keychain: FakeKeychain) {
  const events = new Events()
  const store = openStore({ folder, worker: workerFile })
  const noSample = () => Promise.reject(new Error('not here'))
  const accounts = new Accounts({
    ...{ store, keychain, createClient: createServiceClient, startSample: noSample },
    ...{ events: events.bus, clock: systemClock },
  })
  const { historyFolder, openEngine } = historyIn(folder)
  const reports = new Reports({
    ...{ store, accounts, settings: settingsOf(), events: events.bus, clock: systemClock },
    ...{ historyFolder, openEngine },
  })
  await accounts.open()
  reports.setWatching(true)
  let open = true
  const close = async () => {
    if (!open) return
    open = false
    await reports.stop()
    await store.close()
  }
  onTestFinished(close)
  return { accounts, reports, events, close }
}

const isState = (state: string) => (each: AppEvent) =>
  each.kind === 'connection/changed' && each.connection.kind === state
const isChange = (each: AppEvent) => each.kind === 'reports/changed' && each.key === queryKey(query)

it('reads a report, loses the service, starts again, still reads it, and finds the service by itself', async () => {
  const folder = temporaryFolder()
  const keychain = new FakeKeychain()
  let sandbox = await createSandbox({ seed: 7, today })
  onTestFinished(() => sandbox.close())
  const port = Number(new URL(sandbox.address).port)
  const entry = {
    name: 'Acme',
    address: sandbox.address,
    token: sandbox.tokens.admin,
    storage: 'keychain',
    bodyEncoding: 'json',
  } as const
  const ask = (desk: Awaited<ReturnType<typeof openDesk>>, account: Account, force = false) =>
    desk.reports.ask({ account: account.id, query, force })

  const first = await openDesk(folder, keychain)
  const account = await first.accounts.connect(entry)
  const fresh = await ask(first, account)
  expect(fresh.provenance).toMatchObject({ from: 'service', failure: null })
  expect(fresh.kind === 'table' && fresh.figures.table.rows.length).toBeGreaterThan(3)

  await sandbox.close()
  first.events.clear()
  expect((await ask(first, account, true)).figures).toEqual(fresh.figures)
  await first.events.until(isState('offline'))
  await first.events.until(isChange)
  expect((await ask(first, account)).provenance).toMatchObject({
    from: 'stored',
    failure: { kind: 'offline' },
  })
  await first.close()

  const second = await openDesk(folder, keychain)
  expect(second.accounts.active()).toBe(account.id)
  await second.events.until(isState('offline'))
  const stored = await ask(second, account)
  expect(stored.figures).toEqual(fresh.figures)
  expect(stored.provenance.fetchedAt).toBe(fresh.provenance.fetchedAt)

  second.events.clear()
  sandbox = await createSandbox({ seed: 7, today, port })
  second.reports.wake()
  await second.events.until(isState('online'))
  await second.events.until(isChange)
  second.events.clear()
  expect((await ask(second, account)).provenance.refreshing).toBe(true)
  await second.events.until(isChange)
  const again = await ask(second, account)
  expect(again.provenance).toMatchObject({ from: 'stored', refreshing: false, failure: null })
  expect(again.provenance.fetchedAt).toBeGreaterThan(fresh.provenance.fetchedAt)
}, 60_000)
