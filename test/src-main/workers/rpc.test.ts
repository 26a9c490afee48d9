import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Channel } from '#main/workers/rpc.ts'
import { inProcessChannel, rpcClient } from '#main/workers/rpc-client.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import { DeskFailure } from '#shared/api/failure.ts'

type Calls = {
  readonly double: (number: number) => number
  readonly die: (argument: undefined) => null
  readonly hang: (argument: undefined) => Promise<null>
  readonly until: (argument: undefined, signal: AbortSignal) => Promise<null>
}

const failure = (message: string) => new DeskFailure({ kind: 'internal', message })

/** Other ends in this thread: how many were begun, and what they were told to hold. */
function ends() {
  const begun: { held: boolean[]; done: number[]; tell: () => void; die: () => void }[] = []
  const open = (): Channel => {
    const heard: ((message: unknown) => void)[] = []
    const ending: ((error: unknown) => void)[] = []
    let answer: (message: unknown) => void = () => undefined
    let gone = false
    const end = (error?: unknown) => {
      gone = true
      for (const listener of ending) listener(error)
    }
    const held: boolean[] = []
    const done: number[] = []
    const calls = {
      double: (number: number) => {
        done.push(number)
        return number * 2
      },
      die: () => {
        end(new Error('died'))
        return null
      },
      hang: () => new Promise<never>(() => undefined),
      until: (_: undefined, signal: AbortSignal) =>
        new Promise<never>((_, reject) =>
          signal.addEventListener('abort', () => reject(new Error('broken off'))),
        ),
    }
    const main = serveRpc<Calls>(
      {
        post: (message) => void (gone || heard.forEach((each) => each(message))),
        onMessage: (each) => (answer = each),
      },
      calls,
      () => end(),
    )
    begun.push({ held, done, tell: () => main.notify('ready'), die: () => end(new Error('died')) })
    return {
      post: (message) => queueMicrotask(() => answer(message)),
      onMessage: (listener) => heard.push(listener),
      onEnd: (listener) => ending.push(listener),
      hold: (needed) => held.push(needed),
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

describe('giving up a call', () => {
  const cancelled = { failure: { kind: 'cancelled' } }

  it('ends its work at the other end, and nothing else that is done there', async () => {
    const { client, begun } = clientOf()
    const controller = new AbortController()
    const given = client.call('until', undefined, controller.signal)
    const other = client.call('until', undefined, new AbortController().signal)
    await vi.waitFor(() => expect(begun[0]?.held).toEqual([true, true]))
    controller.abort()
    await expect(given).rejects.toMatchObject(cancelled)
    expect(await client.call('double', 2)).toBe(4)
    begun[0]?.die()
    await expect(other).rejects.toThrow('gone')
  })

  it('sends nothing where it is given up before it was sent', async () => {
    const { client, begun } = clientOf()
    await expect(client.call('double', 1, AbortSignal.abort())).rejects.toMatchObject(cancelled)
    const controller = new AbortController()
    const early = client.call('double', 2, controller.signal)
    controller.abort()
    await expect(early).rejects.toMatchObject(cancelled)
    expect(await client.call('double', 3)).toBe(6)
    expect(begun.map(({ done }) => done)).toEqual([[3]])
  })

  it('gives what was done before, and changes nothing afterwards', async () => {
    const { client } = clientOf()
    const controller = new AbortController()
    const done = client.call('double', 1, controller.signal)
    queueMicrotask(() => queueMicrotask(() => controller.abort()))
    expect(await done).toBe(2)
    controller.abort()
    expect(await client.call('double', 2)).toBe(4)
  })
})

describe('calling another thread', () => {
  it('sends at once, and what was held back before what follows', async () => {
    const { client, begun } = clientOf()
    const first = client.call('double', 1)
    expect(begun[0]?.held).toEqual([true])
    await first
    client.renew()
    begun[1]?.tell()
    const held = [client.call('double', 2), client.call('double', 3)]
    expect(begun[1]?.held).toEqual([])
    await held[0]
    await Promise.all([...held, client.call('double', 4)])
    const cancellable = client.call('double', 5, new AbortController().signal)
    await Promise.all([cancellable, client.call('double', 6)])
    expect(begun.map(({ done }) => done)).toEqual([[1], [2, 3, 4, 5, 6]])
  })

  it('does what was called right before it was closed, and nothing after', async () => {
    const { client, begun } = clientOf()
    const before = client.call('double', 4)
    const closing = client.close()
    await expect(client.call('double', 5)).rejects.toThrow('closed')
    expect(await before).toBe(8)
    await closing
    expect(begun.map(({ done }) => done)).toEqual([[4]])
  })

  it('goes on at another end once that says so, and at the first one until then', async () => {
    const { client, begun, onGone } = clientOf()
    await client.call('double', 1)
    client.renew()
    expect(await client.call('double', 2)).toBe(4)
    const asked = client.call('double', 3)
    await Promise.resolve()
    begun[1]?.tell()
    expect(await client.call('double', 4)).toBe(8)
    expect(await asked).toBe(6)
    expect(begun.map(({ done }) => done)).toEqual([[1, 2, 3], [4]])
    await client.close()
    expect(onGone).not.toHaveBeenCalled()
  })

  it('stays where it is while the other end goes before it said anything', async () => {
    const { client, begun, onGone } = clientOf()
    client.renew()
    expect(begun).toHaveLength(0)
    await client.call('double', 1)
    client.renew()
    begun[1]?.die()
    expect(await client.call('double', 2)).toBe(4)
    client.renew()
    begun[2]?.tell()
    expect(await client.call('double', 3)).toBe(6)
    expect(begun.map(({ done }) => done)).toEqual([[1, 2], [], [3]])
    expect(onGone).not.toHaveBeenCalled()
  })

  it('begins another where the end that is to take over goes while the one before it finishes', async () => {
    const { client, begun } = clientOf()
    await client.call('double', 1)
    client.renew()
    begun[1]?.tell()
    const asked = client.call('double', 2)
    begun[1]?.die()
    expect(await asked).toBe(4)
    expect(await client.call('double', 3)).toBe(6)
    expect(begun.map(({ done }) => done)).toEqual([[1], [], [2, 3]])
    await client.close()
  })

  it('fails what was under way where an end breaks off while it finishes', async () => {
    const { client, begun } = clientOf()
    const asked = client.call('hang', undefined)
    await vi.waitFor(() => expect(begun[0]?.held).toEqual([true]))
    client.renew()
    begun[1]?.tell()
    const later = client.call('double', 2)
    begun[0]?.die()
    await expect(asked).rejects.toThrow('gone')
    expect(await later).toBe(4)
    await client.close()
  })

  it('copies what goes to a server in the same thread, and what comes back', async () => {
    const client = rpcClient<{ readonly same: (given: object) => object }>({
      open: () =>
        inProcessChannel(async (port) => void serveRpc(port, { same: (given: object) => given }, port.close)),
      gone: () => failure('gone'),
      closed: () => failure('closed'),
    })
    const given = { of: ['mine'] }
    const back = await client.call('same', given)
    expect(back).toEqual(given)
    expect(back).not.toBe(given)
    await client.close()
  })

  it('fails in words where a server in the same thread cannot begin', async () => {
    const client = rpcClient<Calls>({
      open: () => inProcessChannel(() => Promise.reject(new Error('no file'))),
      gone: (cause) => failure(`gone: ${String(cause)}`),
      closed: () => failure('closed'),
    })
    await expect(client.call('double', 1)).rejects.toThrow('gone: Error: no file')
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
    const { client, onGone } = clientOf()
    /** How long each of these calls waits, made as soon as the one before has failed or was answered. */
    const waits = async (names: readonly ('die' | 'double')[]) => {
      const found: number[] = []
      for (const name of names) {
        const from = Date.now()
        await (name === 'die' ? client.call('die', undefined) : client.call('double', 1)).catch(() => null)
        found.push(Date.now() - from)
      }
      return found
    }
    const found = waits(['die', 'die', 'die', 'die', 'double', 'die', 'die', 'die'])
    await vi.runAllTimersAsync()
    expect(await found).toEqual([0, 0, 100, 200, 400, 0, 0, 100])
    expect(onGone).toHaveBeenCalledTimes(7)
  })

  it('fails in words where the other end cannot be begun, and begins it with the next call', async () => {
    const { open } = ends()
    const onGone = vi.fn<(cause: unknown) => void>()
    let refusals = 1
    const client = rpcClient<Calls>({
      open: () => {
        if (refusals-- > 0) throw new Error('No more threads')
        return open()
      },
      gone: () => failure('gone'),
      closed: () => failure('closed'),
      onGone,
    })
    await expect(client.call('double', 1)).rejects.toThrow('gone')
    expect(onGone).toHaveBeenCalledOnce()
    expect(await client.call('double', 2)).toBe(4)
  })

  it('fails where something cannot be sent, and goes on', async () => {
    const { begun, open } = ends()
    const client = rpcClient<Calls>({
      open: () => {
        const channel = open()
        return { ...channel, post: (message) => channel.post(structuredClone(message)) }
      },
      gone: () => failure('gone'),
      closed: () => failure('closed'),
    })
    const cannotBeCloned = Object.assign(() => 1) as unknown as number
    await expect(client.call('double', cannotBeCloned)).rejects.toThrow(DeskFailure)
    expect(await client.call('double', 2)).toBe(4)
    expect(begun.map(({ held }) => held.at(-1))).toEqual([false])
  })
})
