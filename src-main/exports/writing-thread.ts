import { dirname } from 'node:path'
import { deskFailure } from '#shared/api/failure.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import { rpcClient, threadChannel } from '#main/workers/rpc-client.ts'
import type { Calls, Channel } from '#main/workers/rpc.ts'
import { within, withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { CopyCalls, WriterCalls, WritingTask } from './writing.ts'
import type { SnapshotFile } from './snapshot-shape.ts'
import type { TableWriter } from './table-writer.ts'

export type WritingThread = TableWriter & {
  /** Starts the thread while its rows are still being computed. The next step throws if the start fails. */
  readonly warmUp: () => void
  /** Writes the rows of a snapshot in batches. @param wrote called with the rows written */
  readonly pour: (file: SnapshotFile, wrote: (rows: number) => void) => Promise<void>
  /** Ends the thread at any point. Its file is then released, unless its disk hangs. */
  readonly stop: () => Promise<void>
}

/** Memory limits of the thread in MB. Without limits, garbage accumulates. */
const resourceLimits = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 8 }

/** Maximum time of a step in milliseconds. Disks take less. */
const silence = 60_000
/** Maximum time for closing a file, in ms. Some systems then send the whole file to a share, as for a sync (files/draft.ts). */
const closing = 3_600_000
/** Maximum wait for the end of a thread, in ms. A thread cannot end while its disk hangs. */
const longestEnd = 1000

/** Starts the thread that runs a task. */
export type OpenWriter = (task: WritingTask) => Channel

/** Returns a function that starts the thread of a task. @param script the thread's file (export-worker.ts) */
export const writersThread =
  (script: string | URL): OpenWriter =>
  (task) =>
    threadChannel(script, { workerData: task, name: 'export', resourceLimits })

/** Cancels or times a wait for a thread. */
type WaitOptions = { readonly signal: AbortSignal; readonly clock: Clock }

/**
 * Writes one file in a thread, which starts with the first step or with `warmUp`. Formatting and compressing cells would block the main
 * loop for too long.
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
 * Copies a file into an existing empty file.
 * @throws DeskFailure `disk` with the reason, also if the folder hangs; `cancelled`
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
    gone: threadFailure,
    closed: () => threadFailure(undefined),
  })
  const late = () => new FolderHangs(dirname(task.path))
  const step: typeof call = (name, argument) =>
    withTimeout({ milliseconds: name === 'finish' ? closing : silence, late, ...waitOptions }, () =>
      call(name, argument),
    )
  const stop = () => within(longestEnd, kill())
  return { step, stop }
}

const threadFailure = (cause: unknown) =>
  deskFailure('internal', 'Saving the file failed. Try again.', { cause })
