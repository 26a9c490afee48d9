import { onTestFinished } from 'vitest'
import type { Writer } from '#main/database/sqlite/database.ts'
import { makeBackup } from '#main/database/state/copies.ts'
import { StateFile } from '#main/database/state/state-file.ts'
import type { StateCalls, StateStore } from '#main/database/state/state-store.ts'
import type { ArgumentOf, ResultOf } from '#main/workers/rpc.ts'
import { perform } from '#test/src-main/database/helpers.ts'
import { Killed } from './crashing.ts'
import type { Life } from './crashing.ts'

/** Hears of what an app keeps: before it is written, and once it is. */
export type Stored = <N extends keyof StateCalls>(name: N, argument: ArgumentOf<StateCalls[N]>) => () => void

/** The file of a profile, which outlives the app, and can be damaged. */
export class CrashingStore {
  readonly #folder: string
  readonly #file: StateFile
  rescues = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#file = new StateFile(folder, Date.now, () => undefined)
    onTestFinished(() => this.#file.close())
  }

  /** What is kept, as no app that may be killed sees it. */
  now<N extends keyof StateCalls>(name: N, argument: ArgumentOf<StateCalls[N]>): ResultOf<StateCalls[N]> {
    return perform(this.#file.open.database, name, argument)
  }

  /** The file turns out damaged, right after its backup was made, and is brought back: at a start, or while the app runs. */
  damage(): void {
    makeBackup(this.#file.open.handle, this.#folder, Date.now())
    this.#file.rescue()
    this.rescues += 1
  }

  /** The store of one life of the app, which may be killed before it asks, between any two rows, or before it hears. */
  of(life: Life, stored: Stored): StateStore {
    return {
      opened: Promise.resolve(this.#file.opening),
      run: (name, argument) =>
        life.step(async () => {
          const received = stored(name, argument)
          try {
            const result = perform(dying(this.#file.open.database, life), name, argument)
            received()
            return result
          } catch (error) {
            // The transaction was undone, and nobody is left who could hear of it.
            if (error instanceof Killed) return new Promise<never>(() => undefined)
            throw error
          }
        }),
      close: () => Promise.resolve(),
    }
  }
}

function dying(database: Writer, life: Life): Writer {
  return {
    ...database,
    write: (sql, ...bound) => {
      life.inside()
      return database.write(sql, ...bound)
    },
  }
}
