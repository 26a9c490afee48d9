import { Worker } from 'node:worker_threads'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { Asked, Reckoned, ReckoningName } from './asking.ts'
import type { AskMessage, ReckonedMessage } from './messages.ts'

/** Computes answers from kept tables, in a thread of its own. */
export type Reckoner = {
  /** @throws DeskFailure of kind `internal` where the thread fails, of kind `cancelled` after closing */
  readonly [N in ReckoningName]: (asked: Asked<N>) => Promise<Reckoned<N>>
} & {
  /** Ends the thread; what is asked still fails as `cancelled`. */
  readonly close: () => Promise<void>
}

export type ReckonerOptions = {
  /** The profile folder, whose file the thread reads. */
  readonly folder: string
  /** The file that the thread runs. */
  readonly worker: string | URL
  /** For how long nothing has to be asked before the thread is ended, in milliseconds. */
  readonly idle?: number
}

/** Somebody who pages or sorts comes back within this; then the sums that the thread remembers are worth their memory. */
const idleByDefault = 60_000

type Waiting = {
  readonly resolve: (reckoned: Reckoned<ReckoningName>) => void
  readonly reject: (failure: DeskFailure) => void
}

const ended = (cause: unknown) =>
  new DeskFailure(
    { kind: 'internal', message: 'The figures could not be computed. Please try again.' },
    { cause },
  )

const closed = () => new DeskFailure({ kind: 'cancelled', message: 'Traffic Desk is closing.' })

/** Makes a reckoner. Its thread begins with the first question, and again after it was idle or failed. */
export function startReckoner({ folder, worker, idle = idleByDefault }: ReckonerOptions): Reckoner {
  const waiting = new Map<number, Waiting>()
  let thread: Worker | undefined
  let idling: NodeJS.Timeout | undefined
  let count = 0
  let over = false

  function take(id: number): Waiting | undefined {
    const one = waiting.get(id)
    waiting.delete(id)
    return one
  }

  function settle(message: ReckonedMessage): void {
    const asked = take(message.id)
    if (message.ok) asked?.resolve(message.reckoned)
    else asked?.reject(new DeskFailure(message.failure))
    if (waiting.size === 0) rest()
  }

  function rest(): void {
    clearTimeout(idling)
    idling = setTimeout(() => void end(), idle)
    idling.unref()
  }

  async function end(): Promise<void> {
    clearTimeout(idling)
    const ending = thread
    thread = undefined
    await ending?.terminate()
  }

  function failAll(failure: DeskFailure): void {
    for (const { reject } of waiting.values()) reject(failure)
    waiting.clear()
  }

  function begin(): Worker {
    const made = new Worker(worker, { workerData: { folder }, name: 'reckon' })
    let lastError: unknown
    made.on('message', settle)
    // An error ends the thread: 'exit' follows it.
    made.on('error', (error) => (lastError = error))
    made.once('exit', () => {
      if (thread !== made) return
      thread = undefined
      failAll(ended(lastError))
    })
    made.unref()
    return made
  }

  const asking =
    <N extends ReckoningName>(name: N) =>
    (asked: Asked<N>): Promise<Reckoned<N>> => {
      if (over) return Promise.reject(closed())
      clearTimeout(idling)
      const id = (count += 1)
      return new Promise((resolve, reject) => {
        // The answer with this id is that of this reckoning: the engine's types see to it.
        waiting.set(id, { resolve: resolve as Waiting['resolve'], reject })
        const message: AskMessage<N> = { id, name, asked }
        thread ??= begin()
        thread.postMessage(message)
      })
    }

  return {
    table: asking('table'),
    overview: asking('overview'),
    trend: asking('trend'),
    rowsOf: asking('rowsOf'),
    movers: asking('movers'),
    close: async () => {
      over = true
      failAll(closed())
      await end()
    },
  }
}
