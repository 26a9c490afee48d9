import { Worker } from 'node:worker_threads'
import * as v from 'valibot'

const started = v.object({ kind: v.literal('started'), address: v.string(), token: v.string() })

/** Where the sample service is, and the token that it takes. */
export type SampleService = { readonly address: string; readonly token: string }

/**
 * The stand-in service inside the app, in a thread of its own, started when it is first needed. Further calls give
 * the same one; after a failed start the next call tries again.
 *
 * @param worker the thread's file
 */
export function sampleServiceIn(worker: string): () => Promise<SampleService> {
  let running: Promise<SampleService> | undefined
  return () => {
    running ??= start(worker, () => (running = undefined))
    return running
  }
}

function start(file: string, ended: () => void): Promise<SampleService> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(file)
    const fail = (error: unknown) => {
      ended()
      reject(new Error('The sample service did not start', { cause: error }))
    }
    worker.once('error', fail)
    worker.once('exit', (code) => {
      fail(new Error(`It ended with code ${code}`))
    })
    worker.on('message', (message: unknown) => {
      const { success, output } = v.safeParse(started, message)
      if (success) resolve({ address: output.address, token: output.token })
    })
    // The app's end is not held up by it.
    worker.unref()
  })
}
