import { Worker } from 'node:worker_threads'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { checkLater } from './check.ts'
import type { FromWorker, RunMessage, ToWorker, WorkerTask } from './messages.ts'
import type { Opening, Rebuilt } from './opening.ts'
import type { OperationArgument, OperationName, OperationResult } from './operations.ts'

/** The store as the main process sees it: every operation answers later, and never holds the process up. */
export type Store = {
  /** How the opening went; it never rejects. Operations may be asked before, and wait their turn. */
  readonly opened: Promise<Opening>
  /**
   * Asks for one operation (operations.ts).
   * @throws DeskFailure of kind `disk` where disk or folder refuse
   */
  readonly run: <N extends OperationName>(
    name: N,
    argument: OperationArgument<N>,
  ) => Promise<OperationResult<N>>
  /** Closes the file after everything asked so far is done. */
  readonly close: () => Promise<void>
}

export type StoreOptions = {
  /** The profile folder; it is made where it is not there. */
  readonly folder: string
  /** The file that the worker thread runs. */
  readonly worker: string | URL
  /** Hears of a damaged file that was set aside after the opening. */
  readonly onRebuilt?: (rebuilt: Rebuilt) => void
  /** How long after the first answer the whole file is looked through, in milliseconds. */
  readonly checkAfter?: number
}

/** By then the first view stands, and the check takes nothing from it. */
const checkAfterByDefault = 5000

/** @param cause the error that ended the thread, where one did */
const stopped = (cause: unknown) =>
  new DeskFailure(
    {
      kind: 'internal',
      message: 'The store of Traffic Desk has stopped. Please start Traffic Desk again.',
    },
    { cause },
  )

type Waiting = {
  readonly resolve: (result: OperationResult<OperationName>) => void
  readonly reject: (failure: DeskFailure) => void
}

/** Starts the worker thread that opens the store and answers every operation. */
export function openStore({
  folder,
  worker,
  onRebuilt,
  checkAfter = checkAfterByDefault,
}: StoreOptions): Store {
  const keep: WorkerTask = { task: 'keep', folder }
  const thread = new Worker(worker, { workerData: keep, name: 'store' })
  const tell = (message: ToWorker) => thread.postMessage(message)
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let over = false
  let lastError: unknown
  let stopCheck: (() => void) | undefined
  let checking = false

  const take = (id: number): Waiting | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    return one
  }

  let tellOpened: (opening: Opening) => void = () => undefined
  const opened = new Promise<Opening>((resolve) => (tellOpened = resolve))

  const beginCheck = async () => {
    checking = true
    const { state } = await opened
    if (state !== 'ready' || over) return
    stopCheck = checkLater({
      folder,
      worker,
      after: checkAfter,
      onDamaged: () => tell({ kind: 'begin-anew' }),
    })
  }

  thread.on('message', (message: FromWorker) => {
    switch (message.kind) {
      case 'opened':
        return tellOpened(message.opening)
      case 'done':
        take(message.id)?.resolve(message.result)
        return checking ? undefined : void beginCheck()
      case 'failed':
        return take(message.id)?.reject(new DeskFailure(message.failure))
      case 'rebuilt':
        return onRebuilt?.(message.rebuilt)
      case 'checked':
        return undefined
    }
  })
  // An error ends the thread: 'exit' follows it.
  thread.on('error', (error) => (lastError = error))
  thread.once('exit', () => {
    over = true
    tellOpened({ state: 'unkept', failure: stopped(lastError).failure })
    stopCheck?.()
    for (const { reject } of waiting.values()) reject(stopped(lastError))
    waiting.clear()
  })

  function run<N extends OperationName>(
    name: N,
    argument: OperationArgument<N>,
  ): Promise<OperationResult<N>> {
    if (over) return Promise.reject(stopped(lastError))
    const id = (asked += 1)
    return new Promise((resolve, reject) => {
      // The answer with this id is the result of this operation: the worker's types see to it (messages.ts).
      waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
      const message: RunMessage<N> = { kind: 'run', id, name, argument }
      tell(message)
    })
  }

  function close(): Promise<void> {
    stopCheck?.()
    if (over) return Promise.resolve()
    const ended = new Promise<void>((resolve) => thread.once('exit', () => resolve()))
    tell({ kind: 'close' })
    return ended
  }

  return { opened, run, close }
}
