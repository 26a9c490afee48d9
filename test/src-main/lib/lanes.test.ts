import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Lane, Lanes } from '#main/lib/lanes.ts'
import { runs } from '#test/helpers/long.ts'
import { settled } from '../reports/clock.ts'

const fixed = { numRuns: runs(100, 3000), seed: 20261127 }

/** Work that ends when a test says so. */
function held() {
  let end = () => {}
  let fail: (error: Error) => void = end
  const over = new Promise<void>((resolve, reject) => {
    end = resolve
    fail = reject
  })
  return { work: () => over, end: () => end(), fail: (error: Error) => fail(error) }
}

describe('a lane', () => {
  it('runs one thing after the other, also after one that failed', async () => {
    const lane = new Lane()
    const seen: string[] = []
    const one = lane.run(async () => {
      seen.push('first begins')
      await settled()
      seen.push('first ends')
      throw new Error('failed')
    })
    const other = lane.run(() => Promise.resolve(seen.push('second')))
    await expect(one).rejects.toThrow('failed')
    expect(await other).toBe(3)
    expect(seen).toEqual(['first begins', 'first ends', 'second'])
  })

  it('gives places in the order in which they were asked for; one that is left twice counts once', async () => {
    const lane = new Lane(2)
    const entered: number[] = []
    const leaves = [1, 2, 3, 4].map((who) =>
      lane.enter().then((leave) => {
        entered.push(who)
        return leave
      }),
    )
    await settled()
    expect(entered).toEqual([1, 2])
    const leave = await leaves[1]
    leave?.()
    leave?.()
    await settled()
    expect(entered).toEqual([1, 2, 3])
  })

  it('keeps the place of what runs when its signal is aborted', async () => {
    const lane = new Lane()
    const [controller, first] = [new AbortController(), held()]
    const running = lane.run(first.work, { signal: controller.signal })
    await settled()
    const seen: string[] = []
    const second = lane.run(() => Promise.resolve(seen.push('second')))
    controller.abort()
    await settled()
    expect(seen).toEqual([])
    first.end()
    await Promise.all([running, second])
    expect(seen).toEqual(['second'])
  })

  it('begins none of several after one has failed', async () => {
    const begun: number[] = []
    const works = [held(), held(), held(), held()]
    const all = new Lane(2).forEach([0, 1, 2, 3], (index) => {
      begun.push(index)
      return works[index]?.work() ?? Promise.resolve()
    })
    await settled()
    expect(begun).toEqual([0, 1])
    works[0]?.end()
    await settled()
    expect(begun).toEqual([0, 1, 2])
    works[1]?.fail(new Error('the second failed'))
    await settled()
    works[2]?.end()
    await expect(all).rejects.toThrow('the second failed')
    expect(begun).toEqual([0, 1, 2])
  })

  it('has never more than its places, takes the highest priority first, and no one who has left', async () => {
    const asked = fc.record({ priority: fc.integer({ min: 0, max: 2 }), leaves: fc.boolean() })
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 4 }),
        fc.array(asked, { maxLength: 12 }),
        async (places, all) => {
          const lane = new Lane(places)
          const blocks = Array.from({ length: places }, held)
          const blocking = blocks.map(({ work }) => lane.run(work))
          let [running, most] = [0, 0]
          const begun: number[] = []
          const done = all.map(async ({ priority, leaves }, index) => {
            const controller = new AbortController()
            const work = async () => {
              begun.push(index)
              most = Math.max(most, (running += 1))
              await settled()
              running -= 1
            }
            const result = lane.run(work, { priority, signal: controller.signal }).then(
              () => 'ran',
              (error: unknown) => (error instanceof Error ? error.message : ''),
            )
            if (leaves) controller.abort()
            return [await result, leaves] as const
          })
          for (const { end } of blocks) end()
          for (const [result, leaves] of await Promise.all(done))
            expect(result).toBe(leaves ? 'Cancelled.' : 'ran')
          await Promise.all([...blocking, lane.idle()])
          const stay = all.map((each, index) => ({ ...each, index })).filter(({ leaves }) => !leaves)
          expect(begun).toEqual(stay.sort((a, b) => b.priority - a.priority).map(({ index }) => index))
          expect(most).toBeLessThanOrEqual(places)
        },
      ),
      fixed,
    )
  })
})

describe('lanes by key', () => {
  it('hold up each their own alone', async () => {
    const lanes = new Lanes<string>()
    const [first, seen] = [held(), [] as string[]]
    const one = lanes.run('a', first.work)
    const two = lanes.run('a', () => Promise.resolve(seen.push('a')))
    await lanes.run('b', () => Promise.resolve(seen.push('b')))
    expect(seen).toEqual(['b'])
    first.end()
    await Promise.all([one, two])
    expect(seen).toEqual(['b', 'a'])
  })

  it('have as many places as are given', async () => {
    const lanes = new Lanes<string>(2)
    const [first, second, seen] = [held(), held(), [] as string[]]
    const running = [first, second].map(({ work }) => lanes.run('a', work))
    const third = lanes.run('a', () => Promise.resolve(seen.push('third')))
    await settled()
    expect(seen).toEqual([])
    second.end()
    await third
    expect(seen).toEqual(['third'])
    first.end()
    await Promise.all(running)
  })
})

describe('work that is joined', () => {
  it('begins after each who joined it asked, and once for those who asked while one ran', async () => {
    const steps = fc.array(fc.constantFrom('join', 'other', 'end', 'fail'), { maxLength: 30 })
    const property = fc.asyncProperty(steps, async (all) => {
      const lanes = new Lanes<string, number>()
      const runs: ReturnType<typeof held>[] = []
      const joined: { readonly begunBefore: number; readonly run: Promise<number> }[] = []
      const failed = new Set<number>()
      const end = (nth: number, step: string) => {
        if (step === 'fail') failed.add(nth)
        if (step === 'fail') runs[nth]?.fail(new Error('failed'))
        else runs[nth]?.end()
      }
      let ended = 0
      const join = async () => {
        const nth = runs.length
        const run = held()
        runs.push(run)
        await run.work()
        return nth
      }
      for (const step of [...all, ...all.map(() => 'end')]) {
        if (step === 'join') {
          const run = lanes.join('one', join)
          run.catch(() => undefined)
          joined.push({ begunBefore: runs.length, run })
        } else if (step === 'other') void lanes.run('another', () => Promise.resolve())
        else if (ended < runs.length) end((ended += 1) - 1, step)
        await settled()
        // None begins before the one before has ended.
        expect(runs.length - ended).toBeLessThanOrEqual(1)
      }
      const outcomes = await Promise.allSettled(joined.map(({ run }) => run))
      for (const [place, outcome] of outcomes.entries()) {
        const before = joined[place]?.begunBefore ?? 0
        if (outcome.status === 'fulfilled') expect(outcome.value).toBe(before)
        else expect(failed.has(before)).toBe(true)
      }
    })
    await fc.assert(property, fixed)
  })
})
