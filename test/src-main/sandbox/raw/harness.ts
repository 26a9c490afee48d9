import { createClock, createSandboxState } from '#main/sandbox/control/state.ts'
import type { Behaviour, TokenRights } from '#main/sandbox/contracts.ts'
import { EncodedText } from '#main/sandbox/contracts.ts'
import { startRaw } from '#main/sandbox/raw/raw.ts'
import type { RawPath } from '#main/sandbox/raw/raw.ts'
import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { addDays } from '#shared/values/day.ts'
import { fakeRows, id, instances, today } from './fake-rows.ts'

export const admin: TokenRights = { admin: true, instances: null, state: 'valid' }
export const limited: TokenRights = { admin: false, instances: [id('101'), id('102')], state: 'valid' }

/** JSON as a client would read it, its members not yet checked. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type Answer = any

/** An order that is right; tests change what they are about. */
export const order: ArgumentsFor<'raw/request'> = {
  type: 'response',
  instance: '101',
  start: addDays(today, -6),
  end: today,
  standard: ['source', 'country', 'result'],
}

/** Raw reports on a clock that stands still until it is advanced, over rows that tests can foretell. */
export async function startTestRaw(options: { seed?: number; raw?: Partial<Behaviour['raw']> } = {}) {
  const state = createSandboxState({ today, clock: createClock(today, () => 0) })
  state.behave({ ...state.behaviour(), raw: { ...state.behaviour().raw, ...options.raw } })
  const raw = await startRaw({ seed: options.seed ?? 7, today, rows: fakeRows(), instances, state })

  /** Calls a handler as the HTTP server does; text comes back plain. */
  async function ask<P extends RawPath>(
    path: P,
    parameters: ArgumentsFor<P>,
    rights: TokenRights = admin,
  ): Promise<Answer> {
    const request = {
      path,
      parameters: { ...parameters },
      echo: { startswith: false, ...parameters },
      rights,
      behaviour: state.behaviour(),
      now: state.clock.now(),
      today: state.clock.today(),
    }
    return plain(await raw.handlers[path](request))
  }

  /** Requests a report and lets it finish. */
  async function finished(change: Partial<ArgumentsFor<'raw/request'>> = {}): Promise<string> {
    const { id: report, feedback } = await ask('raw/request', { ...order, ...change })
    if (report === undefined) throw new Error(JSON.stringify(feedback))
    state.clock.advance(60_000)
    return report
  }
  return { raw, state, ask, finished, close: raw.close }
}

export type TestRaw = Awaited<ReturnType<typeof startTestRaw>>

function plain(data: unknown): unknown {
  return JSON.parse(
    JSON.stringify(data, (_, value: unknown) => (value instanceof EncodedText ? value.text : value)),
  )
}
