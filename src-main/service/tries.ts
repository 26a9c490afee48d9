import type { Clock } from './clock.ts'
import { networkFailure } from './network-failure.ts'
import { NeverSent, ServiceFailure, cancelled } from './service-failure.ts'
import { isPassingStatus, waitBeforeNext } from './transport/back-off.ts'
import { codeOf, failedToConnect, isCertificateCode, isPassing } from './transport/codes.ts'
import type { HttpAnswer } from './transport/exchange.ts'

export type Tries = {
  readonly send: () => Promise<HttpAnswer>
  readonly host: string
  /** False where asking twice does something twice: then it is sent once, whatever happens. */
  readonly repeatable: boolean
  readonly clock: Clock
  readonly random: () => number
  readonly signal: AbortSignal
}

type Outcome = { readonly answer: HttpAnswer } | { readonly error: unknown }

const isWorthAnother = (outcome: Outcome) =>
  'answer' in outcome ? isPassingStatus(outcome.answer.status) : isPassing(outcome.error)

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
    const outcome: Outcome = await tries.send().then(
      (answer) => ({ answer }),
      (error: unknown) => ({ error }),
    )
    if (signal.aborted) throw cancelled()
    const retryAfter = 'answer' in outcome ? outcome.answer.retryAfter : undefined
    const wait =
      tries.repeatable && isWorthAnother(outcome)
        ? waitBeforeNext(sent, retryAfter, clock.now(), tries.random)
        : undefined
    if (wait === undefined) {
      if ('answer' in outcome) return outcome.answer
      const failure = networkFailure(outcome.error, tries.host)
      if (wasNeverSent(outcome.error)) throw new NeverSent(failure.failure)
      throw tries.repeatable ? failure : withDoubt(failure)
    }
    await clock.wait(wait, signal).catch(() => {
      throw cancelled()
    })
  }
}
