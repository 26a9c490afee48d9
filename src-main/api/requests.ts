import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { cancelled, doubtWords, networkFailure, NeverSent, ServiceFailure } from './network-failure.ts'
import { codeOf, failedToConnect, isCertificateCode, isPassing } from './transport/exchange.ts'
import type { HttpAnswer } from './transport/exchange.ts'

/** Who waits for a request: a person in front of the screen, or nobody at the moment. */
export type Priority = 'person' | 'background'

/** A request as far as its turn hangs on it; `who`: the same value for all of one account. */
type Request = { readonly priority: Priority; readonly who: unknown }
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
 * run of many requests.
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
   * @throws ServiceFailure of kind `cancelled` where the signal is aborted before it began
   */
  async run<T>(
    priority: Priority,
    signal: AbortSignal,
    work: () => Promise<T>,
    who: unknown = null,
  ): Promise<T> {
    const request = await this.#enter({ priority, who }, signal)
    try {
      return await work()
    } finally {
      this.#running.delete(request)
      this.#startNext()
    }
  }

  #enter(request: Request, signal: AbortSignal): Promise<Request> {
    if (signal.aborted) return Promise.reject(cancelled())
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
        reject(cancelled())
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
    if (this.#rate && this.#running.size < this.#concurrency && this.#waiting.length > 0)
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
    return this.#waiting.find((waiting) => waiting.priority === priority && this.#isWithinRate(waiting))
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

  #note({ priority, who }: Request, time: number): void {
    this.#started.push({ priority, who, time, isOfRun: this.#isOfRun({ priority, who }) })
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

  #unfinished(): readonly Request[] {
    return [...this.#running, ...this.#waiting]
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
  readonly send: () => Promise<HttpAnswer>
  readonly host: string
  /** False where asking twice does something twice: then it is sent once, whatever happens. */
  readonly repeatable: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
}

type Sent =
  | { readonly kind: 'answered'; readonly answer: HttpAnswer }
  | { readonly kind: 'failed'; readonly error: unknown }

const isWorthAnother = (outcome: Sent) =>
  outcome.kind === 'answered' ? isPassingStatus(outcome.answer.status) : isPassing(outcome.error)

const wasNeverSent = (error: unknown) =>
  error instanceof NeverSent || failedToConnect(error) || isCertificateCode(codeOf(error) ?? '')

/** Nobody knows whether a request whose answer was lost has been carried out. */
function withDoubt(failure: ServiceFailure): ServiceFailure {
  const { kind, message } = failure.failure
  if (kind !== 'timed-out' && kind !== 'offline') return failure
  return new ServiceFailure({ ...failure.failure, message: `${message} ${doubtWords}` })
}

/**
 * Sends a request, and again where that is harmless and may help: after a lost connection, 429 and passing trouble of
 * the service.
 * @returns the last answer, whatever its status
 * @throws ServiceFailure where no answer came; `NeverSent` where nothing left this computer
 */
export async function sendWithTries(tries: Tries): Promise<HttpAnswer> {
  const { clock, signal } = tries
  for (let sent = 1; ; sent += 1) {
    const outcome: Sent = await tries.send().then(
      (answer) => ({ kind: 'answered', answer }),
      (error: unknown) => ({ kind: 'failed', error }),
    )
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
