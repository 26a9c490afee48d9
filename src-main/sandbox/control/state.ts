import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { limitedInstances } from '../events/catalogue/instances.ts'
import { plainBehaviour } from '../contracts/behaviour.ts'
import type { Behaviour } from '../contracts/behaviour.ts'
import { createClock } from './clock.ts'
import type { SandboxClock } from './clock.ts'
import { createFaultBook } from './fault-book.ts'
import type { FaultBook } from './fault-book.ts'
import { createTurns } from './turns.ts'
import { createRequestLog } from './request-log.ts'
import type { RequestLog } from './request-log.ts'

/** The tokens that can be revoked and restored; the third one is expired and stays so. */
export const switchedTokens = ['admin', 'limited'] as const

export type SwitchedToken = (typeof switchedTokens)[number]

/** Everything that can be switched while a sandbox runs. Both HTTP servers read it anew for each request. */
export type SandboxState = {
  readonly clock: SandboxClock
  readonly faults: FaultBook
  readonly requests: RequestLog
  readonly behaviour: () => Behaviour
  readonly behave: (behaviour: Behaviour) => void
  readonly tokens: {
    readonly isRevoked: (token: SwitchedToken) => boolean
    readonly revoke: (token: SwitchedToken) => void
    readonly restore: (token: SwitchedToken) => void
    /** The instances that the limited token sees in its next request, which is for this. */
    readonly limitedTo: (path: EndpointPath) => readonly InstanceId[]
    readonly limit: (instances: readonly InstanceId[]) => void
  }
}

/** A sandbox's state as it starts: plain behaviour, no faults, noon of `today`. */
export function createSandboxState(options: { today: Day; clock?: SandboxClock }): SandboxState {
  const clock = options.clock ?? createClock(options.today)
  const revoked = new Set<SwitchedToken>()
  let behaviour = plainBehaviour
  let limited = limitedInstances
  const turns = createTurns()
  return {
    clock,
    faults: createFaultBook(),
    requests: createRequestLog(clock.now),
    behaviour: () => behaviour,
    behave: (next) => {
      behaviour = next
    },
    tokens: {
      isRevoked: (token) => revoked.has(token),
      revoke: (token) => revoked.add(token),
      restore: (token) => revoked.delete(token),
      limitedTo: (path) => turns.next(behaviour.turns, path) ?? limited,
      limit: (instances) => {
        limited = instances
      },
    },
  }
}
