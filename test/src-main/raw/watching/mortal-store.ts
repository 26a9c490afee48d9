import { onTestFinished } from 'vitest'
import type { Writer } from '../../../../src-main/store/database.ts'
import { openAnew, openDatabase } from '../../../../src-main/store/open-database.ts'
import type { OpenDatabase } from '../../../../src-main/store/open-database.ts'
import { perform } from '../../../../src-main/store/operations.ts'
import type {
  OperationArgument,
  OperationName,
  OperationResult,
} from '../../../../src-main/store/operations.ts'
import type { Store } from '../../../../src-main/store/store.ts'
import { Killed } from './mortal.ts'
import type { Life } from './mortal.ts'

/** Hears of what an app keeps: before it is written, and once it is. */
export type Kept = <N extends OperationName>(name: N, argument: OperationArgument<N>) => () => void

/** The file of a profile, which outlives the app, and can be damaged. */
export class MortalStore {
  readonly #folder: string
  #open: OpenDatabase
  rescues = 0

  constructor(folder: string) {
    this.#folder = folder
    this.#open = openDatabase(folder)
    onTestFinished(() => this.#open.close())
  }

  /** What is kept, as no app that may be killed sees it. */
  now<N extends OperationName>(name: N, argument: OperationArgument<N>): OperationResult<N> {
    return perform(this.#open.database, name, argument)
  }

  /** Damages the file where nothing of raw reports stands, and has it rescued: at a start, or while the app runs. */
  damage(): void {
    this.#open.database.write('DROP TABLE answers')
    this.#open.close()
    this.#open = openAnew(this.#folder)
    this.rescues += 1
  }

  /** The store of one life of the app, which may be killed before it asks, between any two rows, or before it hears. */
  of(life: Life, kept: Kept): Store {
    return {
      opened: Promise.resolve(this.#open.opening),
      run: (name, argument) =>
        life.step(async () => {
          const heard = kept(name, argument)
          try {
            const result = perform(dying(this.#open.database, life), name, argument)
            heard()
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
