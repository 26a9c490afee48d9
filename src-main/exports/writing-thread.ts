import { dirname } from 'node:path'
import { deskFailure } from '#shared/api/failure.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { Calls, Line } from '#main/workers/rpc.ts'
import { within, withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { CopyCalls, WriterCalls, WritingTask } from './writing.ts'
import type { SnapshotFile } from './snapshot-shape.ts'
import type { TableWriter } from './table-writer.ts'

export type WritingThread = TableWriter & {
  /** Begins the thread while its rows are still being computed. What it fails with, the next step fails with too. */
  readonly warmUp: () => void
  /** Writes the rows of a snapshot, some at a time. @param wrote hears how many are written */
  readonly pour: (file: SnapshotFile, wrote: (rows: number) => void) => Promise<void>
  /** Ends the thread, whatever it is doing. Its file is nobody's then, unless its disk does not answer. */
  readonly stop: () => Promise<void>
}

/** Of the thread's memory, in megabytes: without limits it grows by what it could have thrown away. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 }

/** Nothing takes a disk that long, between one step and the next. In milliseconds. */
const silence = 60_000
/** Some systems carry all of a file to a share as it is closed: a large one takes minutes, as a sync does (files/draft.ts). */
const closing = 3_600_000
/** So long the end of the thread is waited for: one that waits for a disk that does not answer cannot be ended. In milliseconds. */
const longestEnd = 1000

/** Begins what writes a file, step by step. */
export type OpenWriter = (task: WritingTask) => Line

/** Begins a thread for it. @param script the thread's file (export-worker.ts) */
export const writersThread =
  (script: string | URL): OpenWriter =>
  (task) =>
    threadLine(script, { workerData: task, name: 'export', resourceLimits })

/** For how long a thread is waited for. */
type WaitOptions = { readonly signal: AbortSignal; readonly clock: Pick<Clock, 'wait'> }

/**
 * Writes one file in a thread that begins with the first step, or before it. Making cells and compressing them takes longer than the
 * main loop may be held.
 */
export function startWriting(
  openWriter: OpenWriter,
  task: Extract<WritingTask, { kind: 'table' }>,
  waitOptions: WaitOptions,
): WritingThread {
  const { step, stop } = threadFor<WriterCalls>(openWriter, task, waitOptions)
  return {
    warmUp: () => void step('ready', null).catch(() => undefined),
    begin: (sheet) => step('begin', sheet),
    rows: (rows) => step('rows', rows),
    pour: async (file, wrote) => {
      await step('open', file)
      for (;;) {
        const { rows, isOver } = await step('more', null)
        wrote(rows)
        if (isOver) return
      }
    },
    absent: (name, words) => step('absent', { name, words }),
    finish: () => step('finish', null),
    stop,
  }
}

/**
 * Copies a file into one that is there already and empty.
 * @throws DeskFailure `disk` in words, also where the folder does not answer; `cancelled`
 */
export async function copyInThread(
  openWriter: OpenWriter,
  task: Extract<WritingTask, { kind: 'copy' }>,
  waitOptions: WaitOptions,
): Promise<void> {
  const { step, stop } = threadFor<CopyCalls>(openWriter, task, waitOptions)
  try {
    while (await step('copy', null));
    await step('finish', null)
  } finally {
    await stop()
  }
}

function threadFor<C extends Calls<C>>(openWriter: OpenWriter, task: WritingTask, waitOptions: WaitOptions) {
  const { call, kill } = rpcClient<C>({
    open: () => openWriter(task),
    gone,
    closed: () => gone(undefined),
  })
  const late = () => new FolderHangs(dirname(task.path))
  const step: typeof call = (name, argument) =>
    withTimeout({ milliseconds: name === 'finish' ? closing : silence, late, ...waitOptions }, () =>
      call(name, argument),
    )
  const stop = () => within(longestEnd, kill())
  return { step, stop }
}

const gone = (cause: unknown) => deskFailure('internal', 'Saving the file failed. Try again.', { cause })
