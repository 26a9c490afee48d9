import { failureOf } from '#shared/app/desk-failure.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { RawReportsParts } from '../list/raw-reports-parts.ts'
import { refresh } from './refresh.ts'
import type { Refreshed } from './refresh.ts'

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
  readonly ending: AbortController
}

/** Fetches lists, of each account one at a time. */
export class Refreshing {
  readonly #parts: RawReportsParts
  readonly #ended: (account: AccountId, attempt: Attempt) => void
  readonly #accounts = new Map<AccountId, Account>()

  /** @param ended hears of every attempt */
  constructor(parts: RawReportsParts, ended: (account: AccountId, attempt: Attempt) => void) {
    this.#parts = parts
    this.#ended = ended
  }

  /** Fetches the list, or joins whoever does. */
  soon(account: AccountId): Promise<Refreshed> {
    return this.#of(account).running ?? this.#begin(account)
  }

  /** Fetches a list that tells of everything that was asked of the service before now. */
  fresh(account: AccountId): Promise<Refreshed> {
    const known = this.#of(account)
    if (!known.running) return this.#begin(account)
    const begin = () => {
      known.next = null
      // Somebody may have been quicker, with one that begins now.
      return this.soon(account)
    }
    known.next ??= known.running.then(begin, begin)
    return known.next
  }

  /** Something is changed from here: a list that is being fetched does not count. */
  changed(account: AccountId): void {
    this.#of(account).changes += 1
  }

  isRunning(account: AccountId): boolean {
    return this.#of(account).running !== null
  }

  /** Whether a list was kept since the app started. */
  hasStored(account: AccountId): boolean {
    return this.#of(account).stored
  }

  /** Why the last attempt failed; null where it did not. */
  failureOf(account: AccountId): Failure | null {
    return this.#of(account).failure
  }

  /** When the last attempt ended, by this machine's clock; null before the first. */
  triedAt(account: AccountId): number | null {
    return this.#of(account).triedAt
  }

  /** With another token, the breakdown of usage may be given. */
  renewed(account: AccountId): void {
    const known = this.#of(account)
    known.changes += 1
    known.mayUsage = true
    known.failure = null
  }

  /** Breaks off what is asked for an account. */
  forget(account: AccountId): void {
    this.#accounts.get(account)?.ending.abort()
    this.#accounts.delete(account)
  }

  /** Breaks everything off. */
  async close(): Promise<void> {
    const running = [...this.#accounts.values()].map((account) => account.running)
    for (const account of [...this.#accounts.keys()]) this.forget(account)
    await Promise.allSettled(running)
  }

  #of(account: AccountId): Account {
    const known = this.#accounts.get(account)
    if (known) return known
    const made: Account = {
      ...{ running: null, next: null, failure: null, triedAt: null },
      ...{ changes: 0, mayUsage: true, stored: false },
      ending: new AbortController(),
    }
    this.#accounts.set(account, made)
    return made
  }

  #begin(account: AccountId): Promise<Refreshed> {
    const known = this.#of(account)
    const running = this.#run(account, known)
    known.running = running
    const over = (attempt: Attempt) => {
      if (known.running === running) known.running = null
      known.failure = attempt.ok ? null : shown(attempt.failure)
      known.triedAt = this.#parts.clock.now()
      if (!known.ending.signal.aborted) this.#ended(account, attempt)
    }
    running.then(
      (refreshed) => over({ ok: true, value: refreshed }),
      (error: unknown) => over({ ok: false, failure: failureOf(error) }),
    )
    return running
  }

  async #run(account: AccountId, known: Account): Promise<Refreshed> {
    const { kind } = this.#parts.accounts.account(account)
    const refreshed = await refresh(this.#parts, {
      account,
      signal: known.ending.signal,
      usage: known.mayUsage,
      noteUsage: (given) => (known.mayUsage = given),
      changes: () => known.changes,
      // The sample's service forgets, when the app ends, what was asked of it.
      anew: kind === 'sample' && !known.stored,
    })
    known.stored = true
    return refreshed
  }
}

/** That something was broken off says nothing of the service. */
const shown = (failure: Failure): Failure | null => (failure.kind === 'cancelled' ? null : failure)
