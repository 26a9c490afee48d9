import type { AccountStore } from '#main/accounts/account-store.ts'
import { neverRenewed } from '#main/accounts/earlier.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import { withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseBeyond, isResting } from '#main/lib/retry.ts'
import type { Connection } from '#shared/accounts/account.ts'
import { failureOf, deskFailure } from '#shared/api/failure.ts'
import type { FailureKind, Failure } from '#shared/api/failure.ts'
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
  // The client tells of a rest itself.
  resting: 'nothing',
  cancelled: 'nothing',
  costly: 'nothing',
  invalid: 'nothing',
  disk: 'nothing',
  internal: 'nothing',
}

export const meaningOf = (kind: FailureKind): Meaning => meanings[kind]

/** Asks the service for something small. @returns when its answer came @throws what the client throws */
type Probe = (account: AccountId, signal: AbortSignal) => Promise<Instant>

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

/** Lost again sooner than this, the pauses go on growing: a report that breaks each time must not make a loop. */
const calmAfter = 60_000

/** A probe asks for little: where that takes longer, the service is as good as away. In milliseconds. */
const probeLimit = 20_000

/** How long nothing needs to be heard of a service that answered, in milliseconds. */
const minIntervalMs = 20_000

/**
 * Whether each account's service can be reached, as its last answer or failure tells. While a window is open, the
 * active account's service is probed until it is found.
 */
export class Connections {
  readonly #accounts: Pick<AccountStore, 'account'>
  readonly #events: Emitter
  readonly #clock: Clock
  readonly #random: () => number
  readonly #ask: Probe
  readonly #known = new Map<AccountId, Known>()
  #active: AccountId | null = null
  #watching = false

  /** The probe that runs, whether it waits for its time, how long it paused last, and when one was ended last. */
  #probing: AbortController | null = null
  #isPausing = false
  #lastPause = 0
  #endedAt = -Infinity

  /** @param random from 0 to 1, for the jitter of probing */
  constructor(
    accounts: Pick<AccountStore, 'account'>,
    events: Emitter,
    clock: Clock,
    random: () => number,
    ask: Probe,
  ) {
    this.#accounts = accounts
    this.#events = events
    this.#clock = clock
    this.#random = random
    this.#ask = ask
  }

  get(account: AccountId): Connection {
    return this.#knownOf(account).connection
  }

  /** Why the last attempt failed, else null. The service is then asked again only if nothing is stored, or by force. */
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
    if (!watching) this.#endProbe()
    else if (this.#active !== null && this.get(this.#active).kind !== 'online') this.retryNow()
  }

