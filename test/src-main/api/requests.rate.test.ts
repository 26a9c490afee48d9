import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RequestLimiter } from '#main/api/requests.ts'
import type { Priority } from '#main/api/requests.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { HandClock, settled } from '../reports/clock.ts'

const never = new AbortController().signal
const noon = '2026-11-20T12:00:00Z'

type Begun = { readonly who: number; readonly at: number; readonly name: string }

/** A service that answers each request after so many milliseconds, asked by many accounts through one limiter. */
function service(takes: number) {
  const clock = new HandClock(noon)
  const limiter = new RequestLimiter(4, { perSecond: 10, clock })
  const begun: Begun[] = []
  let running = 0
  let maxAtOnce = 0
  const ask = (who: number, priority: Priority = 'background', name = '') =>
    limiter.run(
      priority,
      never,
      async () => {
        begun.push({ who, at: clock.now() - Date.parse(noon), name })
        maxAtOnce = Math.max(maxAtOnce, (running += 1))
        await clock.wait(takes, never)
        running -= 1
      },
      who,
    )
  /** Lets time pass, in steps of 10 ms, until nothing waits. */
  const pass = async (milliseconds: number) => {
    await settled()
    for (let passed = 0; passed < milliseconds; passed += 10) await clock.move(10)
  }
  return { ask, begun, pass, maxAtOnce: () => maxAtOnce }
}

/** The most that began within any second. */
const maxInASecond = (begun: readonly Begun[]): number =>
  Math.max(
    0,
    ...begun.map(({ at }) => begun.filter((other) => other.at >= at && other.at < at + 1_000).length),
  )

const accounts = Array.from({ length: 100 }, (_, who) => who)

describe('the requests of a hundred accounts to one service', () => {
  it.each(['background', 'person'] as const)('are ten a second and four at once, %s', async (priority) => {
    const { ask, begun, pass, maxAtOnce } = service(30)
    // Each asks for three things, one after the other.
    const all = accounts.map(async (who) => {
      for (let nth = 0; nth < 3; nth += 1) await ask(who, priority)
    })
    await pass(31_000)
    await Promise.all(all)
    expect(begun).toHaveLength(300)
    expect(maxInASecond(begun)).toBeLessThanOrEqual(10)
    expect(maxAtOnce()).toBeLessThanOrEqual(4)
  })

  it('hold up neither whom a person looks at nor a run of many requests', async () => {
    const { ask, begun, pass, maxAtOnce } = service(30)
    for (const who of accounts.slice(2)) void ask(who)
    await pass(2_000)
    const before = begun.length
    for (let nth = 0; nth < 40; nth += 1) void ask(0, 'person', 'person')
    await pass(600)
    const persons = begun.slice(before).filter(({ name }) => name === 'person')
    // One place in four may be taken by what began before, and each ninth turn is another's.
    expect(persons.length).toBeGreaterThanOrEqual(38)
    await pass(400)
    const then = begun.length
    for (let nth = 0; nth < 30; nth += 1) void ask(1, 'background', 'gather')
    await pass(600)
    const gathered = begun.slice(then).filter(({ name }) => name === 'gather')
    expect(gathered.length).toBeGreaterThanOrEqual(24)
    expect(maxAtOnce()).toBeLessThanOrEqual(4)
  })

  it('take as long as ever where there is one account', async () => {
    const { ask, begun, pass } = service(10)
    for (let nth = 0; nth < 60; nth += 1) void ask(0, nth % 2 === 0 ? 'person' : 'background')
    await pass(170)
    expect(begun).toHaveLength(60)
  })

  it('all begin in the end, whoever asks, however urgent, and whoever gives up', async () => {
    const asked = fc.record({
      who: fc.nat({ max: 9 }),
      priority: fc.constantFrom('person' as const, 'background' as const),
      after: fc.nat({ max: 20 }),
    })
    const run = async (all: readonly { who: number; priority: Priority; after: number }[], takes: number) => {
      const { ask, begun, pass, maxAtOnce } = service(takes)
      for (const each of all) {
        void ask(each.who, each.priority)
        await pass(each.after * 10)
      }
      await pass(1_000 + all.length * (200 + takes))
      await settled()
      expect(begun).toHaveLength(all.length)
      expect(maxAtOnce()).toBeLessThanOrEqual(4)
    }
    const property = fc.asyncProperty(fc.array(asked, { maxLength: 40 }), fc.constantFrom(10, 70), run)
    await checkAsyncProperty('paced requests', property, 20)
  })
})
