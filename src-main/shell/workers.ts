import type { UtilityProcess } from 'electron'
import * as v from 'valibot'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'

type Fork = (script: string, args: string[], options: { serviceName: string }) => UtilityProcess

/**
 * Starts a Node.js utility process and returns the channel to it.
 * @param fork `utilityProcess.fork`
 * @param name name of the process in system tools
 */
export function utilityChannel(fork: Fork, script: string, args: readonly string[], name: string): Channel {
  const child = fork(script, [...args], { serviceName: name })
  return {
    post: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) =>
      child.once('exit', (code) => listener(new Error(`${name} exited with code ${code}`))),
    // No effect: utility processes do not keep the app running.
    hold: () => undefined,
    kill: () => {
      // `kill` has no effect before the system has started the process.
      if (!child.kill()) child.once('spawn', () => child.kill())
    },
  }
}

/** Address and token of the sample service. `ended` resolves when the service stops. */
type SampleService = {
  readonly address: string
  readonly token: string
  readonly ended: Promise<void>
}

/** Arbitrary seed of the sample traffic; the same for all users. */
const seed = 7

const sandboxStart = v.object({ address: v.string(), tokens: v.object({ admin: v.string() }) })

/** Calls of the thread (sandbox/worker.ts). */
type SampleCalls = { readonly start: (options: { readonly seed: number; readonly now: number }) => unknown }

/**
 * Returns a function that starts the sample service in a thread on first use. Further calls return the same service. After a
 * failed start or an end, the next call starts it again.
 * @param worker script of the thread
 */
export function sampleServiceIn(worker: string, now: () => number = Date.now): () => Promise<SampleService> {
  let running: Promise<SampleService> | undefined
  const forget = () => (running = undefined)
  return () => (running ??= start(worker, now(), forget))
}

async function start(file: string, now: number, ended: () => void): Promise<SampleService> {
  const gone = (cause: unknown) => new DeskFailure(failureOf(cause), { cause })
  let onEnd: () => void = () => undefined
  const over = new Promise<void>((end) => (onEnd = end))
  const client = rpcClient<SampleCalls>({
    open: () => threadChannel(file, { name: 'sample' }),
    gone,
    closed: () => gone(null),
    onGone: () => {
      ended()
      onEnd()
    },
  })
  try {
    const { address, tokens } = v.parse(sandboxStart, await client.call('start', { seed, now }))
    return { address, token: tokens.admin, ended: over }
  } catch (cause) {
    ended()
    void client.close()
    throw new Error('The sample service did not start', { cause })
  }
}
