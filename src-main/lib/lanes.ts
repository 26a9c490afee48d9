import PQueue from 'p-queue'
import { cancelled, throwIfCancelled } from './async.ts'

/** How something waits for its turn. */
export type Turn = {
  /** Gives the waiting up, and only that: what runs has a signal of its own. */
  readonly signal?: AbortSignal
  /** The highest goes first; nought where left out. Within one, the order of asking holds. */
  readonly priority?: number
}

/** Lets things run so many at a time; one at a time, from beginning to end, where nothing else is said. */
export class Lane {
  readonly #queue: PQueue

  constructor(places = 1) {
    this.#queue = new PQueue({ concurrency: places })
  }

  /**
   * Waits for a place.
   * @returns leaves it; idempotent
   * @throws DeskFailure `cancelled` where the signal was aborted before there was one
   */
  async enter({ signal, priority = 0 }: Turn = {}): Promise<() => void> {
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
      const options = signal ? { priority, signal: waiting.signal } : { priority }
      this.#queue.add(entered, options).catch(reject)
    })
  }

  /** Done when nothing runs or waits. */
  idle(): Promise<void> {
    return this.#queue.onIdle()
  }

  /** Runs work in a place. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  async run<T>(work: () => Promise<T>, turn: Turn = {}): Promise<T> {
    const leave = await this.enter(turn)
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Does one thing after the other, as many at a time as there are places. After the first that fails, no other is begun.
   * @throws what the first that failed did, once those that were begun are over
   */
  async each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const errors: unknown[] = []
    const one = (item: T) =>
      this.run(async () => {
        if (errors.length === 0) await work(item).catch((error: unknown) => void errors.push(error))
      })
    await Promise.all(items.map(one))
    if (errors.length > 0) throw errors[0]
  }
}

/** A lane of one place for each key, for as long as anything is in it. */
export class Lanes<K> {
  readonly #lanes = new Map<K, { readonly lane: Lane; users: number }>()

  /** Runs work after what was asked for of this key before. @throws whatever `work` rejects with; DeskFailure `cancelled` */
  async run<T>(key: K, work: () => Promise<T>, turn: Turn = {}): Promise<T> {
    const used = this.#lanes.get(key) ?? { lane: new Lane(), users: 0 }
    this.#lanes.set(key, used)
    used.users += 1
    try {
      return await used.lane.run(work, turn)
    } finally {
      used.users -= 1
      if (used.users === 0) this.#lanes.delete(key)
    }
  }
}
