import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { DeskFailure } from '#shared/api/failure.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import {
  openHandle,
  writerOver,
  withBusyRetry,
  DamagedFile,
  storeFailure,
  troubleOf,
} from '../sqlite/database.ts'
import type { Writer, Handle } from '../sqlite/database.ts'
import { currentVersion } from '../sqlite/migrate.ts'
import {
  lookAt,
  openEmptyInMemory,
  companions,
  isSound,
  storeForOwner,
  openOnDisk,
  removeFile,
  placeFile,
  moveAway,
  syncFile,
} from '../sqlite/open-file.ts'
import { stateFile, stateSchema } from './schema.ts'
import { updatesKey } from './settings-repository.ts'

/**
 * Makes a backup safe to go on with, for it does not know what happened since. A request that waited may have been sent,
 * so it is for the person to send it; turns of schedules count from now on; and the next list of raw reports is taken as
 * the first of its kind.
 */
export function afterRestore(into: Writer, now: number): void {
  into.together(() => {
    into.write(
      `UPDATE raw_requests SET state = ?, sent_at = coalesce(sent_at, made_at)
       WHERE report IS NULL AND coalesce(CASE WHEN json_valid(state) THEN state ->> 'kind' END, '') <> 'refused'`,
      JSON.stringify({ kind: 'unclear', since: now }),
    )
    into.write('UPDATE raw_schedules SET made_at = ?', now)
    into.write('UPDATE raw_lists SET anew = 1')
  })
}

/** The copy of a backup that was chosen, until the person agrees to go on with it. */
export const chosenFile = (folder: string) => join(folder, 'state.chosen.sqlite')
/** One that the next start opens in place of the state. */
const nextFile = (folder: string) => join(folder, 'state.next.sqlite')

/** A copy of the state that is to leave the profile folder as a backup. */
export const leavingFile = (folder: string) => join(folder, 'state.leaving.sqlite')
export const dropLeaving = (folder: string): void => removeFile(leavingFile(folder))

/** Copies what is open into a file of its own, whole and synced. @throws DeskFailure; then the file is not to be used */
export function writeBackup(handle: Handle, file: string): void {
  try {
    removeFile(file)
    handle.prepare('VACUUM INTO ?').run(file)
    if (!isSound(file)) throw new DamagedFile('The copy is not sound')
    storeForOwner(file)
    syncFile(file)
  } catch (error) {
    throw storeFailure(error)
  }
}

/**
 * Checks the copy of a file that somebody says is a backup (`chosenFile`), and makes it safe to go on with. Nothing of the open
 * state is touched; `agreeToBackup` has the next start open it.
 * @throws DeskFailure in words where it is none that this version can open; then the copy is gone
 */
export function checkBackup(folder: string, now: number): StateFacts {
  const chosen = chosenFile(folder)
  try {
    checkCopy(chosen)
    const handle = openOnDisk({ file: chosen, schema: stateSchema })
    try {
      leaveComputer(writerOver(handle))
      afterRestore(writerOver(handle), now)
      return factsOf(handle)
    } finally {
      handle.close()
    }
  } catch (error) {
    removeFile(chosen)
    if (error instanceof DeskFailure) throw error
    throw troubleOf(error) === 'damaged' ? refusal('damaged') : storeFailure(error)
  }
}

/** Whose figures a state in a file of its own may speak of. The file is one that was checked, or that this app wrote. */
export function ownersIn(file: string): ReadonlySet<DataScopeId> {
  const handle = openHandle(file)
  try {
    const owners = handle.prepare('SELECT id FROM owners').pluck().all()
    return new Set(owners.map((id) => String(id) as DataScopeId))
  } finally {
    handle.close()
  }
}

/** Lets the next start open what was chosen. @throws DeskFailure where nothing was, or it was dropped since */
export function agreeToBackup(folder: string): void {
  try {
    if (lookAt(chosenFile(folder)).kind === 'nothing') throw refusal('dropped')
    placeFile(chosenFile(folder), nextFile(folder))
  } catch (error) {
    throw storeFailure(error)
  }
}

export const dropBackup = (folder: string): void => removeFile(chosenFile(folder))

/** Whether the next start opens a backup in place of the state. */
export const isAgreedTo = (folder: string): boolean => lookAt(nextFile(folder)).kind !== 'nothing'

/** Gives up what was agreed to. */
export const disagree = (folder: string): void => removeFile(nextFile(folder))

/**
 * What this computer knows of updates goes on with what was agreed to: else an older backup would take back which feeds are too
 * old, and a stranger's would have every feed refused. No file must be open.
 * @throws errors of SQLite where it cannot be written
 */
