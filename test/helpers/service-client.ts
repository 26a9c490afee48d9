import { createServiceClient } from '#main/api/client.ts'
import type { ClientOptions, ServiceClient } from '#main/api/client.ts'
import type { Clock } from '#main/lib/async.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { AccessToken } from '#main/api/token.ts'
import type { Failure } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'

/** A token with characters that every encoding writes differently. */
export const tokenText = 'tok/5e15a+9d0e=4f1c'

export const week = { start: day('2026-11-14'), end: day('2026-11-20') }

/** A clock that stands, on which every pause is over at once and is written down. */
export function standingClock(now = Date.UTC(2026, 10, 20, 12)): Clock & { readonly waits: number[] } {
  const waits: number[] = []
  return {
    waits,
    now: () => now,
    wait: (milliseconds, signal) => {
      waits.push(milliseconds)
      return signal.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve()
    },
  }
}

/** A client for a test: JSON bodies, a standing clock, no jitter, short time-outs where the test says so. */
export function clientFor(address: string, options: Partial<ClientOptions> = {}): ServiceClient {
  return createServiceClient({
    address,
    token: () => Promise.resolve(new AccessToken(tokenText, address)),
    bodyEncoding: 'json',
    clock: standingClock(),
    random: () => 0,
    ...options,
  })
}

/** The failure that a call ends with; a call that succeeds, or throws anything else, fails the test. */
export async function failureOfCall(call: Promise<unknown>): Promise<Failure> {
  const outcome = await call.then(
    (answer) => ({ answer }),
    (error: unknown) => ({ error }),
  )
  if ('error' in outcome && outcome.error instanceof ServiceFailure) return outcome.error.failure
  throw new Error('A ServiceFailure was expected', { cause: outcome })
}
