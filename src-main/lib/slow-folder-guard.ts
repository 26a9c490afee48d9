import { DeskFailure } from '#shared/api/failure.ts'
import { nodeThreads } from './node-threads.ts'
import { Lane, Lanes } from './lanes.ts'
import { withTimeout } from './async.ts'
import type { Clock } from './async.ts'

/** A folder does not respond: its disk is slow to wake up, or its network share is disconnected. */
export class FolderHangs extends DeskFailure {
  constructor(folder: string) {
    const message = `The folder ${folder} doesn't respond. Check that its disk or share is connected, then try again.`
    super({ kind: 'disk', message })
  }
}

type SlowFolderGuardOptions = {
  /** Timeout of a call in milliseconds, including the wait for a place. Waking a sleeping disk takes some seconds. */
  readonly limit?: number
  /** Maximum number of concurrent calls, including hanging ones. Defaults to `nodeThreads.looks`. */
  readonly max?: number
  readonly clock?: Clock
}

type Asker = 'person' | 'list'

/**
 * Limits concurrent file system calls. A call into a hanging folder never returns, and occupies one of the few threads
 * of Node's pool (`nodeThreads`). Calls into the same folder run one at a time and time out. While a call hangs,
 * further calls into its folder fail at once. Other folders remain usable while a thread is free.
 */
export class SlowFolderGuard {
  readonly #limit: number
  readonly #maxLooks: number
  readonly #clock: Clock | undefined
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
   * Runs a file system call in a folder. After a timeout the call continues, and its outcome is discarded.
   * @param asker `list` for a caller that visits many folders: it has fewer places, so that threads remain for the
   * user's own requests
   * @throws FolderHangs on timeout, or if this folder or too many others hang; whatever `look` rejects with
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
    // A list call that waits for a list place does not occupy the folder's turn.
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

/** Shared by the whole process, because the process has one thread pool. */
export const slowFolderGuard = new SlowFolderGuard()
