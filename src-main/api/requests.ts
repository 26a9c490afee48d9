import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'
import { cancelled, doubtWords, networkFailure, NeverSent, ServiceFailure } from './network-failure.ts'
import { networkCodeOf, failedToConnect, isCertificateCode, isPassing } from './transport/exchange.ts'
import type { HttpAnswer } from './transport/exchange.ts'

/** `person`: a user waits for the response; `background`: nobody does. */
export type Priority = 'person' | 'background'

/** Back-off of the account, whether the request may repeat, and how often the service has refused it. */
type UnderRest = { readonly rest: Rest; readonly isRepeatable: boolean; readonly refusals: number }

/**
 * Order in which waiting requests probe the service after a back-off; the lowest rank goes first. A refused probe yields to the
 * others, because the service may refuse only that request. A request that must not repeat goes last.
 */
const rankOf = ({ isRepeatable, refusals }: UnderRest): number =>
  isRepeatable ? Math.max(0, refusals - 1) : Infinity

/** A request as the limiter sees it; `who` identifies the account. */
type Request = { readonly priority: Priority; readonly who: unknown; readonly under: UnderRest | null }
type Waiting = Request & { readonly start: () => void }
type Started = Request & { readonly time: number; readonly isOfRun: boolean }

/** Maximum number of requests per second that all accounts together may start. */
type Rate = { readonly perSecond: number; readonly clock: Clock }

/** After this many user requests in a row a background request goes next, so that background requests cannot starve. */
const PERSONS_IN_A_ROW = 8
/** Window of the rate limit, in ms. */
const WITHIN = 1_000
/**
 * From this many unfinished requests on, an account's requests are a run (the pages and days of one query). Runs are exempt
 * from the rate limit.
 */
const RUN_FROM = 4

/**
 * Limits the concurrent requests of one account or of all accounts of a service. User requests go first. Background requests
 * leave one slot free, so that a user never waits behind slow background work.
 *
 * With a rate, requests of many accounts are spread over time. The rate does not delay a single account, a user request while
 * others are polled, or one run.
 *
 * Requests of an account in back-off wait. After the back-off one of the account's requests goes first, without others in
 * parallel.
 */
export class RequestLimiter {
  readonly #concurrency: number
  readonly #rate: Rate | null
  readonly #waiting: Waiting[] = []
  readonly #running = new Set<Request>()
  #personsInARow = 0
  /** Requests started within the last second. Used only with a rate. */
  #recentStarts: Started[] = []
  /** Account whose run is exempt from the rate. Only one at a time, so that many runs do not add up. */
  #runner: unknown = null
  #isTimed = false

  /** @param rate null: a request starts as soon as a slot is free */
  constructor(concurrency: number, rate: Rate | null = null) {
    this.#concurrency = concurrency
    this.#rate = rate
  }

  /**
   * Runs `work` when a slot is free.
   * @param who identifies the account
   * @param under the account's back-off; null if nothing delays the request
   * @throws NeverSent of kind `cancelled` if the signal is aborted before `work` starts
   */
  async run<T>(
    priority: Priority,
    signal: AbortSignal,
    work: () => Promise<T>,
    who: unknown = null,
    under: UnderRest | null = null,
  ): Promise<T> {
    const request = await this.#enter({ priority, who, under }, signal)
    try {
      return await work()
    } finally {
      this.#running.delete(request)
      this.#startNext()
    }
  }

  /** Starts waiting requests after the back-off of an account has ended. */
  readonly wake = (): void => this.#startNext()

