import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import { createSample } from './sandbox.ts'
import type { SampleOptions } from './sandbox.ts'
import type { SandboxTokens } from './rights.ts'

/**
 * Runs the sandbox of the account "Sample data" in a worker thread. Creating and counting events would block the main
 * process. The sandbox closes with the thread.
 */
export type SandboxCalls = {
  readonly start: (
    options: SampleOptions,
  ) => Promise<{ readonly address: string; readonly tokens: SandboxTokens }>
}

const port = portOfThread()
if (port) {
  const opened: { readonly close: () => Promise<void> }[] = []
  const start: SandboxCalls['start'] = async (options) => {
    const { address, tokens, close } = await createSample(options)
    opened.push({ close })
    return { address, tokens }
  }
  serveRpc<SandboxCalls>(port, { start }, async () => {
    await Promise.all(opened.map(({ close }) => close()))
    port.close()
  })
}
