import type { Clock } from '#main/lib/async.ts'
import { byChance, pauseAfter } from '#main/lib/retry.ts'
import { networkFailure, NeverSent, ServiceFailure, cancelled } from './network-failure.ts'
import { codeOf, failedToConnect, isCertificateCode, isPassing } from './transport/codes.ts'
import type { HttpAnswer } from './transport/exchange.ts'

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
  const doubt = ' It is not known whether the service carried it out: look before you ask again.'
  return new ServiceFailure({ ...failure.failure, message: message + doubt })
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