  #enter(request: Request, signal: AbortSignal): Promise<Request> {
    if (signal.aborted) return Promise.reject(neverBegan())
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(neverBegan())
        this.#startNext()
      }
      const waiting: Waiting = {
        ...request,
        start: () => {
          signal.removeEventListener('abort', leave)
          resolve(waiting)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
      this.#startNext()
    })
  }

  #startNext(): void {
    for (let next = this.#next(); next; next = this.#next()) {
      if (this.#rate) this.#note(next, this.#rate.clock.now())
      this.#waiting.splice(this.#waiting.indexOf(next), 1)
      this.#running.add(next)
      this.#personsInARow = next.priority === 'person' ? this.#personsInARow + 1 : 0
      next.start()
    }
    const isHeldByRate = this.#waiting.some((waiting) => this.#isFree(waiting))
    if (this.#rate && this.#running.size < this.#concurrency && isHeldByRate)
      this.#startLater(this.#rate.clock)
  }

  #next(): Waiting | undefined {
    if (this.#running.size >= this.#concurrency) return undefined
    const inBackground = [...this.#running].filter(({ priority }) => priority === 'background').length
    const person = this.#firstOf('person')
    const background = inBackground < this.#concurrency - 1 ? this.#firstOf('background') : undefined
    return this.#personsInARow >= PERSONS_IN_A_ROW ? (background ?? person) : (person ?? background)
  }

  #firstOf(priority: Priority): Waiting | undefined {
    return this.#waiting.find(
      (waiting) => waiting.priority === priority && this.#isFree(waiting) && this.#isWithinRate(waiting),
    )
  }

  /**
   * Whether the account's back-off lets the request start. After a back-off only one request does, once all earlier requests
   * have finished.
   */
  #isFree({ under }: Request): boolean {
    if (under === null || under.rest.phase === 'none') return true
    if (under.rest.phase === 'resting') return false
    const isSame = (request: Request) => request.under?.rest === under.rest
    if ([...this.#running].some(isSame)) return false
    return !this.#waiting.some(
      (other) => isSame(other) && other.under !== null && rankOf(other.under) < rankOf(under),
    )
  }

  #isWithinRate(request: Request): boolean {
    if (!this.#rate) return true
    const now = this.#rate.clock.now()
    // Drops starts outside the window, and starts in the future after the clock was set back.
    this.#recentStarts = this.#recentStarts.filter(({ time }) => time <= now && now - time < WITHIN)
    if (this.#isOfRun(request) || this.#isAlone(request)) return true
    const counted = this.#recentStarts.filter((started) => !started.isOfRun && !this.#isAlone(started))
    return counted.length < this.#rate.perSecond
  }

  #note(request: Request, time: number): void {
    this.#recentStarts.push({ ...request, time, isOfRun: this.#isOfRun(request) })
  }

  /** Schedules the next start for requests delayed by the rate. */
  #startLater(clock: Clock): void {
    const first = this.#recentStarts.find(({ isOfRun }) => !isOfRun)
    if (this.#isTimed || first === undefined) return
    this.#isTimed = true
    const again = () => {
      this.#isTimed = false
      this.#startNext()
    }
    const wait = Math.max(1, first.time + WITHIN - clock.now())
    clock.wait(Math.min(wait, WITHIN), new AbortController().signal).then(again, again)
  }

  /** Whether no other account has a waiting, running or recent request of the same priority. */
  #isAlone({ priority, who }: Request): boolean {
    const isOther = (request: Request) => request.priority === priority && request.who !== who
    return !this.#unfinished().some(isOther) && !this.#recentStarts.some(isOther)
  }

  #isOfRun({ who }: Request): boolean {
    const all = this.#unfinished()
    const isRun = (account: unknown) => all.filter((request) => request.who === account).length >= RUN_FROM
    if (this.#runner !== null && !isRun(this.#runner)) this.#runner = null
    if (this.#runner === null && isRun(who)) this.#runner = who
    return this.#runner === who
  }

  /** Requests that wait for the end of a back-off do not count. */
  #unfinished(): readonly Request[] {
    const waiting = this.#waiting.filter(({ under }) => under === null || under.rest.phase === 'none')
    return [...this.#running, ...waiting]
  }
}

const neverBegan = () => new NeverSent(cancelled().failure)

/** Maximum Retry-After, in ms. A larger value is capped, so that a mistaken header cannot block an account. */
const LONGEST_REST = 3_600_000

/** This many 503 responses in a row start a back-off. A 503 with Retry-After starts one immediately. */
const UNAVAILABLE_IN_A_ROW = 2

type RestOptions = {
  readonly clock: Clock
  readonly random: () => number
  /** Called when a back-off starts or is extended, and with null when the service responds. */
  readonly resting: (until: Instant | null) => void
  /** Called when the back-off is over and one request may probe the service. */
  readonly wake: () => void
}

/** Start, end and timer of a back-off. */
type Rested = { readonly since: number; readonly until: number; readonly timer: AbortController }

