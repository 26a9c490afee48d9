import { describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { RequestLimiter } from '#main/api/requests.ts'
import type { Priority } from '#main/api/requests.ts'

const never = new AbortController().signal
const settled = () => new Promise((resolve) => setImmediate(resolve))

/** Work that is begun and ended by the test, and the names of what has begun. */
function bench(places: number) {
  const limiter = new RequestLimiter(places)
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const ask = (name: string, priority: Priority = 'person', signal = never) => {
    const done = limiter.run(priority, signal, () => {
      begun.push(name)
      return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
    })
    done.catch(() => undefined)
    return done
  }
  const end = async (name: string) => {
    ends.get(name)?.()
    await settled()
  }
  return { ask, end, begun }
}

describe('the limiter of requests', () => {
  it('runs four at once, the others in their order', async () => {
    const { ask, end, begun } = bench(4)
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) ask(name)
    await settled()
    expect(begun).toEqual(['a', 'b', 'c', 'd'])
    await end('c')
    expect(begun).toEqual(['a', 'b', 'c', 'd', 'e'])
  })

  it('lets persons go before background requests', async () => {
    const { ask, end, begun } = bench(1)
    ask('first')
    ask('person')
    await settled()
    const behind = bench(2)
    behind.ask('b1', 'background')
    behind.ask('b2', 'background')
    behind.ask('b3', 'background')
    behind.ask('p1')
    behind.ask('p2')
    await settled()
    expect(behind.begun).toEqual(['b1', 'p1'])
    await behind.end('b1')
    expect(behind.begun).toEqual(['b1', 'p1', 'p2'])
    await end('first')
    expect(begun).toEqual(['first', 'person'])
  })

  it('keeps one place free of background requests', async () => {
    const { ask, begun } = bench(4)
    for (const name of ['b1', 'b2', 'b3', 'b4']) ask(name, 'background')
    await settled()
    expect(begun).toEqual(['b1', 'b2', 'b3'])
    ask('p')
    await settled()
    expect(begun).toEqual(['b1', 'b2', 'b3', 'p'])
  })

  it('does not let background requests wait for ever', async () => {
    const { ask, end, begun } = bench(2)
    ask('long')
    ask('p0')
    ask('b', 'background')
    await settled()
    for (let next = 0; !begun.includes('b') && next < 50; next += 1) {
      ask(`p${next + 1}`)
      await end(`p${next}`)
    }
    expect(begun).toContain('b')
    expect(begun.length).toBeLessThan(12)
  })

  it('gives its place back after a failure', async () => {
    const limiter = new RequestLimiter(1)
    await expect(limiter.run('person', never, () => Promise.reject(new Error('broken')))).rejects.toThrow(
      'broken',
    )
    await expect(limiter.run('person', never, () => Promise.resolve('next'))).resolves.toBe('next')
  })

  it('drops what is cancelled while it waits, and keeps the order of the others', async () => {
    const { ask, end, begun } = bench(1)
    const controller = new AbortController()
    ask('a')
    const dropped = ask('b', 'person', controller.signal)
    ask('c')
    controller.abort()
    await expect(dropped).rejects.toBeInstanceOf(ServiceFailure)
    await end('a')
    expect(begun).toEqual(['a', 'c'])
  })

  it('does not begin what was cancelled before', async () => {
    const { ask, begun } = bench(1)
    await expect(ask('a', 'person', AbortSignal.abort())).rejects.toMatchObject({
      failure: { kind: 'cancelled' },
    })
    expect(begun).toEqual([])
  })
})
