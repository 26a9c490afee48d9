import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import * as v from 'valibot'
import { failureOf } from '../../../src-shared/desk/desk-failure.ts'
import { asDiskFailure, isDiskFull } from '../../files/disk-failure.ts'
import { checkArchive, unpackArchive } from './archive-tasks.ts'
import { BrokenArchive, HostileArchive } from './archive-trouble.ts'
import type { ArchiveTask, FromArchiveThread } from './messages.ts'

const archiveTask: v.GenericSchema<unknown, ArchiveTask> = v.variant('task', [
  v.object({ task: v.literal('check'), path: v.string() }),
  v.object({
    task: v.literal('unpack'),
    path: v.string(),
    folder: v.string(),
    stem: v.string(),
    mark: v.pipe(v.string(), v.minLength(1)),
  }),
])

/** Reads one archive: it takes seconds, and the main loop may not be held so long. */
async function run(task: ArchiveTask): Promise<FromArchiveThread> {
  try {
    await (task.task === 'check' ? checkArchive(task.path) : unpackArchive(task))
    return { as: 'done' }
  } catch (error) {
    if (error instanceof BrokenArchive) return { as: 'broken', words: error.message }
    if (error instanceof HostileArchive) return { as: 'hostile', words: error.message }
    return { as: 'failed', failure: failureOf(asDiskFailure(error)), full: isDiskFull(error) }
  }
}

// What fails here ends the thread, and whoever started it hears so.
async function start(port: MessagePort): Promise<void> {
  port.postMessage(await run(v.parse(archiveTask, workerData)))
}

if (parentPort) void start(parentPort)
