import { parentPort, workerData } from 'node:worker_threads'
import * as v from 'valibot'
import { createSample } from './sandbox.ts'
import type { SandboxTokens } from './tokens.ts'

/**
 * The sandbox in a worker thread of the app, behind the account "Sample data": making and counting its events must not
 * hold the main process. Started with `workerData` { seed, now, port? }, it posts one `started` or `failed`; told
 * `{ kind: 'stop' }`, it closes and the thread ends.
 */
export type SandboxWorkerMessage =
  | { readonly kind: 'started'; readonly address: string; readonly tokens: SandboxTokens }
  | { readonly kind: 'failed'; readonly message: string }

const workerOptions = v.object({
  seed: v.pipe(v.number(), v.integer()),
  now: v.pipe(v.number(), v.integer()),
  port: v.optional(v.pipe(v.number(), v.integer()), 0),
})

const stop = v.object({ kind: v.literal('stop') })

async function run(port: NonNullable<typeof parentPort>): Promise<void> {
  const say = (message: SandboxWorkerMessage) => port.postMessage(message)
  try {
    const { address, tokens, close } = await createSample(v.parse(workerOptions, workerData))
    port.on('message', (message) => {
      if (v.is(stop, message)) void close().then(() => port.close())
    })
    say({ kind: 'started', address, tokens })
  } catch (error) {
    say({ kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
}

if (parentPort) void run(parentPort)