export function carryOver(folder: string): void {
  const own = updatesIn(stateFile(folder))
  if (own === null) return
  withBusyRetry(() => {
    const handle = openHandle(nextFile(folder))
    try {
      handle.prepare('INSERT OR REPLACE INTO settings (key, value) VALUES (?, ?)').run(updatesKey, own)
    } finally {
      handle.close()
    }
  })
}

/** As it was written, of any version; null where there is nothing that can be read. */
function updatesIn(file: string): string | null {
  try {
    if (lookAt(file).kind !== 'database') return null
    const handle = openHandle(file)
    try {
      const value = handle.prepare('SELECT value FROM settings WHERE key = ?').pluck().get(updatesKey)
      return typeof value === 'string' ? value : null
    } finally {
      handle.close()
    }
  } catch {
    return null
  }
}

/**
 * Puts the backup that was agreed to in place of the state, which is set aside. A crash between the two is made good by the next
 * start, which finds no state then. No file must be open.
 * @returns null where none was agreed to; else where the state lies now
 */
export function placeBackup(folder: string, now: number): { readonly movedTo: string | null } | null {
  if (!isAgreedTo(folder)) return null
  const movedTo = moveAway(stateFile(folder), now, 'replaced')
  placeFile(nextFile(folder), stateFile(folder))
  return { movedTo }
}

/** Undoes `placeBackup`, where what was placed does not open. */
export function takeBack(folder: string, movedTo: string | null): void {
  removeFile(stateFile(folder))
  if (movedTo === null) return
  for (const companion of [...companions].reverse())
    try {
      renameSync(movedTo + companion, stateFile(folder) + companion)
    } catch (error) {
      if (companion === '') throw error
    }
}

/** A file of anybody's: nothing in it may run, and nothing may be there that no version of ours makes. */
function checkCopy(file: string): void {
  const look = lookAt(file)
  if (look.kind !== 'database' || look.version < stateSchema.base.version) throw refusal('noBackup')
  if (look.version > currentVersion(stateSchema)) throw refusal('newer')
  const handle = openHandle(file, { readonly: true })
  try {
    handle.pragma('trusted_schema = OFF')
    handle.pragma('cell_size_check = ON')
    if (formOf(handle) !== formOfVersion(look.version)) throw refusal('noBackup')
    const sound = handle.pragma('integrity_check(1)', { simple: true }) === 'ok'
    if (!sound || (handle.pragma('foreign_key_check') as unknown[]).length > 0) throw refusal('damaged')
    // They are part of folders' names.
    const strange = handle
      .prepare(
        `SELECT 1 FROM (SELECT id FROM accounts UNION ALL SELECT id FROM owners)
         WHERE length(id) NOT BETWEEN 1 AND 64 OR id GLOB '*[^0-9A-Za-z-]*' LIMIT 1`,
      )
      .get()
    if (strange) throw refusal('noBackup')
  } finally {
    handle.close()
  }
}

/**
 * Every table, index, trigger and view of a file, as text. Those that SQLite makes by itself too: only statements may not take their
 * names, and a trigger that was written into the schema under one of them would run.
 */
const formOf = (handle: Handle): string =>
  JSON.stringify(
    handle.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').raw().all(),
  )

function formOfVersion(version: number): string {
  const migrations = stateSchema.migrations.slice(0, version - stateSchema.base.version)
  const handle = openEmptyInMemory({ ...stateSchema, migrations })
  try {
    return formOf(handle)
  } finally {
    handle.close()
  }
}

/**
 * Takes out what is about the computer that the backup was made on: folders, and files in them, and what it knew of updates. Written
 * by somebody else it would name a file to open, or to write over.
 */
function leaveComputer(into: Writer): void {
  into.together(() => {
    into.write('DELETE FROM downloads')
    into.write('DELETE FROM removals')
    into.write(
      `DELETE FROM settings WHERE key IN ('downloadFolder', 'startAtLogin', ?) OR key GLOB 'publishing:*'`,
      updatesKey,
    )
  })
}

/** The names of the accounts in a backup. */
type StateFacts = { readonly accounts: readonly string[] }

const factsOf = (handle: Handle): StateFacts => {
  const accounts = handle.prepare('SELECT name FROM accounts ORDER BY rowid').pluck().all()
  return { accounts: accounts.map(String) }
}

const refusals = {
  noBackup: 'This file is no backup of Traffic Desk.',
  newer: 'This backup was made by a newer version of Traffic Desk. Install that version, then restore it.',
  older:
    'This backup is of an older kind, whose saved figures this version cannot read. Make a new one where it was made.',
  damaged: 'This backup is damaged. Choose another one.',
  dropped: 'This backup was let go meanwhile. Choose it again.',
  unopened: 'The saved data could not be opened, so it cannot be backed up.',
} as const

/** What a person reads where a file is not restored, or none is made. */
export const refusal = (why: keyof typeof refusals) =>
  new DeskFailure({ kind: 'invalid', message: refusals[why] })
