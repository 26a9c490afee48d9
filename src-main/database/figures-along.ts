import { DeskFailure } from '#shared/app/desk-failure.ts'
import type { BackupFacts, BackupProgress } from '#shared/app/backup.ts'
import type { HistoryPath } from './cache/catalogue-repository.ts'
import { rpcClient, threadLine } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import { cancelled, throwIfCancelled, withSignal, withTimeout } from '#main/lib/async.ts'
import type { BackupThreadCalls } from './backup-thread.ts'
import type { OpenStore } from './open-store.ts'
import type { StoreTask } from './store-session.ts'

/** For so long the end of a thread is waited for, in milliseconds. */
const longestEnd = 3000

/** So often it is looked again what is saved, where files are replaced while they are copied. */
const maxRounds = 10

type AlongParts = {
  /** The profile folder. */
  readonly folder: string
  readonly store: Pick<OpenStore, 'run'>
  /** The file that the store's threads run. */
  readonly worker: string | URL
  readonly signal: AbortSignal
}

type Call = RpcClient<BackupThreadCalls>['call']

/**
 * Writes a backup into a file that is there: the whole state, and behind it the saved figures of its accounts.
 * @param progress hears how far the figures are; null where none go along
 * @returns how many files of figures were left out: those that are damaged, and those that were replaced again and again meanwhile
 * @throws DeskFailure in words where a disk refuses; `cancelled`. Then the file is not to be used
 */
export async function putTogether(
  parts: AlongParts,
  file: string,
  progress: ((now: BackupProgress) => void) | null,
): Promise<number> {
  const { store } = parts
  try {
    await store.run('backup/write', undefined)
    return await inThread(parts, async (call) => {
      await call('state/copy', file)
      return progress === null ? 0 : await addFigures(call, file, progress)
    })
  } finally {
    // What stays goes at the next start.
    await store.run('backup/clear', undefined).catch(() => null)
  }
}

async function addFigures(
  call: Call,
  file: string,
  progress: (now: BackupProgress) => void,
): Promise<number> {
  await call('figures/begin', file)
  const seen = new Set<HistoryPath>()
  let leftOut = 0
  for (let round = 1; round <= maxRounds; round += 1) {
    const paths = await call('figures/list', undefined)
    const lacking = paths.filter((path) => !seen.has(path))
    let replaced = 0
    for (const [place, path] of lacking.entries()) {
      const added = await call('figures/add', path)
      seen.add(path)
      if (added === 'damaged') leftOut += 1
      if (added === 'gone') replaced += 1
      progress({ done: place + 1, of: lacking.length })
    }
    if (replaced === 0) break
    if (round === maxRounds) leftOut += replaced
  }
  await call('figures/end', undefined)
  return leftOut
}

/**
 * Copies and checks a file that somebody says is a backup, and takes its figures out. Nothing that is saved is touched.
 * @throws DeskFailure in words; `cancelled`. Then nothing of it is left
 */
export async function takeApart(parts: AlongParts, source: string): Promise<BackupFacts> {
  const { store } = parts
  await store.run('backup/drop', undefined)
  try {
    return await inThread(parts, async (call) => {
      await call('chosen/state', source)
      const { accounts } = await store.run('backup/check', undefined)
      return { accounts, figures: await call('chosen/figures', undefined) }
    })
  } catch (error) {
    await store.run('backup/drop', undefined)
    throw error
  }
}

async function inThread<T>(
  { folder, worker, signal }: AlongParts,
  work: (call: Call) => Promise<T>,
): Promise<T> {
  const workerData: StoreTask = { task: 'back-up', folder }
  let line: ReturnType<typeof threadLine> | undefined
  let ended: Promise<void> = Promise.resolve()
  const thread = rpcClient<BackupThreadCalls>({
    open: () => {
      const begun = threadLine(worker, { workerData, name: 'backup' })
      ended = new Promise((resolve) => {
        begun.onEnd(() => {
          resolve()
        })
      })
      return (line = begun)
    },
    gone: (cause) => (signal.aborted ? cancelled() : stopped(cause)),
    closed: cancelled,
  })
  // After it was ended, a call would begin another one.
  const call: Call = async (name, argument) => {
    throwIfCancelled(signal)
    return await thread.call(name, argument)
  }
  const kill = () => line?.kill()
  signal.addEventListener('abort', kill)
  try {
    // A thread that waits for a disk which does not answer cannot be ended: nobody waits with it.
    const result = await withSignal(signal, () => work(call))
    throwIfCancelled(signal)
    return result
  } finally {
    signal.removeEventListener('abort', kill)
    if (signal.aborted) kill()
    void thread.close()
    // What it writes, it writes no more; one that hangs ends as soon as its disk answers.
    await withTimeout({ milliseconds: longestEnd }, () => ended).catch(() => undefined)
  }
}

const stopped = (cause: unknown) =>
  new DeskFailure(
    { kind: 'internal', message: 'The backup could not be finished. Please try again.' },
    { cause },
  )
