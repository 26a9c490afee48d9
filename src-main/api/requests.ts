import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import type { Instant } from '#shared/values/ids.ts'
import { cancelled, doubtWords, networkFailure, NeverSent, ServiceFailure } from './network-failure.ts'
import { codeOf, failedToConnect, isCertificateCode, isPassing } from './transport/exchange.ts'
import type { HttpAnswer } from './transport/exchange.ts'

/** Who waits for a request: a person in front of the screen, or nobody at the moment. */
export type Priority = 'person' | 'background'

/** What holds a request back while its account rests, whether it may be sent again if the service refuses it, and how often that was. */
type UnderRest = { readonly rest: Rest; readonly isRepeatable: boolean; readonly refusals: number }

/**
 * Who finds out whether a rest is over: the lowest first. One that was refused as it tried lets others try, because it may be alone
 * in that. One that must not be sent twice goes only if there is no other.
 */
const rankOf = ({ isRepeatable, refusals }: UnderRest): number =>
  isRepeatable ? Math.max(0, refusals - 1) : Infinity

/** A request as far as its turn hangs on it; `who`: the same value for all of one account. */
type Request = { readonly priority: Priority; readonly who: unknown; readonly under: UnderRest | null }
type Waiting = Request & { readonly start: () => void }
type Started = Request & { readonly time: number; readonly isOfRun: boolean }

/** So many requests of all accounts together may begin in a second. */
type Rate = { readonly perSecond: number; readonly clock: Clock }

/** Of so many requests of persons in a row, the next is a background one: those must not wait for ever. */
const PERSONS_IN_A_ROW = 8
/** Requests that begin within so many milliseconds count together. */
const WITHIN = 1_000
/** So many of one account's requests are a run: the pages and days of one question, which nothing slows down. */
const RUN_FROM = 4

/**
 * Lets a few requests run at once, of one account or of all that ask one service. Persons go first; background requests leave one
 * place free, so that a person never waits behind several slow ones that nobody looks at. With a rate, requests of many accounts
 * are spread over time. The rate slows down neither a single account, nor whom a person looks at while others are polled, nor one
 * run of many requests. Requests of an account that rests wait; when its rest ends, one of them goes first, alone.
 */
export class RequestLimiter {
  readonly #concurrency: number
  readonly #rate: Rate | null
  readonly #waiting: Waiting[] = []
  readonly #running = new Set<Request>()
  #personsInARow = 0
  /** What began within the last second, where there is a rate. */
  #started: Started[] = []
  /** Whose run is not slowed down: one at a time, so that many gathers do not multiply. */
  #runner: unknown = null
  #isTimed = false

  /** @param rate left out, each begins as soon as there is a place */
  constructor(concurrency: number, rate: Rate | null = null) {
    this.#concurrency = concurrency
    this.#rate = rate
  }

  /**
   * Runs work when there is a place.
   * @param who whose request it is; the same value for all of one account
   * @param under the account's rest; null where nothing holds the request back
   * @throws NeverSent of kind `cancelled` where the signal is aborted before it began
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

  /** Looks again who may begin: an account's rest has ended. */
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

  /** Whether its account's rest lets a request go. At the end of a rest that is one, after all before it have ended. */
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
    // What began longer ago does not count; nor does what is of a time to come: the clock was set back since.
    this.#started = this.#started.filter(({ time }) => time <= now && now - time < WITHIN)
    if (this.#isOfRun(request) || this.#isAlone(request)) return true
    const counted = this.#started.filter((started) => !started.isOfRun && !this.#isAlone(started))
    return counted.length < this.#rate.perSecond
  }

