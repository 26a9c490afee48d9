import { Worker } from 'node:worker_threads'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import type { FromWriter, ToWriter, WritingTask } from './messages.ts'
import type { TableWriter } from './table-writer.ts'

export type WritingThread = TableWriter & {
  /** Ends the thread, whatever it is doing. Its file is nobody's then. */
  readonly stop: () => Promise<void>
}

/** Of the thread's memory, in megabytes: without limits it grows by what it could have thrown away. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 }

type Waiting = { readonly resolve: () => void; readonly reject: (error: unknown) => void }

/**
 * A thread that writes one file. Making cells and compressing them takes longer than the main loop may be held.
 *
 * @param script the thread's file (worker.ts)
 */
export function startWriting(script: string | URL, task: WritingTask): WritingThread {
  const worker = new Worker(script, { workerData: task, name: 'export', resourceLimits })
  let waiting: Waiting | undefined
  let broken: unknown

  const settle = (error?: unknown) => {
    const waited = waiting
    waiting = undefined
    if (error === undefined) waited?.resolve()
    else waited?.reject(error)
  }
  const breakWith = (error: unknown) => {
    broken ??= error
    settle(broken)
  }
  worker.on('message', (said: FromWriter) => settle(said.ok ? undefined : new DeskFailure(said.failure)))
  worker.on('error', breakWith)
  worker.on('exit', () => breakWith(new Error('The writing thread ended')))

  const send = (message: ToWriter) =>
    new Promise<void>((resolve, reject) => {
      if (broken !== undefined) {
        reject(broken)
        return
      }
      waiting = { resolve, reject }
      worker.postMessage(message)
    })
  return {
    begin: (sheet) => send({ step: 'begin', sheet }),
    rows: (rows) => send({ step: 'rows', rows }),
    absent: (name, words) => send({ step: 'absent', name, words }),
    finish: () => send({ step: 'finish' }),
    stop: async () => {
      await worker.terminate()
    },
  }
}
