import { Worker } from 'node:worker_threads'
import * as v from 'valibot'

/** Where the sample service is, the token that it takes, and when it ends. */
export type SampleService = {
  readonly address: string
  readonly token: string
  readonly ended: Promise<void>
}

/** Any number would do: it decides which sample traffic everybody sees. */
const seed = 7

const message = v.variant('kind', [
  v.object({
    kind: v.literal('started'),
    address: v.string(),
    tokens: v.object({ admin: v.string() }),
  }),
  v.object({ kind: v.literal('failed'), message: v.string() }),
])

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

function start(file: string, now: number, ended: () => void): Promise<SampleService> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file, { workerData: { seed, now } })
    const over = new Promise<void>((end) => worker.once('exit', () => end()))
    const fail = (why: string, cause?: unknown) => {
      ended()
      reject(new Error(`The sample service did not start: ${why}`, { cause }))
    }
    worker.once('error', (error) => {
      fail('its thread broke', error)
    })
    worker.once('exit', (code) => {
      fail(`its thread ended with code ${code}`)
    })
    worker.on('message', (received: unknown) => {
      const said = v.safeParse(message, received)
      if (!said.success) return
      if (said.output.kind === 'failed') fail(said.output.message)
      else resolve({ address: said.output.address, token: said.output.tokens.admin, ended: over })
    })
    // It does not hold up the end of the app.
    worker.unref()
  })
}
