import { basename, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'

const sources = {
  store: 'database/store-worker.ts',
  backup: 'backup/backup-worker.ts',
  engine: 'engine-process.ts',
  exports: 'exports/export-worker.ts',
  archive: 'raw/downloads/archive-worker.ts',
  answers: 'api/large/answer-worker.ts',
} as const

/**
 * The script of one of the app's threads and processes. `npm test` builds the app first and names where: what is bundled
 * begins in half the processor time, and it is what people run. Elsewhere it is the source, which is never out of date.
 */
export function appThread(name: keyof typeof sources): URL {
  const built = process.env['TRAFFIC_DESK_BUILT']
  return pathToFileURL(
    built === undefined
      ? join(import.meta.dirname, '..', '..', 'src-main', sources[name])
      : join(built, `${basename(sources[name], '.ts')}.cjs`),
  )
}

/** Opens one of the app's processes as a thread of the test. */
export const openAsThread = (name: 'archive' | 'backup') => (): Channel =>
  threadChannel(appThread(name), { name })
