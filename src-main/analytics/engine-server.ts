import { join } from 'node:path'
import { asDiskFailure } from '#main/files/disk-failure.ts'
import type { DiskPlace, DiskReason } from '#main/files/disk-failure.ts'
import { serveRpc } from '#main/workers/rpc-server.ts'
import type { ServerPort } from '#main/workers/rpc-server.ts'
import type { EngineEvent } from './engine-client.ts'
import type { Calls } from '#main/workers/rpc.ts'
import { causeOfEngine, engineLimits, openEngine } from './engine-database.ts'
import type { EngineDatabase, EngineFolders } from './engine-database.ts'
import { messageOf } from './checksummed-files.ts'

type EngineUse = 'figures' | 'large' | 'sorting' | 'writing' | 'rows' | 'savedRows' | 'wideRows'

/** Engines of one process: one per use, each with its own limits and temporary folder. */
export class Engines {
  readonly folders: EngineFolders
  readonly #databases = new Map<EngineUse, Promise<EngineDatabase>>()

  constructor(folders: EngineFolders) {
    this.folders = folders
  }

  /** Returns the engine for a use, opened on the first call. @throws errors of the engine */
  open(use: EngineUse): Promise<EngineDatabase> {
    const known = this.#databases.get(use)
    if (known) return known
    const { history, temporary } = this.folders
    const own = {
      figures: '',
      rows: '',
      large: 'large',
      sorting: 'sorting',
      writing: 'writing',
      savedRows: 'saved',
      wideRows: 'wide',
    }[use]
    const opening = openEngine({ history, temporary: join(temporary, own) }, engineLimits[use])
    // Callers handle the rejection.
    opening.catch(() => undefined)
    this.#databases.set(use, opening)
    return opening
  }

  async close(): Promise<void> {
    for (const opening of this.#databases.values())
      await opening.then(
        (database) => database.close(),
        () => undefined,
      )
  }
}

/**
 * Serves calls of the main process until it requests the end.
 * @param callsOver creates the operations over these engines; `emit` sends an event to the app
 */
export function serveEngine<C extends Calls<C>>(
  port: ServerPort & { readonly close: () => void },
  folders: EngineFolders,
  callsOver: (engines: Engines, emit: (event: EngineEvent) => void) => C,
): void {
  const engines = new Engines(folders)
  const calls = callsOver(engines, (event) => main.notify(event))
  const end = async () => {
    await engines.close()
    port.close()
  }
  const main = serveRpc<C>(port, calls, end, causeOfEngine)
}

/** Converts disk errors into failures. @throws DeskFailure `disk`, and other errors of the work */
export async function onDisk<T>(work: Promise<T>, place: DiskPlace): Promise<T> {
  try {
    return await work
  } catch (error) {
    const [, reason] = refusals.find(([pattern]) => pattern.test(messageOf(error))) ?? []
    throw reason ? asDiskFailure(error, place, reason) : error
  }
}

/** Disk errors in messages: the engine's errors have no codes. */
const refusals: readonly (readonly [RegExp, DiskReason])[] = [
  [/No space left|ENOSPC|disk quota|EDQUOT|max_temp_directory_size/i, 'full'],
  [/no such file|ENOENT/i, 'missing'],
  [/Permission denied|Read-only|EACCES|EROFS|EPERM|ENOTDIR/i, 'refused'],
]
