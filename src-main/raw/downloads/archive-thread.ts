import { Worker } from 'node:worker_threads'
import type { ProxyAccess } from '#main/api/transport/proxy-access.ts'
import type {
  ArchiveTask,
  FromArchiveThread,
  Question,
  Questions,
  ToArchiveThread,
} from './archive-messages.ts'
import { ThreadEnded } from './archive-trouble.ts'
import { errorOf } from './thread-trouble.ts'

/** Of the thread's memory, in megabytes: pieces of files lie outside of it. */
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 }

/** Answers what a thread asks while it fetches, and hears how far it is. */
export type Answers = {
  readonly proxy: (url: string) => Promise<string>
  readonly proxyAccess: ProxyAccess
  readonly certificates: () => Promise<readonly string[] | undefined>
  readonly began: (told: Questions['began']['asked']) => Promise<void>
  readonly portion: () => Promise<number>
  readonly wrote: (length: number) => void
  readonly arrived: () => void
}

/**
 * Fetches, tests or unpacks one archive in a thread of its own, which may wait for the disk as long as it takes.
 *
 * @param script the thread's file (archive-worker.ts)
 * @throws BrokenArchive, HostileArchive, ChangedFile, RefusedStatus, ExchangeEnded, DeskFailure, what the network failed with,
 * what an answer failed with, ThreadEnded where the thread ended by itself; the signal's reason where it is broken off, when the thread has ended
 */
export function inArchiveThread(
  script: string | URL,
  task: ArchiveTask,
  signal: AbortSignal,
  answers?: Answers,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { workerData: task, name: 'archive', resourceLimits })
    const notify = (message: ToArchiveThread) => worker.postMessage(message)
    let ended: Extract<FromArchiveThread, { kind: 'done' | 'trouble' }> | undefined
    /** What an answer failed with. */
    let error: unknown
    /** What the thread itself failed with. */
    let broken: unknown
    /** Half of what is fetched is worth keeping; half of what is tested is not. */
    let fetching = task.kind === 'fetch'
    const stop = () => {
      if (fetching) notify({ kind: 'stop' })
      else void worker.terminate()
    }

    worker.on('message', (message: FromArchiveThread) => {
      switch (message.kind) {
        case 'done':
        case 'trouble':
          ended = message
          return
        case 'wrote':
          return answers?.wrote(message.length)
        case 'arrived':
          fetching = false
          return signal.aborted ? stop() : answers?.arrived()
        case 'asks':
          return void answered(message.question, answers).then(
            (answer) => notify({ kind: 'answer', id: message.id, answer }),
            (thrown: unknown) => {
              error ??= thrown
              notify({ kind: 'no-answer', id: message.id })
            },
          )
      }
    })
    worker.on('error', (thrown) => (broken ??= thrown))
    worker.on('messageerror', (thrown) => {
      broken ??= thrown
      void worker.terminate()
    })
    worker.once('exit', () => {
      signal.removeEventListener('abort', stop)
      if (ended?.kind === 'done') resolve()
      else if (signal.aborted) reject(signal.reason as Error)
      else if (error instanceof Error) reject(error)
      else reject(ended ? errorOf(ended.trouble) : new ThreadEnded(broken))
    })
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
  })
}

async function answered(question: Question, answers: Answers | undefined) {
  if (!answers) throw new TypeError('Nobody answers what a thread asks that does not fetch')
  switch (question.kind) {
    case 'proxy':
      return await answers.proxy(question.asked)
    case 'proxy-pass':
      return await answers.proxyAccess.passFor(question.asked)
    case 'proxy-answered':
      return await answers.proxyAccess.onProxyAnswer(question.asked)
    case 'certificates':
      return await answers.certificates()
    case 'began':
      await answers.began(question.asked)
      return null
    case 'portion':
      return await answers.portion()
  }
}
