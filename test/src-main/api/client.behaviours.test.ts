import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import type { BehaviourChange } from '#main/sandbox/control/server.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { day } from '#shared/values/day.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { failureOfCall, standingClock, week } from '#test/helpers/service-client.ts'

let running: RunningSandbox

beforeAll(async () => {
  running = await runningSandbox()
})

afterAll(() => running.close())

/** Runs a test with the sandbox behaving otherwise, and puts it back. */
async function behaving(change: BehaviourChange, test: () => Promise<void>): Promise<void> {
  await running.behave(change)
  try {
    await test()
  } finally {
    const { restated, ...plain } = plainBehaviour
    await running.behave({ ...plain, restated: [...restated] })
  }
}

describe('what the specification leaves open makes no difference', () => {
  const changes: readonly BehaviourChange[] = [
    { spaces: 'percent' },
    { spaces: 'plus' },
    { instanceIds: 'number' },
    { instanceIds: 'text' },
    { echoesToken: true },
  ]

  it.each(changes)('%j', async (change) => {
    const client = running.client()
    const plain = (await client.call('direct/sessions', { ...week, instance: '4101' })).answer
    await behaving(change, async () => {
      const { answer, text } = await client.call('direct/sessions', { ...week, instance: '4101' })
      expect(answer).toEqual(plain)
      expect(text).not.toContain(running.sandbox.tokens.admin)
    })
  })

  it('rates that are texts are the same rates', async () => {
    const client = running.client()
    const plain = (await client.call('script/browsers', { ...week, rates: true })).answer
    await behaving({ rates: 'texts' }, async () => {
      expect((await client.call('script/browsers', { ...week, rates: true })).answer).toEqual(plain)
    })
  })

  it('members that nobody knows are kept', async () => {
    const client = running.client()
    const plain = (await client.call('script/overview', week)).answer
    await behaving({ unknownMembers: true }, async () => {
      const { answer } = await client.call('script/overview', week)
      expect(Object.keys(answer.unknown)).not.toEqual([])
      expect(answer.total).toMatchObject(plain.total)
    })
  })

  it('a chart in a shape that nobody knows is no chart, and no failure', async () => {
    await behaving({ charts: 'unknown-shape' }, async () => {
      const { answer } = await running.client().call('script/overview', { ...week, chart: true })
      expect(answer.chart).toBeNull()
      expect(answer.unknown).toHaveProperty('chart')
    })
  })

  it.each([
    ['json', 'form'],
    ['form', 'json'],
  ] as const)('only the way in which bodies are written does: %s alone', async (bodies, other) => {
    await behaving({ bodies }, async () => {
      const call = (bodyEncoding: 'json' | 'form') =>
        running.client({ bodyEncoding }).call('script/overview', week)
      expect((await call(bodies)).answer.query).toHaveProperty('start', 20261114)
      expect(['bad-request', 'refused-token']).toContain((await failureOfCall(call(other))).kind)
    })
  })
})

describe.each(['error-text', 'error-object', 'message', 'html', 'empty'] as const)(
  'with errors as %s',
  (errorBodies) => {
    const saysWords = errorBodies !== 'empty'

    it.each([
      ['an expired token', 'expired', week, 'refused-token'],
      ['an instance that it may not see', 'limited', { ...week, instance: '4166' }, 'no-right'],
      ['an instance that is not there', 'admin', { ...week, instance: '1' }, 'not-found'],
      ['a limit beyond the largest', 'admin', { ...week, limit: 1001 }, 'bad-request'],
    ] as const)('%s fails as such', async (_, holder, given, kind) => {
      await behaving({ errorBodies }, async () => {
        const failure = await failureOfCall(running.client({}, holder).call('script/browsers', given))
        expect(failure.kind).toBe(kind)
        expect((failure.said ?? '') !== '').toBe(saysWords)
        expect(JSON.stringify(failure)).not.toMatch(/<\w|%20|\+/)
      })
    })

    it('a range beyond the window fails as such where the service says so', async () => {
      const wide = { start: day('2026-11-01'), end: day('2026-11-20') }
      await behaving({ errorBodies, windows: { tables: 7 } }, async () => {
        const failure = await failureOfCall(running.client().call('script/browsers', wide))
        const expected: FailureKind = saysWords ? 'out-of-window' : 'bad-request'
        expect(failure.kind).toBe(expected)
      })
    })
  },
)

describe('a token that was revoked', () => {
  it('is refused, and taken again when it is restored', async () => {
    const client = running.client()
    await running.control('POST', '/tokens', { revoke: 'admin' })
    expect((await failureOfCall(client.call('script/overview', week))).kind).toBe('refused-token')
    await running.control('POST', '/tokens', { restore: 'admin' })
    expect((await client.call('script/overview', week)).answer.query).toHaveProperty('end', 20261120)
  })

  it('is told of a clock that differs', async () => {
    const clock = { ...standingClock(), now: () => Date.now() }
    await behaving({ clockSkew: 3 * 3_600_000 }, async () => {
      const { message } = await failureOfCall(
        running.client({ clock }, 'expired').call('script/overview', week),
      )
      expect(message).toMatch(/This computer's clock is 3 hours behind the service's/)
    })
  })
})

describe('what goes wrong on the way', () => {
  const passing = [
    { kind: 'status', status: 429, retryAfter: '1' },
    { kind: 'status', status: 503 },
    { kind: 'cut', after: 0.5 },
    { kind: 'cut', after: 0 },
    { kind: 'reset' },
  ]

  it.each(passing)('is not seen where it passes: %j', async (does) => {
    await running.control('DELETE', '/requests')
    await running.fault({ does, times: 2 })
    const client = running.client({ clock: standingClock() })
    expect((await client.call('script/browsers', week)).answer.query.pages).toBeGreaterThan(0)
    expect((await running.requests()).length).toBe(3)
  })

  it.each(passing)('is not tried again for what must not be sent twice: %j', async (does) => {
    await running.control('DELETE', '/requests')
    await running.fault({ does, times: 1 })
    const client = running.client({ clock: standingClock() })
    const order = { ...week, type: 'direct', instance: '4101', standard: ['source'] }
    await failureOfCall(client.call('raw/request', order))
    expect((await running.requests()).map(({ path }) => path)).toEqual(['raw/request'])
  })

  it.each([
    [{ kind: 'html' }, 'malformed', /no Traffic Reporting Service/i],
    [{ kind: 'malformed' }, 'malformed', /no valid JSON/],
    [{ kind: 'redirect', to: 'https://elsewhere.example/x' }, 'server-trouble', /elsewhere\.example/],
    [{ kind: 'delay', milliseconds: 60_000 }, 'timed-out', /did not respond within/],
  ] as const)('is told where it does not: %j', async (does, kind, words) => {
    await running.fault({ does, times: 1 })
    const client = running.client({ timeouts: { firstByte: 200 } })
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind,
      message: expect.stringMatching(words) as string,
    })
  })

  it('is borne where an answer only comes slowly', async () => {
    await running.fault({ does: { kind: 'drip', bytes: 64, everyMilliseconds: 1 }, times: 1 })
    expect((await running.client().call('script/overview', week)).answer.total.good).toBeGreaterThan(0)
  })
})
