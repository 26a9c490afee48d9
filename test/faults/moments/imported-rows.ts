import { systemClock } from '#main/lib/async.ts'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { ArchivesContext } from '#main/archives/archives-context.ts'
import { RowsCatalogue } from '#main/archives/catalogue.ts'
import { startRowsEngine } from '#main/archives/engine/rows-engine.ts'
import { rowsFolder } from '#main/analytics/rows-layout.ts'
import { openStore } from '#main/database/open-store.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { storeWorker } from './histories.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { fake } from '#test/helpers/fake.ts'

// Nothing here is for tests alone: processes that are killed import it, and begin the faster for it.

export const dataScope = 'scope-1' as DataScopeId
export const id = 'report-r-1' as RowsFileId

/** Rows of a table, all with one count in them, so that a mixture of two shows. */
export const rowsOfTable = 40_000

/** Rows of a profile folder, with a store and an engine as the app has them. */
export function openRowsOf(folder: string) {
  const store = openStore({ folder, worker: storeWorker })
  const temporary = join(folder, 'rows-work')
  const engine = startRowsEngine({
    open: () =>
      threadChannel(appThread('engine'), { argv: ['rows', rowsFolder(folder), temporary], name: 'rows' }),
  })
  const catalogue = new RowsCatalogue(
    fake<ArchivesContext>('context', { store, folder, clock: systemClock }),
    engine,
  )
  return {
    engine,
    catalogue,
    close: async () => {
      await Promise.all([engine.close(), store.close()])
    },
  }
}

/** Reads the table of a count in, in the place of the one before. One line of it is no row. */
export async function readTableIn(
  { engine, catalogue }: Pick<ReturnType<typeof openRowsOf>, 'engine' | 'catalogue'>,
  source: string,
  count: number,
): Promise<void> {
  const about = { id, dataScope, report: null, name: 'Table', type: null, readAt: count as Instant }
  await catalogue.put(
    await engine.call('importArchive', { reading: 'one', source, zone: 'UTC', choices: [], about }),
  )
}

export function writeTable(source: string, count: number): void {
  const line = `2026-11-20T10:00:00Z,${count},"a, b"\r\n`
  writeFileSync(source, `TIMESTAMP,COUNT,TEXT\r\n${line.repeat(rowsOfTable)}no row\r\n`)
}
