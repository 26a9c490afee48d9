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
import { currentVersion, migrationsUpTo } from '../sqlite/migrate.ts'
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
import { dataScopeNames, stateFile, stateSchema } from './schema.ts'
import { updatesKey } from './settings-repository.ts'

/**
 * Makes a restored backup safe, because later events are unknown to it. Waiting requests may have been sent, so they are put on
 * hold. Schedules count occurrences from now on, and what they waited for may have been made. The next list of raw reports
 * counts as the first.
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
    into.write('UPDATE schedules SET since = ?, entered_at = ?', now, now)
    into.write(
      `UPDATE schedule_runs SET state = ?, changed_at = ?, taken_at = min(taken_at, ?)
       WHERE NOT json_valid(state) OR state ->> 'kind' IN ('waiting', 'making')`,
      ...[JSON.stringify({ kind: 'missed' }), now, now],
    )
  })
}

/** Path of a chosen backup's copy, until the user confirms the restore. */
export const chosenFile = (folder: string) => join(folder, 'state.chosen.sqlite')
/** Path of a confirmed backup, which the next start opens. */
const nextFile = (folder: string) => join(folder, 'state.next.sqlite')

/** Path of a copy of the state, from which a backup is exported. */
export const leavingFile = (folder: string) => join(folder, 'state.leaving.sqlite')
export const dropLeaving = (folder: string): void => removeFile(leavingFile(folder))

/** Copies the open database into a file and flushes it. @throws DeskFailure; the file is then unusable */
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
 * Verifies the copy of a chosen backup (`chosenFile`) and makes it safe. The open state is unchanged; `agreeToBackup` confirms
 * the restore.
 * @throws DeskFailure if this version cannot open the file as a backup; the copy is then deleted
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

/** Returns the data scopes in a state file of this version, which must be verified or written by this app. */
export function dataScopesIn(file: string): ReadonlySet<DataScopeId> {
  const handle = openHandle(file)
  try {
    const ids = handle.prepare('SELECT id FROM data_scopes').pluck().all()
    return new Set(ids.map((id) => String(id) as DataScopeId))
  } finally {
    handle.close()
  }
}

/** Confirms the chosen backup for the next start. @throws DeskFailure if no backup is chosen any more */
export function agreeToBackup(folder: string): void {
  try {
    if (lookAt(chosenFile(folder)).kind === 'nothing') throw refusal('dropped')
    placeFile(chosenFile(folder), nextFile(folder))
  } catch (error) {
    throw storeFailure(error)
  }
}

export const dropBackup = (folder: string): void => removeFile(chosenFile(folder))

/** Whether the next start restores a backup. */
export const isAgreedTo = (folder: string): boolean => lookAt(nextFile(folder)).kind !== 'nothing'

/** Cancels a confirmed restore. */
export const disagree = (folder: string): void => removeFile(nextFile(folder))

/**
 * Copies this computer's update record into the confirmed backup. Otherwise an older backup would accept old feeds again, and a
 * foreign one could block all feeds. No file may be open.
 * @throws errors of SQLite if writing fails
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

/** Returns the stored text from a state of any version; null if unreadable. */
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
 * Replaces the state with the confirmed backup and sets the state aside. After a crash in between, the next start finds no
 * state and continues. No file may be open.
 * @returns null without a confirmed backup; otherwise the path of the previous state
 */
export function placeBackup(folder: string, now: number): { readonly movedTo: string | null } | null {
  if (!isAgreedTo(folder)) return null
  const movedTo = moveAway(stateFile(folder), now, 'replaced')
  placeFile(nextFile(folder), stateFile(folder))
  return { movedTo }
}

/** Undoes `placeBackup` if the backup does not open. */
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

/** Verifies an untrusted file: no SQL in it may run, and its schema must be one of this app. */
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
    // Ids become parts of folder names.
    const strange = handle
      .prepare(
        `SELECT 1 FROM (SELECT id FROM accounts UNION ALL SELECT id FROM ${dataScopeNames(handle).table})
         WHERE length(id) NOT BETWEEN 1 AND 64 OR id GLOB '*[^0-9A-Za-z-]*' LIMIT 1`,
      )
      .get()
    if (strange) throw refusal('noBackup')
  } finally {
    handle.close()
  }
}

/**
 * Returns the schema of a file as text. Includes SQLite's internal objects: a trigger written into the schema under an internal
 * name would run.
 */
const formOf = (handle: Handle): string =>
  JSON.stringify(
    handle.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name').raw().all(),
  )

function formOfVersion(version: number): string {
  const migrations = migrationsUpTo(stateSchema, version)
  const handle = openEmptyInMemory({ ...stateSchema, migrations })
  try {
    return formOf(handle)
  } finally {
    handle.close()
  }
}

/**
 * Removes data about the original computer: folders, files and update record. A malicious backup could otherwise name a file to
 * open or overwrite.
 */
function leaveComputer(into: Writer): void {
  into.together(() => {
    into.write('DELETE FROM downloads')
    into.write('DELETE FROM removals')
    // Nobody chose their folder here.
    into.write('UPDATE schedules SET folder = NULL, paused = 1')
    into.write("UPDATE schedule_runs SET files = '[]'")
    into.write(
      `DELETE FROM settings WHERE key IN ('downloadFolder', 'startAtLogin', ?) OR key GLOB 'publishing:*'`,
      updatesKey,
    )
  })
}

/** Names of the accounts in a backup. */
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

/** Creates the failure for a backup that is not restored or created. */
export const refusal = (why: keyof typeof refusals) =>
  new DeskFailure({ kind: 'invalid', message: refusals[why] })
