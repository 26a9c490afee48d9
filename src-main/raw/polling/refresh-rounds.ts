import type { RawAccounts } from '../list/fetch-list.ts'
import type { Downloads } from '../downloads/downloads.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Store } from '#main/database/state/state-store.ts'
import { failureOf, deskFailure, invalid } from '#shared/api/failure.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import { isRunning } from '#shared/raw/list.ts'
import type { RawListLack } from '#shared/raw/list.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { KnownList } from '#main/database/state/raw-reports-repository.ts'
import { fetchList } from '../list/fetch-list.ts'
import type { FetchedList } from '../list/fetch-list.ts'
import {
  asExpiring,
  asExpiringKnown,
  differences,
  expireTomorrow,
  nextExpiry,
  nextToAsk,
  lookFor,
  missingFrom,
} from './list-differences.ts'
import type { Expiring, ListTurn } from './list-differences.ts'

/** How an attempt ended. */
export type Attempt = Outcome<Refreshed>

type Account = {
  running: Promise<Refreshed> | null
  /** One that begins when the running one has ended. */
  next: Promise<Refreshed> | null
  changes: number
  mayUsage: boolean
  /** Whether a list was kept since the app started. */
  stored: boolean
  failure: Failure | null
  triedAt: number | null
  /** How many reports of the last list cannot be read. */
  unreadable: number
  lack: Lack | null
  /** When the service last said of a report that its list lacks that it is there. */
  readonly foundAt: Map<RawReportId, number>
  readonly ending: AbortController
}

/** Fetches lists, of each account one at a time. */
export class Refreshing {
  readonly #store: Store
  readonly #accounts: RawAccounts
  readonly #downloads: Pick<Downloads, 'savedState' | 'reportReady'>
  readonly #clock: Clock
  readonly #ended: (account: AccountId, attempt: Attempt) => void
  readonly #states = new Map<AccountId, Account>()

  /** @param ended hears of every attempt */
  constructor(
    store: Store,
    accounts: RawAccounts,
    downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
    clock: Clock,
    ended: (account: AccountId, attempt: Attempt) => void,
  ) {
    this.#store = store
    this.#accounts = accounts
    this.#downloads = downloads
    this.#clock = clock
    this.#ended = ended
  }

  /** Fetches the list, or joins whoever does. */
  refresh(account: AccountId): Promise<Refreshed> {
    return this.#stateOf(account).running ?? this.#begin(account)
  }

  /** Fetches a list that tells of everything that was asked of the service before now. */
  fresh(account: AccountId): Promise<Refreshed> {
    const known = this.#stateOf(account)
    if (!known.running) return this.#begin(account)
    const begin = () => {
      known.next = null
      // Somebody may have been quicker, with one that begins now.
      return this.refresh(account)
    }
    known.next ??= known.running.then(begin, begin)
    return known.next
  }

  /** Something is changed from here: a list that is being fetched does not count. */
  changed(account: AccountId): void {
    this.#stateOf(account).changes += 1
  }

  isRunning(account: AccountId): boolean {
    return this.#stateOf(account).running !== null
  }

  /** Whether a list was kept since the app started. */
  hasStored(account: AccountId): boolean {
    return this.#stateOf(account).stored
  }

  /** Why the last attempt failed; null where it did not. */
  failureOf(account: AccountId): Failure | null {
    return this.#stateOf(account).failure
  }

  /** How many reports of the last list cannot be read. */
  unreadableOf(account: AccountId): number {
    return this.#stateOf(account).unreadable
  }

  /** What the last list lacked of those before it; null where it lacked nothing. */
  lackOf(account: AccountId): RawListLack | null {
    const { lack } = this.#stateOf(account)
    return lack && { reports: lack.reports, isEmpty: lack.isEmpty }
  }

  /** When the last attempt ended, by this machine's clock; null before the first. */
  triedAt(account: AccountId): number | null {
    return this.#stateOf(account).triedAt
  }

  /** With another token, the breakdown of usage may be given. */
  renewed(account: AccountId): void {
    const known = this.#stateOf(account)
    known.changes += 1
    known.mayUsage = true
    known.failure = null
  }

  /** Breaks off what is asked for an account. */
  forget(account: AccountId): void {
    this.#states.get(account)?.ending.abort()
    this.#states.delete(account)
  }

