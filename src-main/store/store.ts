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

/** The store for whoever opens it. */
export type OpenStore = Store & {
  /**
   * Whether the thread may end while nothing is asked: it takes 7 MB, and 50 ms to begin again. What is kept in memory
   * alone is never given up for that.
   */
  readonly mayRest: (may: boolean) => void
}

export type StoreOptions = {
  /** The profile folder; it is made where it is not there. */
  readonly folder: string
  /** The file that the worker thread runs. */
  readonly worker: string | URL
  /** Hears of a damaged file that was set aside after the opening. */
  readonly onRebuilt?: (rebuilt: Rebuilt) => void
  /** Hears how the file was opened again after a rest, where that did not go as it should. */
  readonly onReopened?: (opening: Opening) => void
  /** How long after the first answer the whole file is looked through, in milliseconds. */
  readonly checkAfter?: number
  /** For how long nothing has to be asked before the thread rests where it may, in milliseconds. */
  readonly idle?: number
}

/** By then the first view stands, and the check takes nothing from it. */
const checkAfterByDefault = 5000

/** What asks at all asks several things in a row; and the check is over by then. */
const idleByDefault = 20_000

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
export function openStore(options: StoreOptions): OpenStore {
  const { folder, worker, checkAfter = checkAfterByDefault, idle = idleByDefault } = options
  const keep: WorkerTask = { task: 'keep', folder }
  const waiting = new Map<number, Waiting>()
  let asked = 0
  let over = false
  let lastError: unknown
  let stopCheck: (() => void) | undefined
  let checking = false
  /** Null while it rests; `ending` is done when the file is closed. */
  let thread: Worker | null = null
  let ending: Promise<void> = Promise.resolve()
  let rests = false
  let mayRest = false
  let resting: NodeJS.Timeout | undefined
  let keepsAll = false

  const take = (id: number): Waiting | undefined => {
    const one = waiting.get(id)
    waiting.delete(id)
    if (waiting.size === 0) restSoon()
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

  function begin(): Worker {
    const made = new Worker(worker, { workerData: keep, name: 'store' })
    const again = rests
    rests = false
    made.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'opened': {
          const { opening } = message
          keepsAll = opening.state === 'ready'
          if (again && (!keepsAll || ('rebuilt' in opening && opening.rebuilt))) options.onReopened?.(opening)
          return tellOpened(opening)
        }
        case 'done':
          take(message.id)?.resolve(message.result)
          return checking ? undefined : void beginCheck()
        case 'failed':
          return take(message.id)?.reject(new DeskFailure(message.failure))
        case 'rebuilt':
          return options.onRebuilt?.(message.rebuilt)
        case 'checked':
          return undefined
      }
    })
    // An error ends the thread: 'exit' follows it.
    made.on('error', (error) => (lastError = error))
    made.once('exit', () => {
      if (thread === made) stop()
    })
    return made
  }

  function stop(): void {
    over = true
    clearTimeout(resting)
    tellOpened({ state: 'unkept', failure: stopped(lastError).failure })
    stopCheck?.()
    for (const { reject } of waiting.values()) reject(stopped(lastError))
    waiting.clear()
  }

  thread = begin()

  /** Order stays: whatever is told while the thread rests is told after the file was closed, one after the other. */
  function tell(message: ToWorker): void {
    clearTimeout(resting)
    if (thread) return thread.postMessage(message)
    void ending.then(() => {
      if (over) return
      thread ??= begin()
      thread.postMessage(message)
    })
  }

  function restSoon(): void {
    clearTimeout(resting)
    if (!mayRest || !keepsAll || over || !thread || waiting.size > 0) return
    resting = setTimeout(rest, idle)
    resting.unref()
  }

  function rest(): void {
    if (!thread || waiting.size > 0) return
    ending = ended(thread)
    thread = null
    rests = true
  }

  function ended(one: Worker): Promise<void> {
    const exit = new Promise<void>((resolve) => one.once('exit', () => resolve()))
    const close: ToWorker = { kind: 'close' }
    one.postMessage(close)
    return exit
  }

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

  async function close(): Promise<void> {
    stopCheck?.()
    clearTimeout(resting)
    if (over) return
    await ending
    if (thread) return await ended(thread)
    stop()
  }

  return {
    opened,
    run,
    close,
    mayRest: (may) => {
      mayRest = may
      restSoon()
    },
  }
}
