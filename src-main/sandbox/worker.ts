import * as v from 'valibot'
import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import { createSample } from './sandbox.ts'
import type { SandboxTokens } from './rights.ts'

/**
 * Runs the sandbox of the account "Sample data" in a worker thread. Creating and counting events would block the main
 * process. The sandbox closes with the thread.
 */
export type SandboxCalls = {
  /** @param options validated by the worker */
  readonly start: (options: unknown) => Promise<{ readonly address: string; readonly tokens: SandboxTokens }>
}

const workerOptions = v.object({
  seed: v.pipe(v.number(), v.integer()),
  now: v.pipe(v.number(), v.integer()),
  port: v.optional(v.pipe(v.number(), v.integer()), 0),
})

const port = portOfThread()
if (port) {
  const opened: { readonly close: () => Promise<void> }[] = []
  const start: SandboxCalls['start'] = async (options) => {
    const { address, tokens, close } = await createSample(v.parse(workerOptions, options))
    opened.push({ close })
    return { address, tokens }
  }
  serveRpc<SandboxCalls>(port, { start }, async () => {
    await Promise.all(opened.map(({ close }) => close()))
    port.close()
  })
}