  /** Breaks everything off. */
  async stop(): Promise<void> {
    const running = [...this.#states.values()].map((account) => account.running)
    for (const account of [...this.#states.keys()]) this.forget(account)
    await Promise.allSettled(running)
  }

  #stateOf(account: AccountId): Account {
    const known = this.#states.get(account)
    if (known) return known
    const made: Account = {
      ...{ running: null, next: null, failure: null, triedAt: null, lack: null },
      ...{ changes: 0, mayUsage: true, stored: false, unreadable: 0, foundAt: new Map() },
      ending: new AbortController(),
    }
    this.#states.set(account, made)
    return made
  }

  #begin(account: AccountId): Promise<Refreshed> {
    const known = this.#stateOf(account)
    const running = this.#run(account, known)
    known.running = running
    const over = (attempt: Attempt) => {
      if (known.running === running) known.running = null
      known.failure = attempt.ok ? null : shown(attempt.failure)
      known.triedAt = this.#clock.now()
      if (!known.ending.signal.aborted) this.#ended(account, attempt)
    }
    running.then(
      (refreshed) => over({ ok: true, value: refreshed }),
      (error: unknown) => over({ ok: false, failure: failureOf(error) }),
    )
    return running
  }

  async #run(account: AccountId, known: Account): Promise<Refreshed> {
    const { kind } = this.#accounts.account(account)
    const refreshed = await refresh(this.#store, this.#accounts, this.#downloads, this.#clock, {
      account,
      signal: known.ending.signal,
      usage: known.mayUsage,
      noteUsage: (given) => (known.mayUsage = given),
      changes: () => known.changes,
      // The sample's service forgets, when the app ends, what was asked of it.
      anew: kind === 'sample' && !known.stored,
      foundAt: known.foundAt,
      lack: known.lack,
    })
    known.stored = true
    known.unreadable = refreshed.unreadable
    known.lack = refreshed.lack
    return refreshed
  }
}

/** That something was broken off says nothing of the service. */
const shown = (failure: Failure): Failure | null => (failure.kind === 'cancelled' ? null : failure)

/** A list that was fetched, compared with what was known, and kept. */
export type Refreshed = {
  readonly rows: readonly RawListRow[]
  readonly limits: ProcessingLimits
  /**
   * Whether a report that is not among the rows is not in the service's list: not while the list suddenly lacks some that it had, since
   * it may lack new ones as well.
   */
  readonly complete: boolean
  /** How many reports of the service's list cannot be read. */
  readonly unreadable: number
  readonly lack: Lack | null
  readonly pollState: PollState
}

/** What there is to wait for. */
export type PollState = {
  /** How many reports run. */
  readonly running: number
  /** How many reports there are at all. */
  readonly listed: number
  /** Whether the list lacked some of them: it is asked for again soon. */
  readonly isShort: boolean
  /** When the next one comes near its expiry. */
  readonly nextExpiry: number | null
}

type RefreshParams = {
  readonly account: AccountId
  readonly signal: AbortSignal
  /** Whether to ask for the breakdown of usage; told whether it was given. */
  readonly usage: boolean
  readonly noteUsage: (given: boolean) => void
  /** Counts what this desk asked the service to change: a list from before that is an old one. */
  readonly changes: () => number
  /** Whether what was known was of a service that has been started anew since: the sample's. */
  readonly anew: boolean
  readonly foundAt: Map<RawReportId, number>
  /** What the list before lacked. */
  readonly lack: Lack | null
}

/** A list during which something was changed from here is fetched again, so many times in all. */
const tries = 5

/**
 * Fetches an account's list, finds out what has happened since the last one, and keeps both in one transaction.
 * @throws ServiceFailure or DeskFailure where it cannot be fetched or kept; what was kept stays as it was
 */
async function refresh(
  store: Store,
  accounts: RawAccounts,
  downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
  clock: Clock,
  params: RefreshParams,
): Promise<Refreshed> {
  const { account, signal } = params
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const begun = params.changes()
    const client = await accounts.clientFor(account)
    const list = await fetchList({ client, usage: params.usage, signal })
    params.noteUsage(list.mayUsage)
    const refreshed = await compared(store, accounts, downloads, clock, params, list, begun)
    if (refreshed) return refreshed
  }
  throw deskFailure('cancelled', 'The list kept changing while it was read.')
}

