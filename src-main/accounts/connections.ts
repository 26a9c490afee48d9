import type { AppEvents } from '#main/lib/app-events.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseBeyond } from '#main/lib/retry.ts'
import type { Connection } from '#shared/accounts/account.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { Accounts } from './accounts.ts'
import { neverRenewed } from './earlier.ts'

/** Sends a minimal request to the service. @returns when the response arrived @throws the client's errors */
type Probe = (account: AccountId, signal: AbortSignal) => Promise<Instant>

type ConnectionsContext = {
  readonly accounts: Accounts
  readonly events: AppEvents
  readonly clock: Clock
  /** From 0 to 1, for the jitter of probing. Defaults to `Math.random`. */
  readonly random?: () => number
}

type Known = {
  readonly connection: Connection
  /** Why the last request could not be answered; null while the service is reachable. */
  readonly obstacle: Failure | null
  /** Whether the connection was lost since the last success. */
  readonly lost: boolean
  readonly onlineAgainAt: Instant | null
  /** When the service last responded. */
  readonly lastAnswerAt: Instant | null
}

const nothingKnown: Known = {
  connection: { kind: 'unknown' },
  obstacle: null,
  lost: false,
  onlineAgainAt: null,
  lastAnswerAt: null,
}

/**
 * If the connection is lost again within this time (ms), pauses keep growing: a report that always fails must not cause a loop.
 */
const calmAfter = 60_000

/** Timeout of a probe (ms). A probe is minimal, so a slower service counts as unreachable. */
const probeLimit = 20_000

/** A service that responded within this time (ms) is not checked. */
const minIntervalMs = 20_000

/**
 * State of each account's connection, derived from its last response or failure. While a window is open, the active account's
 * service is probed until it responds.
 */
export class Connections {
  readonly #context: ConnectionsContext
  readonly #ask: Probe
  readonly #states = new Map<AccountId, Known>()
  #active: AccountId | null = null
  #watching = false

  /** The running probe, whether it is pausing, the last pause (ms), and when the last probe ended. */
  #probing: AbortController | null = null
  #isPausing = false
  #lastPause = 0
  #endedAt = -Infinity

  constructor(context: ConnectionsContext, ask: Probe) {
    this.#context = context
    this.#ask = ask
  }

  get(account: AccountId): Connection {
    return this.#knownOf(account).connection
  }

  /** Why the last attempt failed; null if it did not. Then requests are only sent by force or if nothing is stored. */
  obstacle(account: AccountId): Failure | null {
    return this.#knownOf(account).obstacle
  }

  onlineAgainAt(account: AccountId): Instant | null {
    return this.#knownOf(account).onlineAgainAt
  }

  /** Makes this account the active one and probes its service at once. */
  follow(account: AccountId | null): void {
    this.#active = account
    this.retryNow()
  }

