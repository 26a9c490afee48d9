import type { RawContext } from '../raw-context.ts'
import { failureOf, deskFailure, invalid } from '#shared/api/failure.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import { isRunning } from '#shared/raw/list.ts'
import type { RawListAnswer, RawListLack } from '#shared/raw/list.ts'
import type { ProcessingLimits, RawListRow } from '#shared/api/answers.ts'
import type { KnownReportList } from '#main/database/state/raw-reports-repository.ts'
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
import type { Expiring, ListPosition } from './list-differences.ts'

export type Attempt = Outcome<Refreshed>

/** The list of an account in this session. */
type ListState = {
  running: Promise<Refreshed> | null
  /** Starts when the running refresh has ended. */
  next: Promise<Refreshed> | null
  /** Number of changes by the app. A list fetched before the last change is outdated. */
  changes: number
  /** Whether the token may see the breakdown of usage. */
  mayUsage: boolean
  /** Whether a list was stored since the app started. */
  stored: boolean
  failure: Failure | null
  triedAt: number | null
  /** Number of unreadable reports in the last list. */
  unreadable: number
  lack: Lack | null
  /** When the service last confirmed a report that is missing from its list. */
  readonly foundAt: Map<RawReportId, number>
  readonly ending: AbortController
}

/** Circumstances in which a fetch began. */
type FetchStart = Pick<ListState, 'changes'> & {
  /** Whether the service was restarted since the last list, as the sandbox is. */
  readonly anew: boolean
}

/** Fetches lists of raw reports, one at a time per account. */
export class ListRefresher {
  readonly #context: RawContext
  readonly #onEnd: (account: AccountId, attempt: Attempt) => void
  readonly #states = new Map<AccountId, ListState>()

  /** @param ended called after every refresh */
  constructor(context: RawContext, ended: (account: AccountId, attempt: Attempt) => void) {
    this.#context = context
    this.#onEnd = ended
  }

  /** Fetches the list, or joins a running refresh. */
  refresh(account: AccountId): Promise<Refreshed> {
    return this.#stateOf(account).running ?? this.#begin(account)
  }

  /** Fetches a list that includes all earlier requests to the service. */
  fresh(account: AccountId): Promise<Refreshed> {
    const known = this.#stateOf(account)
    if (!known.running) return this.#begin(account)
    const begin = () => {
      known.next = null
      // Another caller may already have started one.
      return this.refresh(account)
    }
    known.next ??= known.running.then(begin, begin)
    return known.next
  }

  /** Marks a change by the app. Lists being fetched are outdated. */
  changed(account: AccountId): void {
    this.#stateOf(account).changes += 1
  }

  hasStored(account: AccountId): boolean {
    return this.#stateOf(account).stored
  }

  /** Why the last refresh failed; null if it succeeded. */
  failureOf(account: AccountId): Failure | null {
    return this.#stateOf(account).failure
  }

  /** State of the refreshes of a list, as shown with the list. */
  progressOf(account: AccountId): Pick<RawListAnswer, 'refreshing' | 'failure' | 'unreadable' | 'lack'> {
    const { running, failure, unreadable, lack } = this.#stateOf(account)
    return {
      ...{ refreshing: running !== null, failure, unreadable },
      lack: lack && { reports: lack.reports, isEmpty: lack.isEmpty },
    }
  }

  /** End of the last refresh by the local clock; null before the first. */
  triedAt(account: AccountId): number | null {
    return this.#stateOf(account).triedAt
  }

  /** The token changed, so the breakdown of usage may now be available. */
  renewed(account: AccountId): void {
    const known = this.#stateOf(account)
    known.changes += 1
    known.mayUsage = true
    known.failure = null
  }

  /** Cancels requests and forgets the account. */
  forget(account: AccountId): void {
    this.#states.get(account)?.ending.abort()
    this.#states.delete(account)
  }

