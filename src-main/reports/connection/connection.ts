import type { Emitter } from '#main/lib/app-events.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseBeyond } from '#main/lib/retry.ts'
import type { Connection } from '#shared/accounts/account.ts'
import type { FailureKind, Failure } from '#shared/api/failure.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'

/**
 * What a failure says of the service: it is `away`; it may be (`doubtful`); it `answers`, though not with figures; it
 * `refused` the token; there is `no-token` to ask with; a `proxy` lets nobody through who does not sign in; or it says `nothing` of it.
 */
type Meaning = 'away' | 'doubtful' | 'answers' | 'refused' | 'no-token' | 'proxy' | 'nothing'

const meanings: Readonly<Record<FailureKind, Meaning>> = {
  offline: 'away',
  // One slow or broken report does not make the service unreachable: something small tells.
  'timed-out': 'doubtful',
  'server-trouble': 'doubtful',
  malformed: 'doubtful',
  'not-found': 'doubtful',
  'proxy-sign-in': 'proxy',
  'no-right': 'answers',
  'bad-request': 'answers',
  'out-of-window': 'answers',
  'refused-token': 'refused',
  'no-token': 'no-token',
  'no-keychain': 'no-token',
  cancelled: 'nothing',
  costly: 'nothing',
  invalid: 'nothing',
  disk: 'nothing',
  internal: 'nothing',
}

export const meaningOf = (kind: FailureKind): Meaning => meanings[kind]

/** Lost again sooner than this, the pauses go on growing: a report that breaks each time must not make a loop. */
const calmAfter = 60_000

type ProberParts = {
  /** Tries once. @returns whether to stop: found, or not to be found by trying */
  readonly tryOnce: (account: AccountId, signal: AbortSignal) => Promise<boolean>
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
}

/** Tries one account's service again and again, after 1 s, 2 s, 4 s and so on to 30 s, until it is told to stop. */
class Prober {
  readonly #parts: ProberParts
  #running: AbortController | null = null
  #lastPause = 0
  #endedAt = -Infinity

  constructor(parts: ProberParts) {
    this.#parts = parts
  }

  isRunning(): boolean {
    return this.#running !== null
  }

  /** Begins anew, in place of what was running. */
  start(account: AccountId, when: 'at-once' | 'after-a-pause'): void {
    const calm = this.#parts.clock.now() - this.#endedAt >= calmAfter
    this.stop()
    if (calm || when === 'at-once') this.#lastPause = 0
    const controller = new AbortController()
    this.#running = controller
    void this.#run(account, when === 'at-once' ? 0 : this.#nextPause(), controller)
  }

  stop(): void {
    if (this.#running === null) return
    this.#running.abort()
    this.#running = null
    this.#endedAt = this.#parts.clock.now()
  }

  async #run(account: AccountId, firstWait: number, controller: AbortController): Promise<void> {
    const { signal } = controller
    let pause = firstWait
    while (await this.#waited(pause, signal)) {
      if (await this.#parts.tryOnce(account, signal)) break
      pause = this.#nextPause()
    }
    if (this.#running === controller) this.stop()
  }

  #nextPause(): number {
    this.#lastPause = pauseBeyond('probe', this.#lastPause)
    return this.#lastPause
  }

  /** @returns false where it was stopped meanwhile */
  async #waited(pause: number, signal: AbortSignal): Promise<boolean> {
    const { clock, random } = this.#parts
    try {
      if (pause > 0) await clock.wait(byChance('probe', pause, random), signal)
      return !signal.aborted
    } catch {
      return false
    }
  }
}

type ConnectionParts = {
  /** Asks the service for something small. @returns when its answer came @throws what the client throws */
  readonly probe: (account: AccountId, signal: AbortSignal) => Promise<Instant>
  /** Why an account is never asked, whatever happens; null for one that is. */
  readonly offlineReason?: (account: AccountId) => Failure | null
  readonly events: Emitter
  readonly clock: Clock
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
}

type Known = {
  readonly connection: Connection
  /** Why the service could not be asked; null while it can. */
  readonly obstacle: Failure | null
  /** Whether it could not be asked since it was last found. */
  readonly lost: boolean
  readonly onlineAgainAt: Instant | null
  /** When it answered last. */
  readonly lastAnswerAt: Instant | null
}

const nothingKnown: Known = {
  connection: { kind: 'unknown' },
  obstacle: null,
  lost: false,
  onlineAgainAt: null,
  lastAnswerAt: null,
}

/** A probe asks for little: where that takes longer, the service is as good as away. In milliseconds. */
const probeLimit = 20_000

/** How long nothing needs to be heard of a service that answered, in milliseconds. */
const minIntervalMs = 20_000

/**
 * Whether each account's service can be reached, as its last answer or failure tells. While a window is open, the
 * active account's service is probed until it is found.
 */
export class Connections {
  readonly #parts: ConnectionParts
  readonly #prober: Prober
  readonly #known = new Map<AccountId, Known>()
  #active: AccountId | null = null
  #watching = false

  constructor(parts: ConnectionParts) {
    this.#parts = parts
    const tryOnce = (account: AccountId, signal: AbortSignal) => this.#tryOnce(account, signal)
    this.#prober = new Prober({ tryOnce, clock: parts.clock, random: parts.random })
  }

  get(account: AccountId): Connection {
    return this.#knownOf(account).connection
  }

  /** Why the account's service need not be asked now; null where it may answer. */
  obstacle(account: AccountId): Failure | null {
    return this.#knownOf(account).obstacle
  }

