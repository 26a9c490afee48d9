import PQueue from 'p-queue'
import { cancelled, throwIfCancelled } from './async.ts'

type Turn = {
  /** Cancels only the waiting. Running work needs its own signal. */
  readonly signal?: AbortSignal
  /** Higher values run first; defaults to 0. Equal priorities run in the order of the calls. */
  readonly priority?: number
  /** Identifies the waiting entry for `prioritize`; unique within the lane. */
  readonly id?: string
}

/** Limits concurrency; by default to one task at a time. */
export class Lane<T = void> {
  readonly #queue: PQueue
  #next: Promise<T> | null = null

  constructor(places = 1) {
    this.#queue = new PQueue({ concurrency: places })
  }

  /**
   * Waits for a free place.
   * @returns a function that frees the place; idempotent
   * @throws DeskFailure `cancelled` if the signal is aborted first
   */
  async enter({ signal, ...turn }: Turn = {}): Promise<() => void> {
    if (signal) throwIfCancelled(signal)
    // The queue frees the place when its signal is aborted, so its signal stops following `signal` on entry.
    const waiting = new AbortController()
    const giveUp = () => waiting.abort(cancelled())
    signal?.addEventListener('abort', giveUp, { once: true })
    return await new Promise((resolve, reject) => {
      const entered = () => {
        signal?.removeEventListener('abort', giveUp)
        return new Promise<void>((leave) => resolve(leave))
      }
      const options = signal ? { ...turn, signal: waiting.signal } : turn
      this.#queue.add(entered, options).catch(reject)
    })
  }

  /** Changes the priority of a waiting entry. Running entries are unaffected. */
  prioritize(id: string, priority: number): void {
    try {
      this.#queue.setPriority(id, priority)
    } catch (error) {
      // No waiting entry has this id.
      if (!(error instanceof ReferenceError)) throw error
    }
  }

  /** Resolves when nothing runs or waits. */
  idle(): Promise<void> {
    return this.#queue.onIdle()
  }

  /** Runs `work` in a place. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  async run<R>(work: () => Promise<R>, turn: Turn = {}): Promise<R> {
    const leave = await this.enter(turn)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Whether joined work is still waiting to start. */
  get hasNext(): boolean {
    return this.#next !== null
  }

  /**
   * Shares queued work: callers that arrive during a run all join the next run.
   * @throws whatever `work` rejects with
   */
  join(work: () => Promise<T>): Promise<T> {
    this.#next ??= this.run(() => {
      this.#next = null
      return work()
    })
    return this.#next
  }

  /**
   * Processes the items within the concurrency limit. After the first failure, no further item is started.
   * @throws the first error, after all started items have ended
   */
  async forEach<I>(items: readonly I[], work: (item: I) => Promise<void>): Promise<void> {
    const errors: unknown[] = []
    const one = (item: I) =>
      this.run(async () => {
        if (errors.length === 0) await work(item).catch((error: unknown) => void errors.push(error))
      })
    await Promise.all(items.map(one))
    if (errors.length > 0) throw errors[0]
  }
}

/** One lane per key; by default of one place. A lane is removed when it is empty. */
export class Lanes<K, T = void> {
  readonly #places: number
  readonly #lanes = new Map<K, { readonly lane: Lane<T>; users: number }>()

  constructor(places = 1) {
    this.#places = places
  }

  /** Runs `work` in a place of the key's lane. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  run<R>(key: K, work: () => Promise<R>, turn: Turn = {}): Promise<R> {
    return this.#use(key, (lane) => lane.run(work, turn))
  }

  /** Joins queued work of the key, or queues `work`. @throws whatever `work` rejects with */
  join(key: K, work: () => Promise<T>): Promise<T> {
    return this.#use(key, (lane) => lane.join(work))
  }

  async #use<R>(key: K, use: (lane: Lane<T>) => Promise<R>): Promise<R> {
    const used = this.#lanes.get(key) ?? { lane: new Lane<T>(this.#places), users: 0 }
    this.#lanes.set(key, used)
    used.users += 1
    try {
      return await use(used.lane)
    } finally {
      used.users -= 1
      if (used.users === 0) this.#lanes.delete(key)
    }
  }
}
