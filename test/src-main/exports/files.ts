import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FileHandle } from 'node:fs/promises'
import { columnsFor } from '#shared/exports/columns.ts'
import { factsOf } from '#main/exports/facts.ts'
import type { Finished, TableWriter } from '#main/exports/table-writer.ts'
import type { Made } from './helpers.ts'
import { account, headers, pageOf, query } from './helpers.ts'

/** Writes a made-up table and gives the file to whoever reads it. */
export async function withFile<T>(
  writerFor: (file: FileHandle) => TableWriter | Promise<TableWriter>,
  made: Made,
  read: (path: string, finished: Finished) => Promise<T>,
  columns?: readonly string[],
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'traffic-desk-files-'))
  try {
    const path = join(folder, 'file')
    const file = await open(path, 'w')
    const writer = await writerFor(file)
    const page = pageOf({ ...query, limit: 1000 }, made)
    await writer.begin({
      name: 'Script by browser',
      columns: columnsFor(made.headers ?? headers, columns),
      facts: factsOf(account, page),
    })
    // In two steps, as pages come.
    const half = Math.ceil(made.rows.length / 2)
    await writer.rows(made.rows.slice(0, half))
    await writer.rows(made.rows.slice(half))
    const finished = await writer.finish()
    await file.close()
    return await read(path, finished)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
