import { randomBytes } from 'node:crypto'
import { mkdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import type { ParquetParams } from './table-calls.ts'
import { groupOf } from './table-writing.ts'

/**
 * Writes a Parquet file into the engine's temporary folder, from lines that are removed.
 * @returns the path of the file
 * @throws errors of the engine and the disk, DeskFailure `cancelled`; no file remains
 */
export async function parquetFrom(
  database: EngineDatabase,
  { lines, columns, facts }: ParquetParams,
): Promise<string> {
  mkdirSync(database.temporary, { recursive: true, mode: 0o700 })
  const path = join(database.temporary, `export-${randomBytes(8).toString('hex')}`)
  // The engine may read its own folders only.
  const source = `${path}.lines`
  // A text in a column of numbers is no figure: a column with any other text has the type VARCHAR.
  const cells = columns.map(
    ({ name, type }, nth) => `TRY_CAST(cells[${nth + 1}] AS ${type}) AS "${name.replaceAll('"', '""')}"`,
  )
  const from = `read_json($source, hive_partitioning = false, format = 'newline_delimited', records = 'false',
    columns = {cells: 'VARCHAR[]'})`
  const form = `FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE ${groupOf(columns.length)}, KV_METADATA {traffic_desk: $facts}`
  try {
    renameSync(lines, source)
    await database.columns(`COPY (SELECT ${cells.join(', ')} FROM ${from}) TO $path (${form})`, {
      ...{ source, path, facts },
    })
    return path
  } catch (error) {
    rmSync(path, { force: true })
    throw error
  } finally {
    rmSync(source, { force: true })
  }
}
