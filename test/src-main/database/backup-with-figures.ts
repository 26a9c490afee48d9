import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { HistoryPath } from '#main/database/cache/catalogue-repository.ts'
import { historyFolder } from '#main/reports/history/layout.ts'
import { backupThreadCalls } from '#main/database/backup-thread.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import type { FiguresInBackup } from '#shared/app/backup.ts'

/** A path of the history whose name fits these bytes. */
export function pathFor(bytes: string, owner: string, { month = '2026-10', id = '0' } = {}): HistoryPath {
  const checksum = crc32(bytes).toString(16).padStart(8, '0')
  return `account=${owner}/report=script-browsers/month=${month}/${id.padStart(16, '0')}-${checksum}.parquet` as HistoryPath
}

/** Puts a file into the history of a profile. */
export function putFigures(folder: string, bytes: string, owner: string, place = {}): HistoryPath {
  const path = pathFor(bytes, owner, place)
  mkdirSync(dirname(join(historyFolder(folder), path)), { recursive: true })
  writeFileSync(join(historyFolder(folder), path), bytes)
  return path
}

/** What lies in a folder, by path. */
export function filesIn(folder: string): Readonly<Record<string, string>> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(
    names
      .filter((name) => statSync(join(folder, name)).isFile())
      .map((name) => [name, readFileSync(join(folder, name), 'utf8')]),
  )
}

/** Writes a backup of a profile into a file that is not there, without the thread. */
export async function backUp(
  session: StoreSession,
  folder: string,
  file: string,
  paths: readonly HistoryPath[],
) {
  session.run('backup/write', undefined)
  const calls = backupThreadCalls(folder)
  await calls['state/copy'](file)
  session.run('backup/clear', undefined)
  calls['figures/begin'](file)
  const added = []
  for (const path of paths) added.push(await calls['figures/add'](path))
  calls['figures/end'](undefined)
  return added
}

/** Reads a backup in, without the thread. @throws as its parts do */
export async function choose(
  session: StoreSession,
  folder: string,
  file: string,
): Promise<FiguresInBackup | null> {
  const calls = backupThreadCalls(folder)
  calls['chosen/state'](file)
  session.run('backup/check', undefined)
  return await calls['chosen/figures'](undefined)
}
