import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { RowsParams, Verified, RowsCalls } from '#main/archives/engine/rows-engine.ts'
import { serveEngine } from '#main/analytics/engine-server.ts'
import { rowsOperations } from '#main/archives/engine/rows-operations.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { rpcClient } from '#main/workers/rpc-client.ts'
import type { RpcClient } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RowsFileId, ShapeChoice } from '#shared/archives/rows-file.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'

/** The engine of rows in this very thread, behind the channel that it has in the app. */
export function rowsChannel(folder: string): Channel {
  let toServer: (message: unknown) => void = () => undefined
  let toClient: (message: unknown) => void = () => undefined
  let ended: (error: unknown) => void = () => undefined
  serveEngine(
    {
      post: (message) => queueMicrotask(() => toClient(structuredClone(message))),
      onMessage: (listener) => (toServer = listener),
      close: () => ended(undefined),
    },
    { history: join(folder, 'rows'), temporary: join(folder, 'rows-work') },
    rowsOperations,
  )
  return {
    post: (message) => queueMicrotask(() => toServer(structuredClone(message))),
    onMessage: (listener) => (toClient = listener),
    onEnd: (listener) => (ended = listener),
    hold: () => undefined,
    kill: () => undefined,
  }
}

export type RowsDesk = {
  readonly folder: string
  readonly engine: RpcClient<RowsCalls>
  /** Reads a table in, as if it lay in a file. */
  readonly importArchive: (
    table: string | Uint8Array,
    about?: { name?: string; type?: RawType | null; zone?: string; choices?: readonly ShapeChoice[] },
  ) => Promise<RowsEntry>
}

/** An engine of rows over a folder that goes with the test, or with `done` where one is taken. */
export function openRowsDesk(done: (clean: () => Promise<void>) => void = onTestFinished): RowsDesk {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-rows-'))
  const engine = rpcClient<RowsCalls>({
    open: () => rowsChannel(folder),
    gone: () => new DeskFailure({ kind: 'internal', message: 'Gone' }),
    closed: () => new DeskFailure({ kind: 'cancelled', message: 'Closed' }),
  })
  done(async () => {
    await engine.close()
    rmSync(folder, { recursive: true, force: true })
  })
  let count = 0
  return {
    folder,
    engine,
    importArchive: async (
      table,
      { name = `table-${(count += 1)}.csv`, type = null, zone = 'UTC', choices = [] } = {},
    ) => {
      const source = join(folder, name)
      writeFileSync(source, table)
      const { entry } = await engine.call('importArchive', {
        reading: name,
        source,
        zone,
        choices,
        about: {
          id: `file-${createHash('sha256').update(name).digest('hex').slice(0, 8)}` as RowsFileId,
          dataScope: 'scope-1' as DataScopeId,
          report: null,
          name,
          type,
          readAt: 1_000 as Instant,
        },
      })
      return entry
    },
  }
}

/** An answer that has to be there. */
export async function answered<A>(looking: Promise<Verified<A>>): Promise<A> {
  const looked = await looking
  if (looked.kind === 'damaged') throw new Error(`Damaged: ${looked.files.map(({ id }) => id).join(', ')}`)
  return looked.answer
}

/** Every row of files, unless told otherwise. */
export const rowsOf = (files: readonly RowsEntry[], more: Partial<RowsParams> = {}): RowsParams => ({
  files,
  conditions: [],
  sort: [],
  ...more,
})

/** The cells of every row that is found, in order. */
export async function cellsOf(desk: RowsDesk, asked: RowsParams, columns: readonly string[] = []) {
  const page = await answered(desk.engine.call('page', { ...asked, offset: 0, limit: 10_000, columns }))
  return page.rows.map(({ cells }) => cells)
}

/** The unreadable lines of a file, a thousand at the most. */
export async function unreadableOf(desk: RowsDesk, file: RowsEntry) {
  const entryPath = readdirSync(join(desk.folder, 'rows', `account=${file.dataScope}`))
    .filter(
      (name) => name.includes('-entry-') && name.startsWith(file.rows.path.split('/')[1]?.slice(0, 32) ?? ''),
    )
    .map((name) => `account=${file.dataScope}/${name}` as RowsEntry['rows']['path'])[0]
  if (entryPath === undefined) throw new Error('There is no entry')
  return await answered(desk.engine.call('unreadable', { file, entryPath, offset: 0, limit: 1000 }))
}