  #note(request: Request, time: number): void {
    this.#started.push({ ...request, time, isOfRun: this.#isOfRun(request) })
  }

  /** Looks again once another may begin, where some are held back. */
  #startLater(clock: Clock): void {
    const first = this.#started.find(({ isOfRun }) => !isOfRun)
    if (this.#isTimed || first === undefined) return
    this.#isTimed = true
    const again = () => {
      this.#isTimed = false
      this.#startNext()
    }
    const wait = Math.max(1, first.time + WITHIN - clock.now())
    clock.wait(Math.min(wait, WITHIN), new AbortController().signal).then(again, again)
  }

  /** Whether nobody else asks with the same urgency, or has just asked. */
  #isAlone({ priority, who }: Request): boolean {
    const isOther = (request: Request) => request.priority === priority && request.who !== who
    return !this.#unfinished().some(isOther) && !this.#started.some(isOther)
  }

  #isOfRun({ who }: Request): boolean {
    const all = this.#unfinished()
    const isRun = (account: unknown) => all.filter((request) => request.who === account).length >= RUN_FROM
    if (this.#runner !== null && !isRun(this.#runner)) this.#runner = null
    if (this.#runner === null && isRun(who)) this.#runner = who
    return this.#runner === who
  }

  /** What waits for the end of a rest is in nobody's way. */
  #unfinished(): readonly Request[] {
    const waiting = this.#waiting.filter(({ under }) => under === null || under.rest.phase === 'none')
    return [...this.#running, ...waiting]
  }
}

const neverBegan = () => new NeverSent(cancelled().failure)

/** A longer Retry-After than this is cut: a mistake there must not end an account. In milliseconds. */
const LONGEST_REST = 3_600_000

/** From so many 503s in a row on the service is left alone; one that says Retry-After is enough. */
const UNAVAILABLE_IN_A_ROW = 2

type RestOptions = {
  readonly clock: Clock
  readonly random: () => number
  /** Called when a rest begins, when it gets longer, and with null when the service answers again. */
  readonly resting: (until: Instant | null) => void
  /** Called when the moment has come at which one request may go. */
  readonly wake: () => void
}

/** A rest from when to when, and what ends waiting for its end. */
type Rested = { readonly since: number; readonly until: number; readonly timer: AbortController }

/**
 * The rest of one account, after its service refused a request because there were too many, or because it is unavailable. All of
 * the account's requests wait; then one finds out. Each further refusal doubles the rest, and any answer ends it.
 *
 * It is the account's and not the service's, though accounts of one service share a limiter: services count requests by token, and
 * one that refuses this token owes another its figures. One that refuses all of them is asked once by each.
 */
export class Rest {
  readonly #options: RestOptions
  #rested: Rested | null = null
  /** Refusals of rest after rest, and 503s in a row. */
  #refusals = 0
  #unavailable = 0
  #isDue = false
  #ended = 0
  #isClosed = false

  constructor(options: RestOptions) {
    this.#options = options
  }

