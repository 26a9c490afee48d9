import { describe, expect, it } from 'vitest'
import { RequestLimiter, Rest, sendWithTries } from '#main/api/requests.ts'
import type { Priority } from '#main/api/requests.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import type { HttpAnswer } from '#main/api/transport/exchange.ts'
import { HandClock, settled } from '../reports/clock.ts'

const second = 1_000
const minute = 60 * second
const noon = '2026-11-20T12:00:00Z'

const answer = (status: number, retryAfter?: string): HttpAnswer => ({
  ...{ status, text: '', retryAfter, date: undefined, location: undefined, assumed: false },
})
const ok = answer(200)
const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })

type Order = {
  readonly priority?: Priority
  readonly repeatable?: boolean
  readonly waitsForRest?: boolean
  readonly signal?: AbortSignal
}

/** Accounts of one service whose answers the test lays out; all that they send is written down. */
function service(random = 0) {
  const clock = new HandClock(noon)
  const limiter = new RequestLimiter(4, { perSecond: 10, clock })
  const sent: { readonly name: string; readonly at: number }[] = []
  const laid = {
    answer: (name: string): HttpAnswer | Error | Promise<HttpAnswer> => (name === '' ? reset : ok),
  }
  const accountOf = () => {
    const moments: (number | null)[] = []
    const rest = new Rest({
      clock,
      random: () => random,
      resting: (until) => moments.push(until && until - Date.parse(noon)),
      wake: limiter.wake,
    })
    const ask = (
      name: string,
      { priority = 'person', repeatable = true, waitsForRest = true, signal }: Order = {},
    ) => {
      const send = async () => {
        sent.push({ name, at: clock.now() - Date.parse(noon) })
        const laidOut = await laid.answer(name)
        if (laidOut instanceof Error) throw laidOut
        return laidOut
      }
      const ending = signal ?? new AbortController().signal
      const done = sendWithTries({
        send: (refusals) => {
          const under = { rest, isRepeatable: repeatable, refusals }
          return limiter.run(priority, ending, () => rest.send(send), rest, under)
        },
        ...{
          rest,
          waitsForRest,
          host: 'service.example',
          repeatable,
          clock,
          random: () => 0,
          signal: ending,
        },
      })
      done.catch(() => undefined)
      return done
    }
    return { ask, moments, rest }
  }
  /** Lets time pass, in steps that ring every alarm at its time. */
  const pass = async (milliseconds: number) => {
    await settled()
    for (let left = milliseconds; left > 0;) {
      const step = Math.min(left, Math.max(1, clock.waiting()[0] ?? left))
      await clock.move(step)
      left -= step
    }
  }
  return { ...accountOf(), accountOf, clock, laid, sent, pass, names: () => sent.map(({ name }) => name) }
}

/** The pauses between requests, in milliseconds. */
const pauses = (sent: readonly { readonly at: number }[]) =>
  sent.slice(1).map(({ at }, place) => at - (sent[place]?.at ?? 0))

describe('a service that asks for rest', () => {
  it.each([
    ['429', undefined, 10],
    ['429', '0', 10],
    ['429', '-5', 10],
    ['429', '3', 10],
    ['429', 'soon', 10],
    ['429', '', 10],
    ['429', '1e9', 10],
    ['429', new Date(Date.parse(noon) - minute).toUTCString(), 10],
    ['429', new Date(Date.parse(noon) + minute).toUTCString(), 60],
    ['429', '90', 90],
    ['429', '99999999999999999999', 3600],
    ['503', '0', 10],
    ['503', '90', 90],
  ])('gets it after %s with Retry-After %s: %i s', async (status, retryAfter, seconds) => {
    const { ask, laid, pass, sent, moments } = service()
    laid.answer = () => (sent.length === 1 ? answer(Number(status), retryAfter) : ok)
    const asked = ask('a')
    await pass(seconds * second - 1)
    expect(sent).toHaveLength(1)
    await pass(1)
    await expect(asked).resolves.toMatchObject({ status: 200 })
    expect(moments).toEqual([seconds * second, null])
  })

  it('gets more of it with each refusal, up to five minutes, and ten seconds again after an answer', async () => {
    const { ask, laid, pass, sent } = service()
    laid.answer = () => answer(429, '0')
    const asked = ask('a')
    await pass(20 * minute)
    expect(pauses(sent).map((pause) => pause / second)).toEqual([10, 20, 40, 80, 160, 300, 300])
    laid.answer = () => ok
    await pass(5 * minute)
    await expect(asked).resolves.toMatchObject({ status: 200 })
    laid.answer = () => (sent.at(-2)?.name === 'b' ? ok : answer(429))
    const before = sent.length
    const next = ask('b')
    await pass(minute)
    await next
    expect(pauses(sent.slice(before))).toEqual([10 * second])
  })

  it('is never asked sooner by chance', async () => {
    const { ask, laid, pass, sent } = service(1)
    laid.answer = () => answer(429)
    void ask('a')
    await pass(minute)
    expect(pauses(sent)).toEqual([12 * second, 24 * second])
  })

  it('is taken by its word at the second 503 in a row, where it names no time', async () => {
    const { ask, laid, pass, sent, moments } = service()
    laid.answer = () => (sent.length <= 2 ? answer(503) : ok)
    const asked = ask('a')
    await pass(minute)
    await asked
    expect(pauses(sent)).toEqual([200, 10 * second])
    laid.answer = () => (sent.length === 4 ? answer(503) : ok)
    const next = ask('b')
    await pass(second)
    await next
    expect(moments).toEqual([10 * second + 200, null])
  })
})

