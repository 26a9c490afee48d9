import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Line } from '../../../src-main/lib/rpc.ts'
import { rpcClient } from '../../../src-main/lib/rpc-client.ts'
import { serveRpc } from '../../../src-main/lib/rpc-server.ts'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'

type Calls = { readonly double: (number: number) => number; readonly die: (argument: undefined) => null }

const failure = (message: string) => new DeskFailure({ kind: 'internal', message })

/** Other ends in this thread: how many were begun, and what they were told to hold. */
function ends() {
  const begun: { held: boolean[]; done: number[] }[] = []
  const open = (): Line => {
    const heard: ((message: unknown) => void)[] = []
    const ending: ((error: unknown) => void)[] = []
    let answer: (message: unknown) => void = () => undefined
    let gone = false
    const end = (error?: unknown) => {
      gone = true
      for (const listener of ending) listener(error)
    }
    const made = { held: [] as boolean[], done: [] as number[] }
    begun.push(made)
    const calls = {
      double: (number: number) => {
        made.done.push(number)
        return number * 2
      },
      die: () => {
        end(new Error('died'))
        return null
      },
    }
    serveRpc<Calls>(
      {
        post: (message) => void (gone || heard.forEach((each) => each(message))),
        onMessage: (each) => (answer = each),
      },
      calls,
      () => end(),
    )
    return {
      post: (message) => queueMicrotask(() => answer(message)),
      onMessage: (listener) => heard.push(listener),
      onEnd: (listener) => ending.push(listener),
      hold: (needed) => made.held.push(needed),
      kill: () => end(),
    }
  }
  return { begun, open }
}

function clientOf() {
  const { begun, open } = ends()
  const onGone = vi.fn<(cause: unknown) => void>()
  const client = rpcClient<Calls>({
    open,
    gone: () => failure('gone'),
    closed: () => failure('closed'),
    onGone,
  })
  return { client, begun, onGone }
}

describe('calling another thread', () => {
  it('does what was called right before it was closed, and nothing after', async () => {
    const { client, begun } = clientOf()
    const before = client.call('double', 4)
    const closing = client.close()
    await expect(client.call('double', 5)).rejects.toThrow('closed')
    expect(await before).toBe(8)
    await closing
    expect(begun.map(({ done }) => done)).toEqual([[4]])
  })

  it('holds the process for as long as something is not answered', async () => {
    const { client, begun } = clientOf()
    await Promise.all([client.call('double', 1), client.call('double', 2)])
    await client.call('double', 3)
    expect(begun.map(({ held }) => held)).toEqual([[true, true, false, true, false]])
  })

  it('begins it again where it ended by itself: at once, then later and later, until it answers', async () => {
    vi.useFakeTimers()
    onTestFinished(() => void vi.useRealTimers())
    const { client, begun, onGone } = clientOf()
    const die = async (after: number) => {
      const dying = client.call('die', undefined).catch((error: unknown) => error)
      await vi.advanceTimersByTimeAsync(Math.max(0, after - 2))
      const early = begun.length
      await vi.advanceTimersByTimeAsync(2)
      expect(await dying).toMatchObject({ message: 'gone' })
      return { early, then: begun.length }
    }
    expect([await die(0), await die(0), await die(100), await die(200)]).toEqual([
      { early: 1, then: 1 },
      { early: 2, then: 2 },
      { early: 2, then: 3 },
      { early: 3, then: 4 },
    ])
    expect(onGone).toHaveBeenCalledTimes(4)
    const answered = client.call('double', 1)
    await vi.advanceTimersByTimeAsync(400)
    expect(await answered).toBe(2)
    expect(await die(0)).toEqual({ early: 5, then: 5 })
    expect(await die(0)).toEqual({ early: 6, then: 6 })
  })
})