/**
 * Back-off of one account after its service was overloaded (429) or unavailable (503). All of the account's requests wait; then
 * one probes the service. Each further refusal doubles the back-off; any other response ends it.
 *
 * The back-off belongs to the account, not to the service, because services count requests by token. A service that refuses all
 * tokens receives one probe per account.
 */
export class Rest {
  readonly #options: RestOptions
  #backOff: Rested | null = null
  /** Number of consecutive refusals, and of consecutive 503 responses. */
  #refusals = 0
  #unavailable = 0
  #isDue = false
  #endedCount = 0
  #isClosed = false

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** `none`: no back-off. `resting`: requests wait. `due`: one request may go. Setting the clock back ends the wait. */
  get phase(): 'none' | 'resting' | 'due' {
    if (this.#backOff === null) return 'none'
    const { since, until } = this.#backOff
    const now = this.#options.clock.now()
    return this.#isDue || now >= until || now < since ? 'due' : 'resting'
  }

  /** Number of back-offs that a response has ended. */
  get endedCount(): number {
    return this.#endedCount
  }

  /** Sends a request, and starts, extends or ends the back-off according to the outcome. */
  async send(send: () => Promise<HttpAnswer>): Promise<Sent> {
    // A request sent before the back-off says nothing about the end of the back-off.
    const isProbe = this.#backOff !== null
    try {
      const answer = await send()
      return { kind: 'answered', answer, isRefusal: this.#judge(answer, isProbe) }
    } catch (error) {
      // The probe got no response, so the back-off starts again.
      if (isProbe && this.#backOff !== null) this.#begin(pauseAfter('rest', 1))
      return { kind: 'failed', error, isProbe }
    }
  }

  /** Stops the timer. No back-off starts afterwards: an aborted request says nothing about the service. */
  close(): void {
    this.#isClosed = true
    this.#backOff?.timer.abort()
  }

  /** @returns whether the response is a refusal that puts the account in back-off */
  #judge({ status, retryAfter }: HttpAnswer, isProbe: boolean): boolean {
    if (!isPassingStatus(status)) {
      this.#unavailable = 0
      if (isProbe) this.#end()
      return false
    }
    if (status === 503) this.#unavailable += 1
    const isUnavailable = isProbe || retryAfter !== undefined || this.#unavailable >= UNAVAILABLE_IN_A_ROW
    const isRefusal = status === 429 || (status === 503 && isUnavailable)
    if (!isRefusal && !isProbe) return false
    // Refusals of concurrent requests count as one.
    const isFirst = this.#backOff === null || isProbe
    if (isFirst) this.#refusals += 1
    const pause = isFirst ? pauseAfter('rest', this.#refusals) : 0
    const now = this.#options.clock.now()
    this.#begin(Math.max(pause, Math.min(retryAfterPause(retryAfter, now), LONGEST_REST)), isFirst)
    return isRefusal
  }

  /** @param isNew false if a back-off is active and may only be extended */
  #begin(pause: number, isNew = true): void {
    if (this.#isClosed) return
    const { clock, random, resting, wake } = this.#options
    const since = clock.now()
    const until = since + byChance('rest', pause, random)
    if (!isNew && this.#backOff !== null && until <= this.#backOff.until) return
    this.#backOff?.timer.abort()
    const timer = new AbortController()
    this.#backOff = { since, until, timer }
    this.#isDue = false
    const due = () => {
      this.#isDue = true
      wake()
    }
    clock.wait(until - since, timer.signal).then(due, () => undefined)
    resting(instantOf(until))
  }

  #end(): void {
    this.#backOff?.timer.abort()
    this.#backOff = null
    this.#refusals = 0
    this.#endedCount += 1
    this.#options.resting(null)
  }
}

/** Statuses of temporary failures, after which a retry may succeed. */
const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export const isPassingStatus = (status: number): boolean => passingStatuses.has(status)

/** Maximum number of attempts per request. */
const MAX_TRIES = 3

/** Maximum wait before a retry, in ms, because a user waits. If the service requests a longer wait, there is no retry. */
const LONGEST_WAIT = 30_000

/** Parses a Retry-After header (a number of seconds or an HTTP date) into ms; 0 if the header is missing or invalid. */
export function retryAfterPause(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0
  const text = retryAfter.trim()
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds)
}

/**
 * Returns the wait before the next attempt, in ms: Retry-After plus an exponential pause with jitter.
 * @param tries number of attempts so far
 * @param random returns 0 to 1
 * @returns undefined if the request should not be retried
 */
export function waitBeforeNext(
  tries: number,
  retryAfter: string | undefined,
  now: number,
  random: () => number,
): number | undefined {
  if (tries >= MAX_TRIES) return undefined
  const pause = byChance('request', pauseAfter('request', tries), random)
  const wait = retryAfterPause(retryAfter, now) + pause
  return wait <= LONGEST_WAIT ? wait : undefined
}

type Tries = {
  /**
   * @param refusals number of refusals so far that started a back-off
   * @throws ServiceFailure if cancelled before the request starts
   */
  readonly send: (refusals: number) => Promise<Sent>
  readonly rest: Pick<Rest, 'endedCount'>
  /** Whether to wait for the end of the account's back-off. If false, a refusal is the result. */
  readonly waitsForRest: boolean
  readonly host: string
  /** False if repeating the request has a second effect. Then the request is sent only once. */
  readonly repeatable: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
}

type Sent =
  /** `isRefusal`: the response puts the account in back-off. */
  | { readonly kind: 'answered'; readonly answer: HttpAnswer; readonly isRefusal: boolean }
  /** `isProbe`: the request was sent to probe the service after a back-off. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly isProbe: boolean }

const isWorthAnother = (outcome: Sent) =>
  outcome.kind === 'answered'
    ? isPassingStatus(outcome.answer.status) && !outcome.isRefusal
    : isPassing(outcome.error) && !outcome.isProbe

const wasNeverSent = (error: unknown) =>
  error instanceof NeverSent || failedToConnect(error) || isCertificateCode(networkCodeOf(error) ?? '')

/** Adds to the message that the request may have been carried out, if the response was lost. */
function withDoubt(failure: ServiceFailure): ServiceFailure {
  const { kind, message } = failure.failure
  if (kind !== 'timed-out' && kind !== 'offline') return failure
  return new ServiceFailure({ ...failure.failure, message: `${message} ${doubtWords}` })
}

/** Maximum refusals of one request while other requests succeed. After that, the service probably refuses this request itself. */
const REFUSED_BESIDE_OTHERS = 5

/** Sends a request, and again after each back-off if the request was refused. */
async function sendOverRests({ send, rest, repeatable, waitsForRest }: Tries): Promise<Sent> {
  let refusalsBesideOthers = 0
  for (let refusals = 0; ; refusals += 1) {
    const { endedCount } = rest
    const outcome = await send(refusals)
    if (rest.endedCount > endedCount) refusalsBesideOthers += 1
    const isRefused = outcome.kind === 'answered' && outcome.isRefusal
    if (!isRefused || !repeatable || !waitsForRest || refusalsBesideOthers >= REFUSED_BESIDE_OTHERS)
      return outcome
  }
}

/**
 * Sends a request and retries if repeating is harmless and may help. Retries follow lost connections and temporary failures,
 * and the end of each back-off of the account.
 * @returns the last response, whatever its status
 * @throws ServiceFailure if no response arrived; `NeverSent` if nothing was sent
 */
export async function sendWithTries(tries: Tries): Promise<HttpAnswer> {
  const { clock, signal } = tries
  for (let sent = 1; ; sent += 1) {
    const outcome = await sendOverRests(tries)
    if (signal.aborted) throw cancelled()
    const retryAfter = outcome.kind === 'answered' ? outcome.answer.retryAfter : undefined
    const wait =
      tries.repeatable && isWorthAnother(outcome)
        ? waitBeforeNext(sent, retryAfter, clock.now(), tries.random)
        : undefined
    if (wait === undefined) {
      if (outcome.kind === 'answered') return outcome.answer
      const failure = networkFailure(outcome.error, tries.host)
      if (wasNeverSent(outcome.error)) throw new NeverSent(failure.failure)
      throw tries.repeatable ? failure : withDoubt(failure)
    }
    await clock.wait(wait, signal).catch(() => {
      throw cancelled()
    })
  }
}
