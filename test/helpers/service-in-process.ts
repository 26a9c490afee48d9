import type { Events } from '#main/sandbox/events/events.ts'
import type { Turn } from '#main/sandbox/contracts.ts'
import { Refusal } from '#main/sandbox/contracts.ts'
import { createSandboxState } from '#main/sandbox/control/state.ts'
import type { SandboxClock } from '#main/sandbox/control/state.ts'
import { lookupHandlers } from '#main/sandbox/lookup-handlers.ts'
import { Service } from '#main/sandbox/sandbox.ts'
import { reportHandlers } from '#main/sandbox/report-handlers.ts'
import { createTokens } from '#main/sandbox/rights.ts'
import { wireParameters } from '#main/api/body.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { cancelled } from '#main/lib/async.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import { dayFromWire } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { InstanceId, Instant } from '#shared/values/ids.ts'

/** An answer that the service gave. One that is on its way arrives at no time yet. */
export type Served = {
  readonly path: EndpointPath
  /** Its days; null for a list. */
  readonly range: DayRange | null
  /** Number of answers that had been given when the request was sent. */
  readonly sentAfter: number
  /** When it was sent, counted and delivered, in milliseconds since 1970. */
  readonly sentAt: number
  readonly at: number
  arrivedAt: number
  /** What the token saw. */
  readonly instances: readonly InstanceId[]
}

/** The sandbox's tables and lists without HTTP, for tests that ask it a million times. */
export type ServiceInProcess = {
  readonly token: string
  /** Client of the limited token. Each answer takes a few turns of the event loop, and a millisecond of the clock. */
  readonly client: () => ServiceClient
  /** What the token sees from now on, by the number of its requests. */
  readonly take: (turns: readonly Turn[]) => void
  /** Every answer since the beginning. */
  readonly served: readonly Served[]
  /** Begins again, with these turns: the same is answered in the same order. */
  readonly reset: (turns: readonly Turn[]) => void
  isAway: boolean
}

/** @param clock moves on by a millisecond with each answer */
export function serviceInProcess(seed: number, events: Events, clock: SandboxClock): ServiceInProcess {
  const state = createSandboxState({ today: clock.today(), clock })
  const tokens = createTokens(seed)
  const handlers = Object.fromEntries([...reportHandlers(events), ...lookupHandlers(events)])
  let instances: readonly InstanceId[] = []
  const limitedTo = (path: EndpointPath) => (instances = state.tokens.limitedTo(path))
  // Raw reports are not asked for here.
  const service = new Service(handlers, tokens, { ...state, tokens: { ...state.tokens, limitedTo } })
  const served: Served[] = []
  let number = 0
  const pause = async () => {
    number += 1
    for (let left = (number * 7919) % 4; left > 0; left -= 1)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }
  const take = (turns: readonly Turn[]) => state.behave({ ...state.behaviour(), turns })
  const made: ServiceInProcess = {
    token: tokens.limited,
    ...{ take, served },
    reset: (turns) => {
      number = 0
      served.length = 0
      made.isAway = false
      take(turns)
    },
    isAway: false,
    client: () => ({
      close: () => Promise.resolve(),
      call: async (path, given, { signal } = {}) => {
        if (signal?.aborted) throw cancelled()
        const [sentAfter, sentAt] = [served.length, clock.now()]
        await pause()
        if (made.isAway) throw new ServiceFailure({ kind: 'offline', message: 'No answer came.' })
        clock.advance(1)
        const at = clock.now()
        const parameters = wireParameters(path, given)
        const answering = service.answer(path, { token: tokens.limited, ...parameters }).catch(refused)
        const range = rangeIn(parameters)
        const answered: Served = { path, range, sentAfter, sentAt, at, arrivedAt: Infinity, instances }
        served.push(answered)
        const { text } = await answering
        // What the token sees counts as seen once the list was asked for: its answer is never lost on the way.
        if (path !== 'interface/instances') {
          await pause()
          if (signal?.aborted) throw cancelled()
        }
        answered.arrivedAt = clock.now()
        return { answer: decodeAnswer(path, text), text, receivedAt: at as Instant }
      },
    }),
  }
  return made
}

function rangeIn({ start, end }: Readonly<Record<string, unknown>>): DayRange | null {
  const [first, last] = [dayFromWire(start), dayFromWire(end)]
  return first && last ? { start: first, end: last } : null
}

function refused(error: unknown): never {
  if (!(error instanceof Refusal)) throw error
  throw new ServiceFailure({ kind: 'no-right', message: error.message })
}
