import { runInThread } from '#main/workers/process-thread.ts'
import { portOfThread, serveRpc } from '#main/workers/rpc-server.ts'
import type { ToMain } from '#main/workers/rpc-server.ts'
import { fetchArchive, finishArchive, unpackArchive } from './archive-tasks.ts'
import type { ArchiveAnswers, ArchiveCalls, ArchiveTask } from './archive-calls.ts'
import { messageOf } from './trouble.ts'

type Main = ToMain<ArchiveAnswers>

/** Heap limits of the thread in megabytes. Buffers with file content are outside the heap. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** Runs one task on an archive. */
async function run(task: ArchiveTask, signal: AbortSignal, main: Main): ReturnType<ArchiveCalls['run']> {
  try {
    switch (task.kind) {
      case 'fetch':
        await fetchArchive(task, main, signal)
        break
      case 'finish':
        await finishArchive(task)
        break
      case 'unpack':
        await unpackArchive(task)
    }
    return { kind: 'done' }
  } catch (error) {
    return { kind: 'trouble', trouble: messageOf(error) }
  }
}

// Started by archive-process.ts, as a process that runs this script again in a thread.
const port = portOfThread()
if (port) {
  const calls: ArchiveCalls = { run: (task, signal) => run(task, signal, main) }
  const main: Main = serveRpc<ArchiveCalls, ArchiveAnswers>(port, calls, port.close)
} else runInThread({ name: 'archive', resourceLimits })
