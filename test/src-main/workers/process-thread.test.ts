import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import { runInThread } from '#main/workers/process-thread.ts'
import { utilityChildChannel } from '#test/helpers/utility-channel.ts'
import type { Answers, ThreadedCalls } from './threaded-worker.ts'

const failure = (message: string) => new DeskFailure({ kind: 'internal', message })

function threaded() {
  const channel = utilityChildChannel(new URL('threaded-worker.ts', import.meta.url))
  const ended = new Promise<unknown>((resolve) => channel.onEnd(resolve))
  const events: unknown[] = []
  const client = rpcClient<ThreadedCalls, Answers>({
    open: () => channel,
    gone: (cause) => failure(String(cause)),
    closed: () => failure('closed'),
    onEvent: (event) => events.push(event),
    answers: { double: (number) => Promise.resolve(2 * number) },
  })
  onTestFinished(() => client.close())
  return { client, events, ended }
}

it('passes calls, questions, events and cancellations on to a thread, and ends with it', async () => {
  const { client, events, ended } = threaded()
  expect(await client.call('isMainThread', null)).toBe(false)
  expect(await client.call('doubled', 4)).toBe(8)
  expect(events).toEqual([{ asked: 4 }])
  const turn = new AbortController()
  const waiting = client.call('wait', null, turn.signal)
  turn.abort()
  await expect(waiting).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  await client.close()
  expect(String(await ended)).toBe('Error: It ended with 0')
})

it('ends with an error where the thread does', async () => {
  const { client, ended } = threaded()
  await expect(client.call('crash', null)).rejects.toThrow('It ended with 1')
  expect(String(await ended)).toBe('Error: It ended with 1')
})

it('does nothing outside of a utility process', async () => {
  const begun = once(process, 'worker', { signal: AbortSignal.timeout(50) })
  runInThread({})
  await expect(begun).rejects.toThrow('aborted')
})
