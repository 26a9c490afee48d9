import { DeskFailure } from '#shared/api/failure.ts'
import { nodeThreads } from './node-threads.ts'
import { Lane, Lanes } from './lanes.ts'
import { withTimeout } from './async.ts'
import type { Clock } from './async.ts'

/** A folder of which nothing is heard: its disk sleeps for too long, or its share is away without saying so. */
export class FolderHangs extends DeskFailure {
  constructor(folder: string) {
    const message = `The folder ${folder} doesn't respond. Check that its disk or share is connected, then try again.`
    super({ kind: 'disk', message })
  }
}

type SlowFolderGuardOptions = {
  /** How long a look may take, its turn included, in milliseconds. Waking a sleeping disk takes some seconds. */
  readonly limit?: number
  /** How many may be under way, those that hang included; the share of looks where left out. */
  readonly max?: number
  readonly clock?: Pick<Clock, 'wait'>
}

type Asker = 'person' | 'list'

/**
 * The system lets a program wait for a folder for ever, and each wait holds one of the few threads with which Node reaches
 * files and looks up names (`nodeThreads`). So a folder is looked at once at a time, and who waits is told after a while. A
 * folder that hangs is not looked at again before the look that hangs has come back; others are, while a thread is left.
 */
export class SlowFolderGuard {
  readonly #limit: number
  readonly #maxLooks: number
  readonly #clock: Pick<Clock, 'wait'> | undefined
  readonly #turns = new Lanes<string>()
  readonly #hanging = new Set<string>()
  readonly #places: Lane
  readonly #placesOfLists = new Lane(nodeThreads.looksOfLists)

  constructor({ limit = 10_000, max = nodeThreads.looks, clock }: SlowFolderGuardOptions = {}) {
    this.#limit = limit
    this.#maxLooks = max
    this.#clock = clock
    this.#places = new Lane(max)
  }

  /**
   * Asks something of a folder. What does not come in time goes on, and nobody hears of its end.
   * @param asker a list looks at many folders at once: however many of them hang, threads are left for the one that a person
   * asks for
   * @throws FolderHangs where it takes too long, hangs already, or too many others do; whatever `look` rejects with
   */
  async run<T>(folder: string, look: () => Promise<T>, asker: Asker = 'person'): Promise<T> {
    const max = asker === 'list' ? nodeThreads.looksOfLists : this.#maxLooks
    if (this.#hanging.has(folder) || this.#hanging.size >= max) throw new FolderHangs(folder)
    let state: 'waits' | 'runs' | 'over' = 'waits'
    const begin = () =>
      this.#turns.run(folder, () =>
        this.#places.run(async () => {
          if (state === 'over') throw new FolderHangs(folder)
          state = 'runs'
          try {
            return await look()
          } finally {
            this.#hanging.delete(folder)
          }
        }),
      )
    // A list's look that waits for one of the lists' places keeps nobody's turn.
    const turn =
      asker === 'list' ? this.#turns.run(`list ${folder}`, () => this.#placesOfLists.run(begin)) : begin()
    const late = () => {
      if (state === 'runs') this.#hanging.add(folder)
      state = 'over'
      return new FolderHangs(folder)
    }
    const limit = { milliseconds: this.#limit, late, ...(this.#clock && { clock: this.#clock }) }
    return await withTimeout(limit, () => turn)
  }
}

/** One for the whole process: it has one set of threads. */
export const slowFolderGuard = new SlowFolderGuard()
