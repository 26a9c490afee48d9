import type { UtilityProcess } from 'electron'
import * as v from 'valibot'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { Line } from '#main/workers/rpc.ts'
import { DeskFailure, failureOf } from '#shared/api/failure.ts'

type Fork = (script: string, args: string[], options: { serviceName: string }) => UtilityProcess

/**
 * Begins a process of Node beside the app's own, and gives the line to it.
 * @param fork `utilityProcess.fork`
 * @param name how systems show it among processes
 */
export function utilityLine(fork: Fork, script: string, args: readonly string[], name: string): Line {
  const child = fork(script, [...args], { serviceName: name })
  return {
    post: (message) => child.postMessage(message),
    onMessage: (listener) => child.on('message', listener),
    onEnd: (listener) => child.once('exit', (code) => listener(new Error(`It ended with ${code}`))),
    // The app goes on until it is quit, whatever runs beside it.
    hold: () => undefined,
    kill: () => void child.kill(),
  }
}

/** Where the sample service is, the token that it takes, and when it ends. */
type SampleService = {
  readonly address: string
  readonly token: string
  readonly ended: Promise<void>
}

/** Any number would do: it decides which sample traffic everybody sees. */
const seed = 7

const started = v.object({ address: v.string(), tokens: v.object({ admin: v.string() }) })

/** What the thread does (sandbox/worker.ts). */
type SampleCalls = { readonly start: (options: { readonly seed: number; readonly now: number }) => unknown }

/**
 * The stand-in service inside the app, in a thread of its own, started when it is first needed. Further calls give
 * the same one; after a failed start, or an end, the next call starts it anew.
 *
 * @param worker the thread's file
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
    open: () => threadLine(file, { name: 'sample' }),
    gone,
    closed: () => gone(null),
    onGone: () => {
      ended()
      onEnd()
    },
  })
  try {
    const { address, tokens } = v.parse(started, await client.call('start', { seed, now }))
    return { address, token: tokens.admin, ended: over }
  } catch (cause) {
    ended()
    void client.close()
    throw new Error('The sample service did not start', { cause })
  }
}
