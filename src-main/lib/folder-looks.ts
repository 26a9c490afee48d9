import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { Places } from './places.ts'
import { withTimeout } from './waiting.ts'
import type { Clock } from './waiting.ts'

/** A folder of which nothing is heard: its disk sleeps for too long, or its share is away without saying so. */
export class FolderHangs extends DeskFailure {
  constructor(folder: string) {
    const message = `The folder ${folder} does not answer. Check that its disk or share is connected, then try again.`
    super({ kind: 'disk', message })
  }
}

export type LooksOptions = {
  /** How long a look may take, its turn included, in milliseconds. Waking a sleeping disk takes some seconds. */
  readonly limit?: number
  readonly clock?: Pick<Clock, 'wait'>
}

/**
 * The system lets a program wait for a folder for ever, and each wait holds one of the few threads (four) with which Node
 * reaches files and looks up names. So a folder is looked at once at a time, two folders together, and who waits is told
 * after a while. A folder that hangs is not looked at again before the look that hangs has come back.
 */
export class FolderLooks {
  readonly #limit: number
  readonly #clock: Pick<Clock, 'wait'> | undefined
  readonly #lasts = new Map<string, Promise<void>>()
  readonly #hanging = new Set<string>()
  readonly #places = new Places(mostAtOnce)

  constructor({ limit = 10_000, clock }: LooksOptions = {}) {
    this.#limit = limit
    this.#clock = clock
  }

  /**
   * Asks something of a folder. What does not come in time goes on, and nobody hears of its end.
   * @throws FolderHangs where it takes too long, or hangs already; whatever `look` rejects with
   */
  async at<T>(folder: string, look: () => Promise<T>): Promise<T> {
    if (this.#hanging.has(folder) || this.#hanging.size >= mostAtOnce) throw new FolderHangs(folder)
    let state: 'waits' | 'runs' | 'over' = 'waits'
    const turn = (this.#lasts.get(folder) ?? Promise.resolve()).then(() =>
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
    const last = turn.then(nothing, nothing)
    this.#lasts.set(folder, last)
    void last.then(() => this.#lasts.get(folder) === last && this.#lasts.delete(folder))
    const late = () => {
      if (state === 'runs') this.#hanging.add(folder)
      state = 'over'
      return new FolderHangs(folder)
    }
    const limit = { milliseconds: this.#limit, late, ...(this.#clock && { clock: this.#clock }) }
    return await withTimeout(limit, () => turn)
  }
}

/** Of Node's four threads; the others are for what a person waits for. */
const mostAtOnce = 2
const nothing = () => undefined

/** One for the whole process: it has one set of threads. */
export const folderLooks = new FolderLooks()
