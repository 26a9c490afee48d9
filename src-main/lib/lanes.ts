import PQueue from 'p-queue'
import { cancelled, throwIfCancelled } from './async.ts'

/** How something waits for its turn. */
type Turn = {
  /** Gives the waiting up, and only that: what runs has a signal of its own. */
  readonly signal?: AbortSignal
  /** The highest goes first; nought where left out. Within one, the order of asking holds. */
  readonly priority?: number
  /** By which it gets another priority while it waits; unique within the lane. */
  readonly id?: string
}

/** Lets things run so many at a time; one at a time, from beginning to end, where nothing else is said. */
export class Lane<T = void> {
  readonly #queue: PQueue
  #next: Promise<T> | null = null

  constructor(places = 1) {
    this.#queue = new PQueue({ concurrency: places })
  }

  /**
   * Waits for a place.
   * @returns leaves it; idempotent
   * @throws DeskFailure `cancelled` where the signal was aborted before there was one
   */
  async enter({ signal, ...turn }: Turn = {}): Promise<() => void> {
    if (signal) throwIfCancelled(signal)
    // The queue frees the place of what runs with its signal: it hears of this one until there is a place.
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

  /** Gives what waits another priority; nothing changes for what has its place. */
  prioritize(id: string, priority: number): void {
    try {
      this.#queue.setPriority(id, priority)
    } catch (error) {
      // The queue knows none of this id that waits.
      if (!(error instanceof ReferenceError)) throw error
    }
  }

  /** Done when nothing runs or waits. */
  idle(): Promise<void> {
    return this.#queue.onIdle()
  }

  /** Runs work in a place. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  async run<R>(work: () => Promise<R>, turn: Turn = {}): Promise<R> {
    const leave = await this.enter(turn)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /** Whether work that was joined has not begun yet. */
  get hasNext(): boolean {
    return this.#next !== null
  }

  /**
   * Joins the work that has not begun yet, or queues it: who comes while one runs waits for the next, together with everybody
   * else who came meanwhile.
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
   * Does one thing after the other, as many at a time as there are places. After the first that fails, no other is begun.
   * @throws what the first that failed did, once those that were begun are over
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

/** A lane of one place for each key, for as long as anything is in it. */
export class Lanes<K, T = void> {
  readonly #lanes = new Map<K, { readonly lane: Lane<T>; users: number }>()

  /** Runs work after what was asked for of this key before. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  run<R>(key: K, work: () => Promise<R>, turn: Turn = {}): Promise<R> {
    return this.#use(key, (lane) => lane.run(work, turn))
  }

  /** Joins the work of this key that has not begun yet, or queues it. @throws whatever `work` rejects with */
  join(key: K, work: () => Promise<T>): Promise<T> {
    return this.#use(key, (lane) => lane.join(work))
  }

  async #use<R>(key: K, use: (lane: Lane<T>) => Promise<R>): Promise<R> {
    const used = this.#lanes.get(key) ?? { lane: new Lane<T>(), users: 0 }
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
