import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect } from 'vitest'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { historyFolder } from '#main/analytics/history-layout.ts'
import { packBackup } from '#main/backup/pack.ts'
import { unpackBackup } from '#main/backup/unpack.ts'
import type { StoreSession } from '#main/database/store-session.ts'
import type { FiguresInBackup } from '#shared/app/storage.ts'
import { account, firstId, secondId, sessionFor, temporaryFolder } from '../database/helpers.ts'

/** A path of the history whose name fits these bytes. */
export function pathFor(bytes: string, dataScope: string, { month = '2026-10', id = '0' } = {}): HistoryPath {
  const checksum = crc32(bytes).toString(16).padStart(8, '0')
  return `account=${dataScope}/report=script-browsers/month=${month}/${id.padStart(16, '0')}-${checksum}.parquet` as HistoryPath
}

/** Puts a file into the history of a profile. */
export function putFigures(folder: string, bytes: string, dataScope: string, place = {}): HistoryPath {
  const path = pathFor(bytes, dataScope, place)
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

/** Writes a backup of a profile into a file that is not there, without the thread. @returns how many files were left out */
export async function backUp(session: StoreSession, folder: string, file: string): Promise<number> {
  session.run('backup/write', undefined)
  writeFileSync(file, '')
  const leftOut = await packBackup({ profile: folder, to: file, figures: true, app: '1.2.3' })
  session.run('backup/clear', undefined)
  return leftOut
}

/** Reads a backup in, without the thread. @throws as its parts do */
export async function choose(folder: string, file: string): Promise<FiguresInBackup | null> {
  const { figures } = await unpackBackup({ source: file, profile: folder, now: Date.now() })
  return figures
}

const now = () => Date.parse('2026-11-16T08:30:00.250Z')

/** A backup of one account with two files of figures, and what they hold. */
export async function madeBackup() {
  const folder = temporaryFolder()
  const session = sessionFor(folder, { now })
  session.run('accounts/put', account({ name: 'Moved' }))
  putFigures(folder, 'October', firstId)
  putFigures(folder, 'May', firstId, { month: '2026-05' })
  const file = join(folder, 'made.zip')
  expect(await backUp(session, folder, file)).toBe(0)
  session.close()
  return { folder, file, figures: filesIn(historyFolder(folder)) }
}

/** A profile with an account and figures of its own. */
export function otherProfile() {
  const folder = temporaryFolder()
  const session = sessionFor(folder, { now })
  session.run('accounts/put', account({ id: secondId, name: 'Before' }))
  putFigures(folder, 'Mine', secondId)
  return { folder, session, figures: filesIn(historyFolder(folder)) }
}

/** What is left in a profile folder of a backup that was chosen. */
export const leftIn = (folder: string) => readdirSync(folder).filter((name) => /chosen|next/.test(name))
