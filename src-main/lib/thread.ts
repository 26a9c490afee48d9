import { parentPort, Worker } from 'node:worker_threads'
import type { WorkerOptions } from 'node:worker_threads'
import type { Line } from './rpc.ts'
import type { ServerPort } from './rpc-server.ts'

/** A line to a thread that this begins. */
export function threadLine(script: string | URL, options: WorkerOptions): Line {
  const thread = new Worker(script, options)
  let error: unknown
  // An error ends the thread: 'exit' follows it.
  thread.on('error', (cause) => (error = cause))
  thread.unref()
  return {
    post: (message) => thread.postMessage(message),
    onMessage: (listener) => thread.on('message', listener),
    onEnd: (listener) => thread.once('exit', () => listener(error)),
    hold: (needed) => (needed ? thread.ref() : thread.unref()),
    kill: () => void thread.terminate(),
  }
}

/** The thread's own end of the line; undefined where this is no thread. */
export function portOfThread(): (ServerPort & { readonly close: () => void }) | undefined {
  const port = parentPort
  if (!port) return undefined
  return {
    post: (message) => port.postMessage(message),
    onMessage: (listener) => port.on('message', listener),
    close: () => port.close(),
  }
}
