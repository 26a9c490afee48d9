import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { Answers, AskingCalls } from './asking-worker.ts'

const failure = (message: string) => new DeskFailure({ kind: 'internal', message })

const prices: Readonly<Record<string, number>> = { apple: 3, pear: 5, time: 0 }

/** A thread that asks this one. */
function asking(over: Partial<Answers> = {}) {
  const events: unknown[] = []
  const client = rpcClient<AskingCalls, Answers>({
    open: () => threadChannel(new URL('asking-worker.ts', import.meta.url), {}),
    gone: () => failure('gone'),
    closed: () => failure('closed'),
    onEvent: (event) => events.push(event),
    answers: {
      price: async (of) => {
        const price = prices[of]
        if (price === undefined) throw new DeskFailure({ kind: 'malformed', message: `No ${of} here` })
        return price
      },
      wait: () => new Promise(() => undefined),
      ...over,
    },
  })
  onTestFinished(() => client.close())
  return { client, events }
}

describe('a worker that asks the main process', () => {
  it('gets each answer for its own question, several calls at a time', async () => {
    const { client, events } = asking({ price: async (of) => of.length })
    const lists = fc.sample(fc.array(fc.string()), { numRuns: 30, seed: 5 })
    const sums = await Promise.all(lists.map((list) => client.call('sum', list)))
    expect(sums).toEqual(lists.map((list) => list.join('').length))
    expect(events).toHaveLength(lists.length)
  })

  it('fails as what it asked failed, and can ask on', async () => {
    const { client } = asking()
    await expect(client.call('sum', ['apple', 'plum'])).rejects.toMatchObject({
      failure: { kind: 'malformed', message: 'No plum here' },
    })
    expect(await client.call('sum', ['apple', 'pear'])).toBe(8)
  })

  it('fails where nobody has such an answer, or it cannot be sent', async () => {
    const none = rpcClient<AskingCalls>({
      open: () => threadChannel(new URL('asking-worker.ts', import.meta.url), {}),
      gone: () => failure('gone'),
      closed: () => failure('closed'),
    })
    onTestFinished(() => none.close())
    await expect(none.call('sum', ['apple'])).rejects.toMatchObject({ failure: { kind: 'internal' } })
    const { client } = asking({ price: async () => (() => 1) as never })
    await expect(client.call('sum', ['apple'])).rejects.toMatchObject({ failure: { kind: 'internal' } })
    expect(await client.call('askWrongly', null)).toBe('DataCloneError')
  })

  it('is not waited for where it ends while it asks', async () => {
    const given: AbortSignal[] = []
    const wait = (_: null, signal?: AbortSignal) => {
      if (signal) given.push(signal)
      return new Promise<null>(() => undefined)
    }
    const { client } = asking({ wait })
    await expect(client.call('waitAndDie', null)).rejects.toThrow('gone')
    expect(given.map(({ aborted }) => aborted)).toEqual([true])
    expect(await client.call('sum', ['pear'])).toBe(5)
  })

  it('ends at once where it is killed', async () => {
    const { client } = asking({ price: () => new Promise(() => undefined) })
    const called = client.call('sum', ['pear'])
    await Promise.resolve()
    client.kill()
    await expect(called).rejects.toThrow('gone')
  })
})
