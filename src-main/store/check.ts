import { Worker } from 'node:worker_threads'
import type { FromWorker, WorkerTask } from './messages.ts'

type CheckOptions = {
  readonly folder: string
  readonly worker: string | URL
  /** How long after the call the check begins, in milliseconds. */
  readonly after: number
  readonly onDamaged: () => void
}

/**
 * Looks through the whole file once, later and in a thread of its own: neither the first answer nor any later one
 * waits for it.
 * @returns gives the check up
 */
export function checkLater({ folder, worker: script, after, onDamaged }: CheckOptions): () => void {
  const check: WorkerTask = { task: 'check', folder }
  let worker: Worker | undefined
  const timer = setTimeout(() => {
    worker = new Worker(script, { workerData: check, name: 'store-check' })
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'checked' && !message.sound) onDamaged()
    })
    // A check that fails to run says nothing about the file.
    worker.on('error', () => undefined)
    worker.unref()
  }, after)
  timer.unref()
  return () => {
    clearTimeout(timer)
    void worker?.terminate()
  }
}