  onlineAgainAt(account: AccountId): Instant | null {
    return this.#knownOf(account).onlineAgainAt
  }

  /** From now on this account's service is the one that is probed, at once for the first time. */
  follow(account: AccountId | null): void {
    this.#active = account
    this.retryNow()
  }

  /** Whether a window is open. Nothing is probed for nobody. */
  setWatching(watching: boolean): void {
    if (watching === this.#watching) return
    this.#watching = watching
    if (!watching) this.#prober.stop()
    else if (this.#active !== null && this.get(this.#active).kind !== 'online') this.retryNow()
  }

  /**
   * Looks whether the service is there still, where nothing was heard of it for a while: a status that nobody asked
   * for has to be true as well.
   */
  look(): void {
    if (this.#active === null || this.#prober.isRunning()) return
    const { connection, lastAnswerAt } = this.#knownOf(this.#active)
    if (connection.kind !== 'online' || lastAnswerAt === null) return
    // Where it was heard at a time to come, the clock was set back since.
    if (Math.abs(this.#parts.clock.now() - lastAnswerAt) >= minIntervalMs) this.#probe('at-once')
  }

  /** Looks at once: the computer woke up, or found a network. */
  retryNow(): void {
    this.#prober.stop()
    // A refused token is tried once more: services disable tokens for a while (field notes: answers and failures).
    const state = this.#active && this.get(this.#active).kind
    if (state !== 'no-token') this.#probe('at-once')
  }

  /** There is a new token: what was refused may work now. */
  forgive(account: AccountId): void {
    this.#set(account, { ...this.#knownOf(account), connection: { kind: 'unknown' }, obstacle: null })
    if (account === this.#active) this.retryNow()
  }

  forget(account: AccountId): void {
    this.#known.delete(account)
  }

  noteSuccess(account: AccountId, instant: Instant): void {
    const { lost, onlineAgainAt } = this.#knownOf(account)
    if (account === this.#active) this.#prober.stop()
    this.#set(account, {
      connection: { kind: 'online' },
      obstacle: null,
      lost: false,
      onlineAgainAt: lost ? instant : onlineAgainAt,
      lastAnswerAt: instant,
    })
    if (lost) this.#parts.events.emit({ kind: 'connection/back', account })
  }

  noteFailure(account: AccountId, failure: Failure): void {
    const probe = (when: 'at-once' | 'after-a-pause') => {
      if (account === this.#active && !this.#prober.isRunning()) this.#probe(when)
    }
    switch (meaningOf(failure.kind)) {
      case 'away':
        this.#lose(account, { kind: 'offline' }, failure)
        return probe('after-a-pause')
      case 'proxy':
        this.#lose(account, { kind: 'proxy-sign-in' }, failure)
        // Until somebody has signed in this asks nobody; the way may be another one by then.
        return probe('after-a-pause')
      case 'doubtful':
        return probe('at-once')
      case 'answers':
        return this.noteSuccess(account, this.#parts.clock.now() as Instant)
      case 'refused':
        return this.#giveUp(account, { kind: 'refused' }, failure)
      case 'no-token':
        return this.#giveUp(account, { kind: 'no-token' }, failure)
      case 'nothing':
        return
    }
  }

  #knownOf(account: AccountId): Known {
    const known = this.#known.get(account)
    if (known) return known
    const obstacle = this.#parts.offlineReason?.(account) ?? null
    return obstacle ? { ...nothingKnown, connection: { kind: 'no-token' }, obstacle } : nothingKnown
  }

  #set(account: AccountId, known: Known): void {
    const before = this.get(account).kind
    this.#known.set(account, known)
    if (known.connection.kind === before) return
    this.#parts.events.emit({ kind: 'connection/changed', account, connection: known.connection })
  }

  #lose(account: AccountId, connection: Connection, obstacle: Failure): void {
    this.#set(account, { ...this.#knownOf(account), connection, obstacle, lost: true })
  }

  /** Asking again would change nothing: a token has to be entered first. */
  #giveUp(account: AccountId, connection: Connection, obstacle: Failure): void {
    if (account === this.#active) this.#prober.stop()
    this.#lose(account, connection, obstacle)
  }

  #probe(when: 'at-once' | 'after-a-pause'): void {
    if (this.#watching && this.#active !== null) this.#prober.start(this.#active, when)
  }

  async #tryOnce(account: AccountId, signal: AbortSignal): Promise<boolean> {
    const { probe, clock } = this.#parts
    try {
      const limit = { milliseconds: probeLimit, clock, signal, late: noAnswer }
      const instant = await withTimeout(limit, (limited) => probe(account, limited))
      if (!signal.aborted) this.noteSuccess(account, instant)
      return true
    } catch (error) {
      return signal.aborted || this.#judge(account, failureOf(error))
    }
  }

  /** What a failed probe tells. @returns whether to stop probing */
  #judge(account: AccountId, failure: Failure): boolean {
    switch (meaningOf(failure.kind)) {
      case 'refused':
      case 'no-token':
      case 'answers':
        this.noteFailure(account, failure)
        return true
      case 'proxy':
        this.#lose(account, { kind: 'proxy-sign-in' }, failure)
        return false
      case 'away':
      case 'doubtful':
      case 'nothing':
        // Its client was closed, for one with a new token: that says nothing of the service.
        if (failure.kind !== 'cancelled') this.#lose(account, { kind: 'offline' }, failure)
        return false
    }
  }
}

const noAnswer = () =>
  new DeskFailure({
    kind: 'timed-out',
    message: `The service did not answer within ${probeLimit / 1000} seconds.`,
  })
