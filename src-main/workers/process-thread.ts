import type { WorkerOptions } from 'node:worker_threads'
import { threadChannel } from './rpc-client.ts'
import { portOfUtility } from './rpc-server.ts'

/**
 * Runs the script of the current utility process again in a worker thread, and forwards all messages. The process ends
 * with the thread. No effect outside a utility process.
 *
 * The main thread of a utility process runs inside Chromium's loop. Streams take half as much processor time again there.
 */
export function runInThread(options: WorkerOptions): void {
  const port = portOfUtility()
  const [, script] = process.argv
  if (!port || script === undefined) return
  const thread = threadChannel(script, options)
  thread.onMessage(port.post)
  port.onMessage(thread.post)
  thread.onEnd((error) => {
    if (error !== undefined) process.exitCode = 1
    port.close()
  })
}