function turnOf(known: KnownList, anew: boolean): ListTurn {
  if (known.fetchedAt === null) return 'first'
  return known.anew || anew ? 'anew' : 'next'
}

/** @returns null where something was changed from here meanwhile */
async function compared(
  store: Store,
  accounts: RawAccounts,
  downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
  clock: Clock,
  params: RefreshParams,
  list: FetchedList,
  begun: number,
): Promise<Refreshed | null> {
  const { account, signal, anew, changes, foundAt } = params
  const known = await store.run('raw-reports/known', { account })
  const turn = turnOf(known, anew)
  const next = nextToAsk(missingFrom(list.rows, known.reports, clock.now()), foundAt)
  const isOtherToken = turn === 'anew'
  const found = await lookFor(store, accounts, clock, account, next, { isOtherToken, signal })
  const rows = [...list.rows, ...found.rows]
  // What another token does not see is dropped by its first list, unless the service knows some of it all the same.
  const saysNothing = list.rows.length === 0 && found.unanswered > 0
  const isBelieved = turn !== 'anew' || (found.rows.length === 0 && !saysNothing)
  const expiring = [...rows.map(asExpiring), ...known.reports.flatMap(asExpiringKnown)]
  const saved = await savedOf(downloads, clock, account, expiring)
  // From here to the asking of the store, nothing is waited for: what is compared is what is kept.
  if (changes() !== begun) return null
  signal.throwIfAborted()
  const fetchedAt = clock.now() as Instant
  const { complete, limits, usage } = list
  const { gone } = found
  const seen = { known: known.reports, rows, complete: complete && isBelieved, gone, turn, saved }
  const { remaining, ...differing } = differences({ ...seen, now: fetchedAt })
  const listToStore = { account, fetchedAt, limits, usage, rows, ...differing }
  if (!(await store.run('raw-reports/keep', listToStore))) throw accountGone()
  for (const { id } of list.rows) foundAt.delete(id)
  for (const { id } of found.rows) foundAt.set(id, fetchedAt)
  const lack = lackIn(list, [...found.rows.map(asExpiring), ...remaining], params.lack, fetchedAt)
  const isShort = lack !== null && !isSettled(lack, fetchedAt)
  const pollState = pollStateOf([...rows.map(asExpiring), ...remaining], fetchedAt, isShort)
  return { rows, limits, complete: complete && !isShort, unreadable: list.unreadable, lack, pollState }
}

/** What a list lacks, and since when lists have lacked the same. */
type Lack = RawListLack & { readonly ids: string; readonly since: number }

/** A list that lacks the same reports for so long is how this service lists them, in milliseconds. One that is empty never is. */
const settlesAfter = 5 * 60_000

/**
 * What a list lacks that it had. A report that runs may have been requested a moment ago, and is listed later.
 * @param missing reports that are not on it and stay listed here
 */
function lackIn(
  { rows }: FetchedList,
  missing: readonly Expiring[],
  before: Lack | null,
  now: number,
): Lack | null {
  const unlisted = missing.filter(({ state }) => !isRunning(state))
  if (unlisted.length === 0) return null
  const ids = JSON.stringify(unlisted.map(({ id }) => id).sort())
  const since = before?.ids === ids && before.since <= now ? before.since : now
  return { reports: unlisted.length, isEmpty: rows.length === 0, ids, since }
}

const isSettled = ({ isEmpty, since }: Lack, now: number): boolean => !isEmpty && now - since >= settlesAfter

const accountGone = () => invalid('This account has been removed.')

/** Those of the reports that expire tomorrow whose files are on disk. */
export function savedOf(
  downloads: Pick<Downloads, 'savedState' | 'reportReady'>,
  clock: Clock,
  account: AccountId,
  reports: readonly Expiring[],
): ReadonlySet<RawReportId> {
  const tomorrow = expireTomorrow(reports, clock.now())
  return new Set(tomorrow.filter((id) => downloads.savedState(account, id) === 'saved'))
}

export function pollStateOf(reports: readonly Expiring[], now: number, isShort = false): PollState {
  return {
    isShort,
    running: reports.filter(({ state }) => isRunning(state)).length,
    listed: reports.length,
    nextExpiry: nextExpiry(reports, now),
  }
}
