import type { EndpointPath } from '#shared/api/endpoints.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { plainBehaviour } from '../contracts.ts'
import type { Fault, Behaviour } from '../contracts.ts'
import { limitedInstances } from '../events/catalogue.ts'
import { createTurns } from './write-reply.ts'

/** The sandbox's own time, which tests move on instead of waiting. */
export type SandboxClock = {
  /** Milliseconds since 1970, whole. */
  readonly now: () => number
  /** The day it is, in UTC. */
  readonly today: () => Day
  /** Moves the clock on; it never goes back. */
  readonly advance: (milliseconds: number) => void
}

/**
 * A clock that stands at noon UTC of `today` when it is made and goes on with real time.
 * @param elapsed a monotonic clock in milliseconds; tests hand in their own
 */
export const createClock = (today: Day, elapsed: () => number = () => performance.now()): SandboxClock =>
  clockFrom(Date.parse(`${today}T12:00:00Z`), elapsed)

/** A clock that stands at a moment, in milliseconds since 1970, when it is made. */
export function clockFrom(moment: number, elapsed: () => number): SandboxClock {
  const begun = elapsed()
  let advanced = 0
  const now = () => Math.floor(moment + advanced + elapsed() - begun)
  return {
    now,
    today: () => dayAt(now(), 'UTC'),
    advance: (milliseconds) => {
      if (!(milliseconds >= 0)) throw new RangeError('The clock only goes forward')
      advanced += milliseconds
    },
  }
}

/** A request that the sandbox answered, for tests that count what was asked. It never holds a token. */
type LoggedRequest = {
  /** An endpoint's path such as `direct/browsers`, or `download`. */
  readonly path: string
  readonly status: number
  /** The sandbox's time, in milliseconds since 1970. */
  readonly time: number
  readonly parameters: Readonly<Record<string, unknown>>
}

/** A sandbox may run for days behind the sample data: older requests are let go. */
const MAX_LOGGED = 5_000

export function createRequestLog(now: () => number) {
  let requests: LoggedRequest[] = []
  return {
    add: ({ path, status, parameters }: Omit<LoggedRequest, 'time'>): void => {
      const shown = Object.entries(parameters).filter(([name]) => name !== 'token')
      requests.push({ path, status, time: now(), parameters: Object.fromEntries(shown) })
      if (requests.length > 2 * MAX_LOGGED) requests = requests.slice(-MAX_LOGGED)
    },
    /** Oldest first. */
    list: (): readonly LoggedRequest[] => requests.slice(-MAX_LOGGED),
    clear: (): void => {
      requests = []
    },
  }
}

/** The faults that wait to happen. */
export function createFaults() {
  let faults: Fault[] = []
  return {
    add: (fault: Fault): void => {
      faults.push(fault)
    },
    clear: (): void => {
      faults = []
    },
    /** What still waits, with the times that are left. */
    waiting: (): readonly Fault[] => [...faults],
    /**
     * The fault for one request, oldest first; taking it uses up one of its times.
     * @param path an endpoint's path such as `direct/browsers`, or `download`
     */
    take: (path: string): Fault | undefined => {
      const found = faults.find((fault) => fault.path === null || fault.path === path)
      if (!found) return undefined
      const left = found.times === null ? null : found.times - 1
      faults = faults.flatMap((fault) => {
        if (fault !== found) return [fault]
        return left === 0 ? [] : [{ ...found, times: left }]
      })
      return found
    },
  }
}

/** The tokens that can be revoked and restored; the third one is expired and stays so. */
export const switchedTokens = ['admin', 'limited'] as const

type SwitchedToken = (typeof switchedTokens)[number]

/** Everything that can be switched while a sandbox runs. Both HTTP servers read it anew for each request. */
export type SandboxState = ReturnType<typeof createSandboxState>

/** A sandbox's state as it starts: plain behaviour, no faults, noon of `today`. */
export function createSandboxState(options: { today: Day; clock?: SandboxClock }) {
  const clock = options.clock ?? createClock(options.today)
  const revoked = new Set<SwitchedToken>()
  let behaviour = plainBehaviour
  let limited = limitedInstances
  const turns = createTurns()
  return {
    clock,
    faults: createFaults(),
    requests: createRequestLog(clock.now),
    behaviour: (): Behaviour => behaviour,
    behave: (next: Behaviour): void => {
      behaviour = next
    },
    tokens: {
      isRevoked: (token: SwitchedToken): boolean => revoked.has(token),
      revoke: (token: SwitchedToken): unknown => revoked.add(token),
      restore: (token: SwitchedToken): unknown => revoked.delete(token),
      /** The instances that the limited token sees in its next request, which is for this. */
      limitedTo: (path: EndpointPath): readonly InstanceId[] => turns.next(behaviour.turns, path) ?? limited,
      limit: (instances: readonly InstanceId[]): void => {
        limited = instances
      },
    },
  }
}
