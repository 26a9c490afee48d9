import { parentPort, workerData } from 'node:worker_threads'
import type { MessagePort } from 'node:worker_threads'
import { archiveTask } from './archive-task.ts'
import { fetchArchive, settleArchive, unpackArchive } from './archive-tasks.ts'
import type { ArchiveTask, FromArchiveThread } from './archive-messages.ts'
import { OtherSide } from './other-side.ts'
import { messageOf } from './thread-trouble.ts'

/** Does one thing with one archive: it takes seconds, and the main loop may not be held so long. */
async function run(task: ArchiveTask, port: MessagePort): Promise<FromArchiveThread> {
  try {
    switch (task.kind) {
      case 'fetch':
        await fetchArchive(task, new OtherSide(port))
        break
      case 'settle':
        await settleArchive(task)
        break
      case 'unpack':
        await unpackArchive(task)
    }
    return { kind: 'done' }
  } catch (error) {
    return { kind: 'trouble', trouble: messageOf(error) }
  }
}

// What fails here ends the thread, and whoever started it hears so.
async function start(port: MessagePort): Promise<void> {
  port.postMessage(await run(archiveTask(workerData), port))
  port.close()
}

if (parentPort) void start(parentPort)