describe('requests of an account that rests', () => {
  it('all wait, and one finds out alone, whom a person waits for first', async () => {
    const { ask, laid, pass, names, accountOf } = service()
    laid.answer = (name) => (name === 'other' ? ok : answer(429))
    void ask('first', { priority: 'background' })
    await pass(1)
    for (const name of ['b1', 'b2', 'b3']) void ask(name, { priority: 'background' })
    for (const name of ['p1', 'p2']) void ask(name)
    await pass(9 * second)
    await accountOf().ask('other')
    expect(names()).toEqual(['first', 'other'])
    let give: (answered: HttpAnswer) => void = () => undefined
    laid.answer = () => new Promise<HttpAnswer>((resolve) => (give = resolve))
    await pass(minute)
    expect(names()).toEqual(['first', 'other', 'p1'])
    laid.answer = () => ok
    give(ok)
    await pass(second)
    expect(names().slice(3).sort()).toEqual(['b1', 'b2', 'b3', 'first', 'p2'])
  })

  it('are refused together once: the rest does not grow with each, and takes the longest time that was named', async () => {
    const { ask, laid, pass, names, moments } = service()
    laid.answer = (name) => answer(429, name === 'c' ? '25' : '0')
    for (const name of ['a', 'b', 'c']) void ask(name)
    await pass(24 * second)
    expect(names()).toEqual(['a', 'b', 'c'])
    expect(moments).toEqual([10 * second, 25 * second])
    await pass(second)
    expect(moments.at(-1)).toBe((25 + 20) * second)
  })

  it('do not go because one that left before has been answered', async () => {
    const { ask, laid, pass, names } = service()
    let give: (answered: HttpAnswer) => void = () => undefined
    laid.answer = (name) =>
      name === 'slow' ? new Promise<HttpAnswer>((resolve) => (give = resolve)) : answer(429)
    void ask('slow')
    void ask('a')
    await pass(second)
    give(ok)
    await pass(8 * second)
    expect(names()).toEqual(['slow', 'a'])
    await pass(second)
    expect(names()).toEqual(['slow', 'a', 'a'])
  })

  it('neither hold up another account of the service nor count for its rate', async () => {
    const { ask, laid, pass, sent, accountOf } = service()
    const other = accountOf()
    laid.answer = (name) => (name === 'other' ? ok : answer(429))
    for (let nth = 0; nth < 30; nth += 1) void ask(`a${nth}`)
    await pass(2 * second)
    const before = sent.length
    for (let nth = 0; nth < 30; nth += 1) void other.ask('other')
    await pass(1)
    expect(sent.slice(before).filter(({ name }) => name === 'other')).toHaveLength(30)
  })

  it('never left where they are cancelled meanwhile', async () => {
    const { ask, laid, pass, sent } = service()
    laid.answer = () => answer(429)
    void ask('a')
    await pass(second)
    const controller = new AbortController()
    const order = ask('order', { repeatable: false, signal: controller.signal })
    controller.abort()
    await expect(order).rejects.toBeInstanceOf(NeverSent)
    await expect(order).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(sent).toHaveLength(1)
  })

  it('find out themselves only if they may be sent twice, where there are others', async () => {
    const { ask, laid, pass, names } = service()
    laid.answer = () => answer(429)
    void ask('list', { priority: 'background' })
    await pass(second)
    const order = ask('order', { repeatable: false })
    await pass(9 * second)
    expect(names()).toEqual(['list', 'list'])
    laid.answer = () => ok
    await pass(20 * second)
    await order
    expect(names()).toEqual(['list', 'list', 'list', 'order'])
  })

  it('find out one after the other where nobody answers, ten seconds apart', async () => {
    const { ask, laid, pass, sent } = service()
    laid.answer = (name) => (sent.length === 1 || name === 'a' ? answer(429) : reset)
    void ask('a', { priority: 'background' })
    await pass(second)
    const asked = ask('b')
    await pass(9 * second)
    await expect(asked).rejects.toMatchObject({ failure: { kind: 'offline' } })
    await pass(9 * second)
    expect(sent.map(({ name }) => name)).toEqual(['a', 'b'])
    await pass(second)
    expect(pauses(sent)).toEqual([10 * second, 10 * second])
  })

  it('go on after a cancelled attempt, ten seconds later', async () => {
    const { ask, laid, pass, sent } = service()
    laid.answer = () => answer(429)
    void ask('a', { priority: 'background' })
    await pass(second)
    const controller = new AbortController()
    laid.answer = () =>
      new Promise((_, reject) => controller.signal.addEventListener('abort', () => reject(reset)))
    void ask('b', { signal: controller.signal })
    await pass(10 * second)
    controller.abort()
    laid.answer = () => ok
    await pass(9 * second)
    expect(sent.map(({ name }) => name)).toEqual(['a', 'b'])
    await pass(second)
    expect(sent.map(({ name }) => name)).toEqual(['a', 'b', 'a'])
  })

  it('let others find out where one is refused again', async () => {
    const { ask, laid, pass, names } = service()
    laid.answer = (name) => (name === 'b' ? ok : answer(429))
    void ask('a')
    await pass(second)
    void ask('b', { priority: 'background' })
    await pass(29 * second)
    expect(names().slice(0, 3)).toEqual(['a', 'a', 'b'])
  })

  it('do not wait for ever for one report that alone is refused', async () => {
    const { ask, laid, pass } = service()
    laid.answer = (name) => (name === 'broken' ? answer(503) : ok)
    const broken = ask('broken')
    for (let nth = 0; nth < 12; nth += 1) {
      const other = ask('other', { priority: 'background' })
      await pass(30 * second)
      await other
    }
    await expect(broken).resolves.toMatchObject({ status: 503 })
  })

  it('wait until the clock reaches the end of it again where it was set back', async () => {
    const { ask, laid, clock, pass, sent, rest } = service()
    laid.answer = () => answer(429)
    void ask('a')
    await pass(second)
    laid.answer = () => ok
    await clock.move(-3_600_000)
    expect(rest.phase).toBe('due')
    await ask('b')
    expect(sent.map(({ name }) => name)).toEqual(['a', 'a', 'b'])
  })

  it('wait for a service that says 429 and 503 in turn', async () => {
    const { ask, laid, pass, sent } = service()
    laid.answer = () => answer(sent.length % 2 === 0 ? 503 : 429)
    const asked = ask('a')
    await pass(30 * minute)
    expect(pauses(sent).map((pause) => pause / second)).toEqual([10, 20, 40, 80, 160, 300, 300, 300, 300])
    laid.answer = () => ok
    await pass(5 * minute)
    await expect(asked).resolves.toMatchObject({ status: 200 })
  })

  it('begin no rest once their client is closed', async () => {
    const { ask, laid, pass, moments, rest, clock } = service()
    laid.answer = () => answer(429)
    const controller = new AbortController()
    const asked = ask('a', { signal: controller.signal })
    await pass(second)
    let refuse = () => {}
    laid.answer = () => new Promise((_, reject) => (refuse = () => reject(reset)))
    await pass(9 * second)
    rest.close()
    controller.abort()
    refuse()
    await expect(asked).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
    expect(moments).toEqual([10 * second])
    expect(clock.waiting()).toEqual([])
  })

  it('are refused at once where a form waits', async () => {
    const { ask, laid, sent } = service()
    laid.answer = () => answer(429, '0')
    await expect(ask('token', { waitsForRest: false })).resolves.toMatchObject({ status: 429 })
    expect(sent).toHaveLength(1)
  })
})

describe('an hour of refusals', () => {
  it.each([
    ['429', '0'],
    ['429', undefined],
    ['503', '0'],
    ['503', undefined],
  ])(
    'with %s and Retry-After %s costs a few requests, and then everything comes, each once',
    async (status, retryAfter) => {
      const { ask, laid, pass, sent } = service()
      laid.answer = () => answer(Number(status), retryAfter)
      const asked = Array.from({ length: 12 }, (_, nth) =>
        ask(`r${nth}`, { priority: nth < 3 ? 'person' : 'background' }),
      )
      await pass(60 * minute)
      // Those that left together, before anything was known; a 503 that names no time is tried once more by who asked.
      const alone = sent.filter(({ at }) => at >= second)
      expect(sent.length - alone.length).toBeLessThanOrEqual(4)
      expect(alone.length).toBeLessThanOrEqual(20)
      expect(Math.min(...pauses(alone))).toBeGreaterThanOrEqual(10 * second)
      const before = sent.length
      laid.answer = () => ok
      await pass(6 * minute)
      await Promise.all(asked)
      expect(
        sent
          .slice(before)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(Array.from({ length: 12 }, (_, nth) => `r${nth}`).sort())
    },
  )
})
