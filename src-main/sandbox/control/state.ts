import type { EndpointPath } from '#shared/api/endpoints.ts'
import { dayAt } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { plainBehaviour } from '../contracts.ts'
import type { Fault, Behaviour } from '../contracts.ts'
import { limitedInstances } from '../events/catalogue.ts'
import { createTurns } from './write-reply.ts'

/** The sandbox's clock. Tests advance it instead of waiting. */
export type SandboxClock = {
  /** Milliseconds since 1970, as an integer. */
  readonly now: () => number
  /** Today in UTC. */
  readonly today: () => Day
  /** Advances the clock, which never goes back. */
  readonly advance: (milliseconds: number) => void
}

/**
 * Creates a clock that starts at noon UTC of `today` and follows real time.
 * @param elapsed a monotonic clock in milliseconds; replaced in tests
 */
export const createClock = (today: Day, elapsed: () => number = () => performance.now()): SandboxClock =>
  clockFrom(Date.parse(`${today}T12:00:00Z`), elapsed)

/** Creates a clock that starts at `moment`, in milliseconds since 1970. */
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

/** An answered request, for tests that count requests. Never contains a token. */
type LoggedRequest = {
  /** Path of an endpoint such as `direct/browsers`, or `download`. */
  readonly path: string
  readonly status: number
  /** The sandbox's time in milliseconds since 1970. */
  readonly time: number
  readonly parameters: Readonly<Record<string, unknown>>
}

/** Maximum number of logged requests, because the sandbox of the sample data may run for days. */
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

/** Creates the queue of faults. */
export function createFaults() {
  let faults: Fault[] = []
  return {
    add: (fault: Fault): void => {
      faults.push(fault)
    },
    clear: (): void => {
      faults = []
    },
    /** Returns pending faults with their remaining times. */
    waiting: (): readonly Fault[] => [...faults],
    /**
     * Takes the oldest fault for a request and decrements its times.
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

/** Tokens that can be revoked and restored. The third token is always expired. */
export const switchedTokens = ['admin', 'limited'] as const

type SwitchedToken = (typeof switchedTokens)[number]

/** State of a running sandbox. Both HTTP servers read it on each request. */
export type SandboxState = ReturnType<typeof createSandboxState>

/** Creates the initial state: plain behaviour, no faults, noon of `today`. */
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
      /** Returns the instances that the limited token sees in its next request. */
      limitedTo: (path: EndpointPath): readonly InstanceId[] => turns.next(behaviour.turns, path) ?? limited,
      limit: (instances: readonly InstanceId[]): void => {
        limited = instances
      },
    },
  }
}