  async stop(): Promise<void> {
    const running = [...this.#states.values()].map((account) => account.running)
    for (const account of [...this.#states.keys()]) this.forget(account)
    await Promise.allSettled(running)
  }

  #stateOf(account: AccountId): ListState {
    const known = this.#states.get(account)
    if (known) return known
    const made: ListState = {
      ...{ running: null, next: null, failure: null, triedAt: null, lack: null },
      ...{ changes: 0, mayUsage: true, stored: false, unreadable: 0, foundAt: new Map() },
      ending: new AbortController(),
    }
    this.#states.set(account, made)
    return made
  }

  #begin(account: AccountId): Promise<Refreshed> {
    const known = this.#stateOf(account)
    const running = this.#fetch(account, known)
    known.running = running
    const over = (attempt: Attempt) => {
      if (known.running === running) known.running = null
      known.failure = attempt.ok ? null : failureToShow(attempt.failure)
      known.triedAt = this.#context.clock.now()
      if (!known.ending.signal.aborted) this.#onEnd(account, attempt)
    }
    running.then(
      (refreshed) => over({ ok: true, value: refreshed }),
      (error: unknown) => over({ ok: false, failure: failureOf(error) }),
    )
    return running
  }

  /**
   * Fetches an account's list, compares it with the stored one, and stores both in one transaction.
   * @throws ServiceFailure or DeskFailure if fetching or storing fails; the stored list is unchanged
   */
  async #fetch(account: AccountId, state: ListState): Promise<Refreshed> {
    const usage = state.mayUsage
    const { kind } = this.#context.accounts.account(account)
    // The sandbox loses its reports when the app ends.
    const anew = kind === 'sample' && !state.stored
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const start = { anew, changes: state.changes }
      const client = await this.#context.accounts.clientFor(account)
      const list = await fetchList({ client, usage, signal: state.ending.signal })
      state.mayUsage = list.mayUsage
      const refreshed = await this.#compareAndStore(account, state, start, list)
      if (!refreshed) continue
      state.stored = true
      state.unreadable = refreshed.unreadable
      state.lack = refreshed.lack
      return refreshed
    }
    throw deskFailure('cancelled', 'The list kept changing while it was read.')
  }

  /** @returns null if the app made a change in the meantime */
  async #compareAndStore(
    account: AccountId,
    state: ListState,
    start: FetchStart,
    list: FetchedList,
  ): Promise<Refreshed | null> {
    const { store, clock } = this.#context
    const { signal } = state.ending
    const { foundAt } = state
    const known = await store.run('raw-reports/known', { account })
    const position = positionOf(known, start.anew)
    const next = nextToAsk(missingFrom(list.rows, known.reports, clock.now()), foundAt)
    const isOtherToken = position === 'anew'
    const found = await lookFor(this.#context, account, next, { isOtherToken, signal })
    const rows = [...list.rows, ...found.rows]
    // The first list of another token drops reports, unless the service still knows some of them.
    const saysNothing = list.rows.length === 0 && found.unanswered > 0
    const isBelieved = position !== 'anew' || (found.rows.length === 0 && !saysNothing)
    const expiring = [...rows.map(asExpiring), ...known.reports.flatMap(asExpiringKnown)]
    const saved = savedOf(this.#context, account, expiring)
    // No `await` between comparison and store call, so that exactly the compared list is stored.
    if (state.changes !== start.changes) return null
    signal.throwIfAborted()
    const fetchedAt = instantOf(clock.now())
    const { complete, limits, usage } = list
    const { gone } = found
    const seen = { known: known.reports, rows, complete: complete && isBelieved, gone, position, saved }
    const { remaining, ...differing } = differences({ ...seen, now: fetchedAt })
    const listToStore = { account, fetchedAt, limits, usage, rows, ...differing }
    if (!(await store.run('raw-reports/keep', listToStore))) throw accountGone()
    for (const { id } of list.rows) foundAt.delete(id)
    for (const { id } of found.rows) foundAt.set(id, fetchedAt)
    const lack = lackIn(list, [...found.rows.map(asExpiring), ...remaining], state.lack, fetchedAt)
    const isShort = lack !== null && !isSettled(lack, fetchedAt)
    const pollState = pollStateOf([...rows.map(asExpiring), ...remaining], fetchedAt, isShort)
    return { rows, limits, complete: complete && !isShort, unreadable: list.unreadable, lack, pollState }
  }
}

/** Maximum number of attempts if the app makes changes during the fetch. */
const tries = 5

/** A cancelled refresh reveals nothing about the service. */
const failureToShow = (failure: Failure): Failure | null => (failure.kind === 'cancelled' ? null : failure)

function positionOf(known: KnownReportList, anew: boolean): ListPosition {
  if (known.fetchedAt === null) return 'first'
  return known.anew || anew ? 'anew' : 'next'
}

/** A fetched list, compared with the stored one and stored. */
export type Refreshed = {
  readonly rows: readonly RawListRow[]
  readonly limits: ProcessingLimits
  /**
   * Whether a report without a row does not exist at the service. False while known reports are missing from the list,
   * because new ones may be missing as well.
   */
  readonly complete: boolean
  /** Number of unreadable reports in the service's list. */
  readonly unreadable: number
  readonly lack: Lack | null
  readonly pollState: PollState
}

/** Facts that determine the next poll. */
export type PollState = {
  /** Number of running reports. */
  readonly running: number
  readonly listed: number
  /** Whether known reports are missing from the list, so that the list is fetched again soon. */
  readonly isShort: boolean
  /** When the next report approaches its expiry; null if none does. */
  readonly nextExpiry: number | null
}

/** Reports missing from a list, and since when the same reports have been missing. */
type Lack = RawListLack & { readonly ids: string; readonly since: number }

/** After this time in milliseconds, an incomplete list counts as normal for the service; an empty list never does. */
const settlesAfter = 5 * 60_000

/**
 * Returns the known reports missing from a list. Running reports are ignored, because the service may list new ones
 * late.
 * @param missing reports that are not in the list but still exist here
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

/** Reports that expire tomorrow and whose files are saved. */
export function savedOf(
  { clock, downloads }: RawContext,
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
