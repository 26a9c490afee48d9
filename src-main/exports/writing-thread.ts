import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { rpcClient, threadLine } from '../lib/rpc-client.ts'
import type { Line } from '../lib/rpc.ts'
import type { WriterCalls, WritingTask } from './export-worker.ts'
import type { TableWriter } from './table-writer.ts'

export type WritingThread = TableWriter & {
  /** Ends the thread, whatever it is doing. Its file is nobody's then. */
  readonly stop: () => Promise<void>
}

/** Of the thread's memory, in megabytes: without limits it grows by what it could have thrown away. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 }

/**
 * Writes one file in a thread that begins with the first step. Making cells and compressing them takes longer than the
 * main loop may be held.
 *
 * @param script the thread's file (export-worker.ts)
 */
export function startWriting(script: string | URL, task: WritingTask): WritingThread {
  let line: Line | null = null
  let ended: Promise<void> = Promise.resolve()
  const { call } = rpcClient<WriterCalls>({
    open: () => {
      const begun = threadLine(script, { workerData: task, name: 'export', resourceLimits })
      ended = new Promise((resolve) => begun.onEnd(() => resolve()))
      return (line = begun)
    },
    gone,
    closed: () => gone(undefined),
  })
  return {
    begin: (sheet) => call('begin', sheet),
    rows: (rows) => call('rows', rows),
    absent: (name, words) => call('absent', { name, words }),
    finish: () => call('finish', null),
    stop: async () => {
      line?.kill()
      await ended
    },
  }
}

const gone = (cause: unknown) =>
  new DeskFailure(
    { kind: 'internal', message: 'Writing the file ended unexpectedly. Please try again.' },
    { cause },
  )
