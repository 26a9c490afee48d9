import { Worker } from 'node:worker_threads'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import { BrokenArchive, HostileArchive } from './archive-trouble.ts'
import type { ArchiveTask, FromArchiveThread } from './messages.ts'
import { NoSpace } from './space.ts'

/** Of the thread's memory, in megabytes: pieces of files lie outside of it. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/**
 * Tests or unpacks one archive in a thread of its own.
 *
 * @param script the thread's file (worker.ts)
 * @throws BrokenArchive, HostileArchive, DeskFailure; the signal's reason where it is broken off, when the thread has ended
 */
export function inArchiveThread(script: string | URL, task: ArchiveTask, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: task, name: 'archive', resourceLimits })
    let said: FromArchiveThread | undefined
    let error: unknown
    const stop = () => void worker.terminate()
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    worker.on('message', (message: FromArchiveThread) => (said = message))
    worker.on('error', (thrown) => (error = thrown))
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      if (said?.as === 'done') resolve()
      else if (signal.aborted) reject(signal.reason as Error)
      else reject(troubleOf(said, error))
    })
  })
}

function troubleOf(said: Exclude<FromArchiveThread, { as: 'done' }> | undefined, error: unknown): Error {
  switch (said?.as) {
    case 'broken':
      return new BrokenArchive(said.words)
    case 'hostile':
      return new HostileArchive(said.words)
    case 'failed':
      return said.full ? new NoSpace(said.failure) : new DeskFailure(said.failure)
    case undefined:
      return error instanceof Error ? error : new Error('The thread of archives ended')
  }
}