  /** `none`: requests go; `resting`: they wait; `due`: one may go. A clock that was set back ends the waiting. */
  get phase(): 'none' | 'resting' | 'due' {
    if (this.#rested === null) return 'none'
    const { since, until } = this.#rested
    const now = this.#options.clock.now()
    return this.#isDue || now >= until || now < since ? 'due' : 'resting'
  }

  /** How many rests an answer has ended. */
  get ended(): number {
    return this.#ended
  }

  /** Sends a request, and notes what its outcome says of the rest. */
  async send(send: () => Promise<HttpAnswer>): Promise<Sent> {
    // What was sent before the rest began tells nothing of its end.
    const isProbe = this.#rested !== null
    try {
      const answer = await send()
      return { kind: 'answered', answer, isRefusal: this.#judge(answer, isProbe) }
    } catch (error) {
      // Nobody knows what the service would have said.
      if (isProbe && this.#rested !== null) this.#begin(pauseAfter('rest', 1))
      return { kind: 'failed', error, isProbe }
    }
  }

  /** Ends waiting for the end of a rest. None begins after it: what is broken off says nothing of the service. */
  close(): void {
    this.#isClosed = true
    this.#rested?.timer.abort()
  }

  /** @returns whether the answer is a refusal after which the account rests */
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
    // Refusals of what was under way together are one.
    const isFirst = this.#rested === null || isProbe
    if (isFirst) this.#refusals += 1
    const pause = isFirst ? pauseAfter('rest', this.#refusals) : 0
    const now = this.#options.clock.now()
    this.#begin(Math.max(pause, Math.min(retryAfterPause(retryAfter, now), LONGEST_REST)), isFirst)
    return isRefusal
  }

  /** @param isNew false where a rest goes on, and may only get longer */
  #begin(pause: number, isNew = true): void {
    if (this.#isClosed) return
    const { clock, random, resting, wake } = this.#options
    const since = clock.now()
    const until = since + byChance('rest', pause, random)
    if (!isNew && this.#rested !== null && until <= this.#rested.until) return
    this.#rested?.timer.abort()
    const timer = new AbortController()
    this.#rested = { since, until, timer }
    this.#isDue = false
    const due = () => {
      this.#isDue = true
      wake()
    }
    clock.wait(until - since, timer.signal).then(due, () => undefined)
    resting(until as Instant)
  }

  #end(): void {
    this.#rested?.timer.abort()
    this.#rested = null
    this.#refusals = 0
    this.#ended += 1
    this.#options.resting(null)
  }
}

/** Statuses of passing trouble: the same request may well be answered later. */
const passingStatuses: ReadonlySet<number> = new Set([429, 500, 502, 503, 504])

export const isPassingStatus = (status: number): boolean => passingStatuses.has(status)

/** How often a request is sent at most. */
const MAX_TRIES = 3

/** A person waits: a service that asks for a longer pause than this is not asked again by machine. */
const LONGEST_WAIT = 30_000

/** The pause that a Retry-After header asks for, in milliseconds: a number of seconds or an HTTP date. */
export function retryAfterPause(retryAfter: string | undefined, now: number): number {
  if (retryAfter === undefined) return 0
  const text = retryAfter.trim()
  const milliseconds = /^\d+$/.test(text) ? Number(text) * 1000 : Date.parse(text) - now
  return Number.isNaN(milliseconds) ? 0 : Math.max(0, milliseconds)
}

/**
 * How long to wait before the next try, in milliseconds: doubling, with jitter, and not less than the service asks for.
 * @param tries how often it has been sent
 * @param random gives 0 to 1
 * @returns undefined where it should not be tried again
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
   * @param refusals how often it was refused because the account is to rest
   * @throws ServiceFailure where it was cancelled before it began
   */
  readonly send: (refusals: number) => Promise<Sent>
  readonly rest: Pick<Rest, 'ended'>
  /** Whether the end of the account's rest is waited for; else a refusal is the answer. */
  readonly waitsForRest: boolean
  readonly host: string
  /** False where asking twice does something twice: then it is sent once, whatever happens. */
  readonly repeatable: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
}

type Sent =
  /** `isRefusal`: the account rests after it. */
  | { readonly kind: 'answered'; readonly answer: HttpAnswer; readonly isRefusal: boolean }
  /** `isProbe`: it was sent alone, at the end of a rest. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly isProbe: boolean }

const isWorthAnother = (outcome: Sent) =>
  outcome.kind === 'answered'
    ? isPassingStatus(outcome.answer.status) && !outcome.isRefusal
    : isPassing(outcome.error) && !outcome.isProbe

const wasNeverSent = (error: unknown) =>
  error instanceof NeverSent || failedToConnect(error) || isCertificateCode(codeOf(error) ?? '')

/** Nobody knows whether a request whose answer was lost has been carried out. */
function withDoubt(failure: ServiceFailure): ServiceFailure {
  const { kind, message } = failure.failure
  if (kind !== 'timed-out' && kind !== 'offline') return failure
  return new ServiceFailure({ ...failure.failure, message: `${message} ${doubtWords}` })
}

/** Refused so often while others were answered, a request itself is what the service does not answer. */
const REFUSED_BESIDE_OTHERS = 5

/** Sends a request, and as often as it is refused again at the end of the rest. */
async function sendOverRests({ send, rest, repeatable, waitsForRest }: Tries): Promise<Sent> {
  let beside = 0
  for (let refusals = 0; ; refusals += 1) {
    const { ended } = rest
    const outcome = await send(refusals)
    if (rest.ended > ended) beside += 1
    const isRefused = outcome.kind === 'answered' && outcome.isRefusal
    if (!isRefused || !repeatable || !waitsForRest || beside >= REFUSED_BESIDE_OTHERS) return outcome
  }
}

/**
 * Sends a request, and again where that is harmless and may help: after a lost connection and passing trouble of the service, and
 * as often as it takes where the service asks for rest, at the end of each.
 * @returns the last answer, whatever its status
 * @throws ServiceFailure where no answer came; `NeverSent` where nothing left this computer
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
