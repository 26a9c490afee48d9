import { createEvents } from '#main/sandbox/events/events.ts'
import type { Events } from '#main/sandbox/events/events.ts'
import type { Turn } from '#main/sandbox/contracts.ts'
import { createSandboxState } from '#main/sandbox/control/state.ts'
import { lookupHandlers } from '#main/sandbox/lookup-handlers.ts'
import { Service } from '#main/sandbox/sandbox.ts'
import { reportHandlers } from '#main/sandbox/report-handlers.ts'
import { createTokens } from '#main/sandbox/rights.ts'
import { wireParameters } from '#main/api/body.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { cancelled } from '#main/lib/async.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

/** The sandbox's tables and lists without HTTP, for tests that ask it a million times. */
export type ServiceInProcess = {
  readonly events: Events
  readonly token: string
  /** Clients of the limited token, each answer of which takes a few turns of the event loop. */
  readonly client: (now: () => number) => ServiceClient
  /** What the token sees from now on, by the number of its requests. */
  readonly take: (turns: readonly Turn[]) => void
  /** Paths that were asked for since the last look. */
  readonly asked: () => readonly string[]
}

export function serviceInProcess(seed: number, today: Day): ServiceInProcess {
  const events = createEvents(seed, today)
  const state = createSandboxState({ today })
  const tokens = createTokens(seed)
  const handlers = Object.fromEntries([...reportHandlers(events), ...lookupHandlers(events)])
  // Raw reports are not asked for here.
  const service = new Service(handlers, tokens, state)
  const paths: string[] = []
  let number = 0
  const pause = async () => {
    number += 1
    for (let left = (number * 7919) % 4; left > 0; left -= 1)
      await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return {
    events,
    token: tokens.limited,
    take: (turns) => state.behave({ ...state.behaviour(), turns }),
    asked: () => paths.splice(0),
    client: (now) => ({
      close: () => Promise.resolve(),
      call: async (path, given, { signal } = {}) => {
        if (signal?.aborted) throw cancelled()
        await pause()
        paths.push(path)
        const { text } = await service.answer(path, {
          token: tokens.limited,
          ...wireParameters(path, given),
        })
        // What the token sees counts as seen once the list was asked for: its answer is never lost on the way.
        if (path !== 'interface/instances') {
          await pause()
          if (signal?.aborted) throw cancelled()
        }
        return { answer: decodeAnswer(path, text), text, receivedAt: now() as Instant }
      },
    }),
  }
}