  /**
   * Looks whether the service is there still, where nothing was heard of it for a while: a status that nobody asked
   * for has to be true as well.
   */
  look(): void {
    if (this.#active === null || this.#probing) return
    const { connection, lastAnswerAt } = this.#knownOf(this.#active)
    if (connection.kind !== 'online' || lastAnswerAt === null) return
    // Where it was heard at a time to come, the clock was set back since.
    if (Math.abs(this.#clock.now() - lastAnswerAt) >= minIntervalMs) this.#probe('at-once')
  }

  /** Looks at once: the computer woke up, or found a network. */
  retryNow(): void {
    this.#endProbe()
    // A refused token is tried once more: services disable tokens for a while (field notes: answers and failures).
    const state = this.#active && this.get(this.#active).kind
    if (state !== 'no-token') this.#probe('at-once')
  }

  /** There is a new token: what was refused may work now. */
  forgive(account: AccountId): void {
    this.#set(account, { ...this.#knownOf(account), connection: { kind: 'unknown' }, obstacle: null })
    if (account === this.#active) this.retryNow()
  }

  /**
   * The service asks for rest, or answers after one. Nobody asks it meanwhile; what is stored is shown.
   * @param until the moment of the next request; null once the service has answered
   */
  noteRest(account: AccountId, until: Instant | null): void {
    if (until === null) return this.#online(account, this.#clock.now() as Instant)
    this.#set(account, {
      ...this.#knownOf(account),
      connection: { kind: 'resting', until },
      obstacle: resting,
    })
    // Where nobody waits for the service, somebody has to find out when it is over.
    if (account === this.#active && (this.#probing === null || this.#isPausing)) this.#probe('at-once')
  }

  forget(account: AccountId): void {
    this.#known.delete(account)
  }

  noteSuccess(account: AccountId, instant: Instant): void {
    // What was asked before the rest began says nothing of its end.
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
    // After a rest, figures are as old as they were: only what was left out meanwhile is asked for.
    if (lost || connection.kind === 'resting') this.#events.emit({ kind: 'connection/back', account })
  }

  noteFailure(account: AccountId, failure: Failure): void {
    const probe = (when: 'at-once' | 'after-a-pause') => {
      if (account === this.#active && !this.#probing) this.#probe(when)
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
        return this.noteSuccess(account, this.#clock.now() as Instant)
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
    const obstacle = offlineReason(this.#accounts, account)
    return obstacle ? { ...nothingKnown, connection: { kind: 'no-token' }, obstacle } : nothingKnown
  }

  #set(account: AccountId, known: Known): void {
    const before = momentOf(this.get(account))
    this.#known.set(account, known)
    if (momentOf(known.connection) === before) return
    this.#events.emit({ kind: 'connection/changed', account, connection: known.connection })
  }

  #lose(account: AccountId, connection: Connection, obstacle: Failure): void {
    this.#set(account, { ...this.#knownOf(account), connection, obstacle, lost: true })
  }

  /** Asking again would change nothing: a token has to be entered first. */
  #giveUp(account: AccountId, connection: Connection, obstacle: Failure): void {
    if (account === this.#active) this.#endProbe()
    this.#lose(account, connection, obstacle)
  }

  /** Whether a failed probe may have waited all the time: nobody knows yet whether the service can be reached. */
  #isHeldBack(account: AccountId, { kind }: Failure): boolean {
    return this.get(account).kind === 'resting' && meaningOf(kind) !== 'away'
  }

  /** How long the account's service still wants rest, in milliseconds; 0 where it does not. */
  #restOf(account: AccountId): number {
    const connection = this.get(account)
    return connection.kind === 'resting' ? Math.max(0, connection.until - this.#clock.now()) : 0
  }

  /** Probes in place of what was running, after 1 s, 2 s, 4 s and so on to 30 s, or a rest, until it is told to stop. */
  #probe(when: 'at-once' | 'after-a-pause'): void {
    if (!this.#watching || this.#active === null) return
    const calm = this.#clock.now() - this.#endedAt >= calmAfter
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
    this.#endedAt = this.#clock.now()
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

  /** @returns false where it was stopped meanwhile */
  async #waited({ pause, rest }: Wait, signal: AbortSignal): Promise<boolean> {
    try {
      this.#isPausing = true
      if (rest > 0) await this.#clock.wait(rest, signal)
      else if (pause > 0) await this.#clock.wait(byChance('probe', pause, this.#random), signal)
      if (!signal.aborted) this.#isPausing = false
      return !signal.aborted
    } catch {
      return false
    }
  }

  /** Tries once. @returns whether to stop: found, or not to be found by trying */
  async #tryOnce(account: AccountId, signal: AbortSignal): Promise<boolean> {
    try {
      const limit = { milliseconds: probeLimit, clock: this.#clock, signal, late: noAnswer }
      const instant = await withTimeout(limit, (limited) => this.#ask(account, limited))
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
        // Its client was closed, for one with a new token, or holds the probe back: that says nothing of the service.
        if (failure.kind !== 'cancelled' && !this.#isHeldBack(account, failure))
          this.#lose(account, { kind: 'offline' }, failure)
        return false
    }
  }
}

/** The part of a pause that is waited for: the rest where there is one. */
type Wait = { readonly pause: number; readonly rest: number }

const resting: Failure = {
  kind: 'resting',
  message: 'The service asks for rest. Traffic Desk tries again automatically.',
}

/** Connections of one text are the same. */
const momentOf = (connection: Connection): string =>
  connection.kind === 'resting' ? `resting ${connection.until}` : connection.kind

const noAnswer = () =>
  deskFailure('timed-out', `The service did not respond within ${probeLimit / 1000} seconds.`)

/** Why an account is never asked: earlier figures are read alone. Null for one that is, or has gone. */
function offlineReason(accounts: Pick<AccountStore, 'account'>, account: AccountId): Failure | null {
  try {
    return accounts.account(account).kind === 'earlier' ? neverRenewed().failure : null
  } catch {
    return null
  }
}

/** Older requests tell little of how long the next one takes. */
const maxRemembered = 50

/** How many pages tell how fast gathering is, and of how many gathers that is remembered. */
const fewestGathered = 8
const maxGathers = 5

/** How long the last requests of each account took, with what they waited for others. */
export class RequestTimes {
  readonly #clock: Pick<Clock, 'now'>
  readonly #times = new Map<AccountId, readonly number[]>()
  readonly #paces = new Map<AccountId, readonly number[]>()

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Asks, and notes how long the answer took. @throws what asking throws; then nothing is noted */
  async measure<T>(account: AccountId, ask: () => Promise<T>): Promise<T> {
    const began = this.#clock.now()
    const answer = await ask()
    this.#note(account, this.#clock.now() - began)
    return answer
  }

  /** The median, in milliseconds; null where nothing was asked in this session. */
  median(account: AccountId): number | null {
    const times = (this.#times.get(account) ?? []).toSorted((one, other) => one - other)
    return times[Math.floor(times.length / 2)] ?? null
  }

  /** Gathering so many pages took so long, until all was kept, in milliseconds. A few of them tell little. */
  noteGathered(account: AccountId, pages: number, milliseconds: number): void {
    if (milliseconds <= 0 || pages < fewestGathered) return
    const before = this.#paces.get(account) ?? []
    this.#paces.set(account, [...before, milliseconds / pages].slice(-maxGathers))
  }

  /** How long each of the pages took that were gathered last, in milliseconds; null where none were in this session. */
  pace(account: AccountId): number | null {
    const paces = (this.#paces.get(account) ?? []).toSorted((one, other) => one - other)
    return paces[Math.floor(paces.length / 2)] ?? null
  }

  #note(account: AccountId, milliseconds: number): void {
    // The clock may have been set back meanwhile.
    if (milliseconds < 0) return
    this.#times.set(account, [...(this.#times.get(account) ?? []), milliseconds].slice(-maxRemembered))
  }
}

/** More questions than a window shows at once. */
const maxKeys = 32

/** What was asked lately, and what came of it. */
export class RecentRequests {
  readonly #clock: Clock
  readonly #keys = new Map<AccountId, Set<string>>()
  readonly #failures = new Map<string, { readonly failure: Failure; readonly time: number }>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  requested(account: AccountId, key: string): void {
    const keys = this.#keys.get(account) ?? new Set()
    keys.delete(key)
    keys.add(key)
    const [oldest] = keys
    if (keys.size > maxKeys && oldest !== undefined) keys.delete(oldest)
    this.#keys.set(account, keys)
  }

  /** The keys asked lately, the latest last. */
  keys(account: AccountId): readonly string[] {
    return [...(this.#keys.get(account) ?? [])]
  }

  failed(id: string, failure: Failure): void {
    this.#failures.set(id, { failure, time: this.#clock.now() })
  }

  /** How a question failed a moment ago; null where it did not, or that was long enough ago. */
  failure(id: string): Failure | null {
    const known = this.#failures.get(id)
    if (!known) return null
    // A view that asks again must not make a loop.
    if (isResting('query', known.time, this.#clock.now())) return known.failure
    this.#failures.delete(id)
    return null
  }

  /** The question may be asked again at once. */
  forgive(id: string): void {
    this.#failures.delete(id)
  }

  forget(account: AccountId): void {
    this.#keys.delete(account)
    for (const id of this.#failures.keys()) if (id.startsWith(account)) this.#failures.delete(id)
  }
}
