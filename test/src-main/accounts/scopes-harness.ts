import { onTestFinished } from 'vitest'
import { Accounts } from '#main/accounts/accounts.ts'
import type { CreateClient } from '#main/accounts/clients.ts'
import type { Reports } from '#main/reports/reports.ts'
import { createServiceClient } from '#main/api/client.ts'
import type { Store } from '#main/database/open-store.ts'
import type { Notice } from '#shared/app/state.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { FakeKeychain } from './helpers.ts'
import { localStore, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { historyIn, now } from '../reports/helpers.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { newReports } from '../reports/new-reports.ts'

/** Noon of the sandbox's last day, or so much later; nobody waits for anything. */
class MovedClock {
  moved = 0
  readonly now = () => Date.parse(now) + this.moved
  readonly wait = () => Promise.resolve()
}

export type Harness = {
  readonly accounts: Accounts
  readonly reports: Reports
  readonly events: AppEvents
  readonly store: Store
  readonly keychain: FakeKeychain
  readonly clock: MovedClock
  readonly notices: readonly Notice[]
  readonly folder: string
  /** Ends all of it, as a quit does; the folder and the keychain stay. */
  readonly end: () => Promise<void>
}

type Around = {
  readonly folder?: string
  readonly keychain?: FakeKeychain
  readonly clock?: MovedClock
  /** Puts something between desk and service. */
  readonly client?: (create: CreateClient) => CreateClient
  /** Puts something between desk and disk. */
  readonly wrap?: (store: Store) => Store
}

/** The accounts and the reports over a real store, with real clients: what the desk joins. */
export async function openHarness({
  folder = temporaryFolder(),
  keychain = new FakeKeychain(),
  clock = new MovedClock(),
  client = (create) => create,
  wrap = (store) => store,
}: Around = {}): Promise<Harness> {
  const store = wrap(localStore(folder))
  const notices: Notice[] = []
  const events = eventsTo((event) => {
    if (event.kind === 'notice/shown') notices.push(event.notice)
  })
  const create = client((options) => createServiceClient({ ...options, clock, random: () => 0 }))
  const noSample = () => Promise.reject(new Error('No sample here'))
  const accounts = new Accounts({
    ...{ store, keychain, createClient: create, startSample: noSample, events, clock },
  })
  const { historyFolder, openEngine } = historyIn(folder)
  const reports = newReports({ store, accounts, events, clock, historyFolder, openEngine })
  await accounts.open()
  let ended = false
  const end = async () => {
    if (ended) return
    ended = true
    await reports.stop()
    await accounts.stop()
  }
  onTestFinished(end)
  return { accounts, reports, events, store, keychain, clock, notices, folder, end }
}

/** Days of November 2026, the last of them long settled. */
export const days = (start: number, end: number) => ({
  start: day(`2026-11-${String(start).padStart(2, '0')}`),
  end: day(`2026-11-${String(end).padStart(2, '0')}`),
})

/** Instances that a token sees, and others that it comes to see. */
export const few = ['4101', '4189']
export const more = ['4101', '4117', '4123']

/** From now on the sandbox's limited token sees these. */
export const limitTo = ({ control }: RunningSandbox, instances: readonly string[]) =>
  control('POST', '/tokens', { limit: instances })

/** Connects an account with the sandbox's limited token. */
export async function connectLimited({ accounts }: Harness, { sandbox }: RunningSandbox): Promise<AccountId> {
  const { address, tokens } = sandbox
  const known = { name: 'Acme', address, token: tokens.limited }
  return (await accounts.connect({ ...known, storage: 'keychain', bodyEncoding: 'json' })).id
}

/** A table that is answered from kept days, added up. */
export const devices: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'devices',
  range: days(1, 6),
  limit: 1000,
  whole: true,
}

/** What an account is shown over a range: the row of all, and every row. */
export async function shown(reports: Reports, account: AccountId, query: TableQuery = devices) {
  const { figures, provenance } = await reports.ask({ account, query, force: false })
  if (!('table' in figures)) throw new TypeError('Not a table')
  const { all, rows } = figures.table
  return { all: all?.cells, rows, total: figures.total, missing: provenance.missing }
}
