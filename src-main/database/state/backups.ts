import { copyFileSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Handle } from '../sqlite/database.ts'
import { lookAt } from '../sqlite/look.ts'
import { isReadable } from '../sqlite/migrate.ts'
import { isSound, removeFile } from '../sqlite/open-file.ts'
import { momentFromName, momentInName, placeFile } from '../sqlite/place-file.ts'
import { DamagedFile } from '../sqlite/trouble.ts'
import type { Removed } from './account-removal.ts'
import { draftIn, forgetInCopy } from './forget-in-copy.ts'
import { stateSchema } from './schema.ts'

/** A whole copy of state.sqlite, and when it was made. */
export type Backup = { readonly path: string; readonly madeAt: number }

/** How many are kept. */
const max = 3

/** The backups of a profile folder, the newest first. */
export function backupsIn(folder: string): readonly Backup[] {
  return namesIn(backupFolder(folder))
    .flatMap((name) => {
      const madeAt = /^state-.*\.sqlite$/.test(name) ? momentFromName(name) : undefined
      return madeAt === undefined ? [] : [{ path: join(backupFolder(folder), name), madeAt }]
    })
    .sort((a, b) => b.madeAt - a.madeAt)
}

/** The newest backup that can be used; null where there is none. */
export const newestSound = (folder: string): Backup | null =>
  backupsIn(folder).find(({ path }) => isUsable(path)) ?? null

/**
 * Copies what is open into a new backup, which has its name only once it is whole, and lets the oldest go.
 * @param unlessSame makes none where the newest one holds the same
 * @throws errors of SQLite and of the file system; then all backups are as they were
 */
export function makeBackup(handle: Handle, folder: string, now: number, unlessSame = false): void {
  const draft = draftIn(backupFolder(folder))
  mkdirSync(backupFolder(folder), { recursive: true })
  removeFile(draft)
  try {
    handle.prepare('VACUUM INTO ?').run(draft)
    if (!isSound(draft)) throw new DamagedFile('The copy is not sound')
    const [newest] = backupsIn(folder)
    if (unlessSame && newest && isSame(draft, newest.path)) return renameAs(folder, newest, now)
    placeFile(draft, pathOf(folder, now))
  } finally {
    removeFile(draft)
  }
  for (const { path } of backupsIn(folder).slice(max)) rmSync(path, { force: true })
}

/** Forgets in every backup what was removed; one that cannot be looked through goes. @throws as `forgetInCopy` */
export function forgetInBackups(folder: string, removed: Removed): void {
  removeFile(draftIn(backupFolder(folder)))
  for (const { path } of backupsIn(folder)) if (forgetInCopy(path, removed) === null) removeFile(path)
}

/** Copies a backup to a path. */
export const copyBackup = ({ path }: Backup, to: string): void => copyFileSync(path, to)

const backupFolder = (folder: string) => join(folder, 'backups')
const pathOf = (folder: string, now: number) =>
  join(backupFolder(folder), `state-${momentInName(now)}.sqlite`)

/** What it holds was so until now: its name says that. */
const renameAs = (folder: string, { path }: Backup, now: number) => renameSync(path, pathOf(folder, now))

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function isUsable(path: string): boolean {
  try {
    const look = lookAt(path)
    return look.kind === 'database' && isReadable(stateSchema, look.version) && isSound(path)
  } catch {
    return false
  }
}

/** Two counters in the header (SQLite's file format, section 1.3) say how often a file was written, not what it holds. */
function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((path) => readFileSync(path).fill(0, 24, 28).fill(0, 92, 100))
  return a !== undefined && b !== undefined && a.equals(b)
}
