import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { endpointPaths } from '#shared/api/endpoints.ts'
import { day } from '#shared/values/day.ts'
import { ask } from './asking.ts'

const today = day('2026-11-20')
let sandboxes: Sandbox[]

beforeAll(async () => {
  const make = (seed: number) => createSandbox({ seed, today })
  // Events that were made last are not made again: another sandbox comes between.
  const [one, other, same] = await Promise.all([make(7), make(8), make(7)])
  sandboxes = [one, same, other]
})
afterAll(() => Promise.all(sandboxes.map((each) => each.close())))

const days = { start: 20261101, end: 20261120, rates: true, rules: true, chart: true, limit: 50 }

/** What the three sandboxes answer to one request. */
const answers = (path: string, parameters: Record<string, unknown>) =>
  Promise.all(sandboxes.map(async (each) => (await ask(each, path, parameters)).text))

describe('the same seed and day', () => {
  const paths = endpointPaths.filter((path) => !path.startsWith('raw/'))

  it.each([...paths, 'raw/table'])('give %s the same bytes', async (path) => {
    const [one, same] = await answers(path, days)
    expect(same).toBe(one)
    const [again] = await answers(path, days)
    expect(again).toBe(one)
  })

  it('give the same tokens, and another seed gives others and other figures', async () => {
    expect(sandboxes[1]?.tokens).toEqual(sandboxes[0]?.tokens)
    expect(sandboxes[2]?.tokens).not.toEqual(sandboxes[0]?.tokens)
    const [one, , other] = await answers('script/networks', days)
    expect(other).not.toBe(one)
  })

  it('write spaces both ways, and the same header otherwise for another request', async () => {
    const headers = await Promise.all(
      Array.from({ length: 20 }, (_, page) =>
        answers('script/operating-systems', { ...days, page: page + 1 }),
      ),
    )
    const all = headers.map(([text]) => text ?? '').join()
    expect(all).toContain('"Ad+Blocker"')
    expect(all).toContain('"Ad%20Blocker"')
  })
})