  /** Sets whether a window is open. Without one, nothing is probed. */
  setWatching(watching: boolean): void {
    if (watching === this.#watching) return
    this.#watching = watching
    if (!watching) this.#endProbe()
    else if (this.#active !== null && this.get(this.#active).kind !== 'online') this.retryNow()
  }

  /** Probes an online service that has not responded for a while, so that the displayed status stays true. */
  look(): void {
    if (this.#active === null || this.#probing) return
    const { connection, lastAnswerAt } = this.#knownOf(this.#active)
    if (connection.kind !== 'online' || lastAnswerAt === null) return
    // A time in the future means that the clock was set back.
    if (Math.abs(this.#context.clock.now() - lastAnswerAt) >= minIntervalMs) this.#probe('at-once')
  }

  /** Probes at once, for example when the computer wakes up or finds a network. */
  retryNow(): void {
    this.#endProbe()
    // A refused token is tried once more: services disable tokens for a while (field notes: answers and failures).
    const state = this.#active && this.get(this.#active).kind
    if (state !== 'no-token') this.#probe('at-once')
  }

  /** Called when the account has a new token, so that refused requests may succeed. */
  forgive(account: AccountId): void {
    this.#set(account, { ...this.#knownOf(account), connection: { kind: 'unknown' }, obstacle: null })
    if (account === this.#active) this.retryNow()
  }

  /**
   * Called when the service requests a rest, or responds after one. During a rest no requests are sent; stored figures are
   * shown.
   * @param until time of the next request; null once the service has responded
   */
  noteRest(account: AccountId, until: Instant | null): void {
    if (until === null) return this.#online(account, instantOf(this.#context.clock.now()))
    this.#set(account, {
      ...this.#knownOf(account),
      connection: { kind: 'resting', until },
      obstacle: resting,
    })
    // If no request is waiting for the service, a probe has to detect the end of the rest.
    if (account === this.#active && (this.#probing === null || this.#isPausing)) this.#probe('at-once')
  }

  forget(account: AccountId): void {
    this.#states.delete(account)
  }

  noteSuccess(account: AccountId, instant: Instant): void {
    // A response to a request from before the rest does not end the rest.
    if (this.#restOf(account) > 0) return
    this.#online(account, instant)
  }

  #online(account: AccountId, instant: Instant): void {
    const { connection, lost, onlineAgainAt } = this.#knownOf(account)
    if (account === this.#active) this.#endProbe()
    this.#set(account, {
      connection: { kind: 'online' },
      obstacle: null,
      lost: false,
      onlineAgainAt: lost ? instant : onlineAgainAt,
      lastAnswerAt: instant,
    })
    // A rest does not make figures stale: only requests that were left out are repeated.
    if (lost || connection.kind === 'resting') this.#context.events.emit({ kind: 'connection/back', account })
  }

  noteFailure(account: AccountId, failure: Failure): void {
    const probe = (when: 'at-once' | 'after-a-pause') => {
      if (account === this.#active && !this.#probing) this.#probe(when)
    }
    const { connection } = failureMeanings[failure.kind]
    switch (connection) {
      case 'offline':
      // Probes fail until the user has signed in; by then another proxy may be in use.
      case 'proxy-sign-in':
        this.#lose(account, { kind: connection }, failure)
        return probe('after-a-pause')
      case 'doubtful':
        return probe('at-once')
      case 'online':
        return this.noteSuccess(account, instantOf(this.#context.clock.now()))
      case 'refused':
      case 'no-token':
        return this.#giveUp(account, { kind: connection }, failure)
      case null:
        return
    }
  }

  #knownOf(account: AccountId): Known {
    const known = this.#states.get(account)
    if (known) return known
    const obstacle = offlineReason(this.#context.accounts, account)
    return obstacle ? { ...nothingKnown, connection: { kind: 'no-token' }, obstacle } : nothingKnown
  }

  #set(account: AccountId, known: Known): void {
    const before = momentOf(this.get(account))
    this.#states.set(account, known)
    if (momentOf(known.connection) === before) return
    this.#context.events.emit({ kind: 'connection/changed', account, connection: known.connection })
  }

  #lose(account: AccountId, connection: Connection, obstacle: Failure): void {
    this.#set(account, { ...this.#knownOf(account), connection, obstacle, lost: true })
  }

  /** Stops probing. A retry cannot succeed until a token is entered. */
  #giveUp(account: AccountId, connection: Connection, obstacle: Failure): void {
    if (account === this.#active) this.#endProbe()
    this.#lose(account, connection, obstacle)
  }

  /** Whether a probe may have failed because the client held it back during a rest. */
  #isHeldBack(account: AccountId, { kind }: Failure): boolean {
    return this.get(account).kind === 'resting' && kind !== 'offline'
  }

  /** Remaining rest of the account's service in milliseconds; 0 if there is none. */
  #restOf(account: AccountId): number {
    const connection = this.get(account)
    return connection.kind === 'resting' ? Math.max(0, connection.until - this.#context.clock.now()) : 0
  }

  /** Starts a new probe in place of a running one. It repeats after 1 s, 2 s, 4 s and so on up to 30 s, or after a rest. */
  #probe(when: 'at-once' | 'after-a-pause'): void {
    if (!this.#watching || this.#active === null) return
    const calm = this.#context.clock.now() - this.#endedAt >= calmAfter
    this.#endProbe()
    if (calm || when === 'at-once') this.#lastPause = 0
    const controller = new AbortController()
    this.#probing = controller
    const rest = this.#restOf(this.#active)
    const pause = when === 'at-once' ? 0 : this.#nextPause()
    void this.#probeUntilFound(this.#active, { pause, rest }, controller)
  }

  #endProbe(): void {
    if (this.#probing === null) return
    this.#probing.abort()
    this.#probing = null
    this.#endedAt = this.#context.clock.now()
  }

  async #probeUntilFound(account: AccountId, first: Wait, controller: AbortController): Promise<void> {
    const { signal } = controller
    let wait = first
    while (await this.#waited(wait, signal)) {
      if (await this.#tryOnce(account, signal)) break
      wait = { pause: this.#nextPause(), rest: this.#restOf(account) }
    }
    if (this.#probing === controller) this.#endProbe()
  }

  #nextPause(): number {
    return (this.#lastPause = pauseBeyond('probe', this.#lastPause))
  }

  /** @returns false if aborted meanwhile */
  async #waited({ pause, rest }: Wait, signal: AbortSignal): Promise<boolean> {
    try {
      this.#isPausing = true
      if (rest > 0) await this.#context.clock.wait(rest, signal)
      else if (pause > 0)
        await this.#context.clock.wait(byChance('probe', pause, this.#context.random), signal)
      if (!signal.aborted) this.#isPausing = false
      return !signal.aborted
    } catch {
      return false
    }
  }

  /** @returns whether to stop probing: the service was found, or a retry cannot help */
  async #tryOnce(account: AccountId, signal: AbortSignal): Promise<boolean> {
    try {
      const limit = { milliseconds: probeLimit, clock: this.#context.clock, signal, late: noAnswer }
      const instant = await withTimeout(limit, (limited) => this.#ask(account, limited))
      if (!signal.aborted) this.noteSuccess(account, instant)
      return true
    } catch (error) {
      return signal.aborted || this.#judge(account, failureOf(error))
    }
  }

  /** Applies the failure of a probe. @returns whether to stop probing */
  #judge(account: AccountId, failure: Failure): boolean {
    const { connection } = failureMeanings[failure.kind]
    switch (connection) {
      case 'refused':
      case 'no-token':
      case 'online':
        this.noteFailure(account, failure)
        return true
      case 'proxy-sign-in':
        this.#lose(account, { kind: connection }, failure)
        return false
      case 'offline':
      case 'doubtful':
      case null:
        // The client was closed because of a new token, or holds the probe back: neither is about the service.
        if (failure.kind !== 'cancelled' && !this.#isHeldBack(account, failure))
          this.#lose(account, { kind: 'offline' }, failure)
        return false
    }
  }
}

/** Milliseconds before a probe. A rest replaces the pause. */
type Wait = { readonly pause: number; readonly rest: number }

const resting: Failure = {
  kind: 'resting',
  message: 'The service asks for rest. Traffic Desk tries again automatically.',
}

/** Key of a connection state. Equal keys mean no change. */
const momentOf = (connection: Connection): string =>
  connection.kind === 'resting' ? `resting ${connection.until}` : connection.kind

const noAnswer = () =>
  deskFailure('timed-out', `The service did not respond within ${probeLimit / 1000} seconds.`)

/** Why an account never sends requests: one for earlier figures is read-only. Null for other accounts and for removed ones. */
function offlineReason(accounts: Accounts, account: AccountId): Failure | null {
  try {
    return accounts.account(account).kind === 'earlier' ? neverRenewed().failure : null
  } catch {
    return null
  }
}
