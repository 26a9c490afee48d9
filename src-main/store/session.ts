import { openAnew, openDatabase } from './open-database.ts'
import type { OpenDatabase } from './open-database.ts'
import type { Opening, Rebuilt } from './opening.ts'
import { perform } from './operations.ts'
import type { OperationArgument, OperationName, OperationResult } from './operations.ts'
import { storeFailure, troubleOf } from './trouble.ts'

/** The store as its own thread sees it: synchronous, and able to begin anew when its file turns out damaged. */
export type StoreSession = {
  readonly opening: Opening
  /** @throws DeskFailure */
  readonly run: <N extends OperationName>(name: N, argument: OperationArgument<N>) => OperationResult<N>
  /** Sets a file aside that was found damaged, and goes on with a new one. */
  readonly beginAnew: () => void
  readonly close: () => void
}

/** @param onRebuilt hears of every file set aside after the opening */
export function openSession(folder: string, onRebuilt: (rebuilt: Rebuilt) => void): StoreSession {
  let open: OpenDatabase = openDatabase(folder)
  const { opening } = open

  function beginAnew(): void {
    if (open.opening.state !== 'ready') return
    open.close()
    open = openAnew(folder)
    if (open.opening.state === 'ready' && open.opening.rebuilt) onRebuilt(open.opening.rebuilt)
  }

  function run<N extends OperationName>(name: N, argument: OperationArgument<N>): OperationResult<N> {
    try {
      return perform(open.database, name, argument)
    } catch (error) {
      if (troubleOf(error) !== 'damaged' || open.opening.state !== 'ready') throw storeFailure(error)
      beginAnew()
      return performOrFail(open, name, argument)
    }
  }

  return { opening, run, beginAnew, close: () => open.close() }
}

function performOrFail<N extends OperationName>(
  { database }: OpenDatabase,
  name: N,
  argument: OperationArgument<N>,
): OperationResult<N> {
  try {
    return perform(database, name, argument)
  } catch (error) {
    throw storeFailure(error)
  }
}
