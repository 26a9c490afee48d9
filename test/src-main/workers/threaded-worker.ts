import { isMainThread } from 'node:worker_threads'
import { runInThread } from '#main/workers/process-thread.ts'
import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'

export type Answers = { readonly double: (number: number) => Promise<number> }

export type ThreadedCalls = {
  readonly isMainThread: (given: null) => boolean
  /** Asks for it, and says so. */
  readonly doubled: (number: number) => Promise<number>
  readonly wait: (given: null, signal: AbortSignal) => Promise<null>
  readonly crash: (given: null) => Promise<null>
}

const port = portOfThread()
if (port) {
  const calls: ThreadedCalls = {
    isMainThread: () => isMainThread,
    doubled: async (number) => {
      main.notify({ asked: number })
      return await main.ask('double', number)
    },
    wait: (_, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve(null))
      }),
    crash: () => {
      setImmediate(() => {
        throw new Error('out of memory')
      })
      return new Promise(() => undefined)
    },
  }
  const main = serveRpc<ThreadedCalls, Answers>(port, calls, port.close)
} else runInThread({})
