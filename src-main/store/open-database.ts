import { mkdirSync } from 'node:fs'
import { openHandle, writerOver } from './database.ts'
import type { Handle, Writer } from './database.ts'
import { carryOver, deskFile, nameOf, nothingLeft, readWhatIsLeft, setAside } from './damaged-file.ts'
import type { Carried } from './damaged-file.ts'
import { lookAt } from './look.ts'
import { openCopyInMemory, openEmptyInMemory } from './memory-copy.ts'
import { currentVersion, migrate } from './migrate.ts'
import type { Opening, Rebuilt } from './opening.ts'
import { DamagedFile, storeFailure, troubleOf } from './trouble.ts'

export type OpenDatabase = {
  readonly database: Writer
  readonly opening: Opening
  readonly close: () => void
}

/**
 * Opens the file of a profile folder, whatever lies there: begins it, migrates it, refuses it unharmed where it is
 * newer, sets it aside where it is damaged, and falls back to memory where the disk refuses. Throws only on a
 * mistake of ours.
 */
export function openDatabase(folder: string): OpenDatabase {
  const file = deskFile(folder)
  try {
    mkdirSync(folder, { recursive: true })
    const look = lookAt(file)
    if (look.found === 'database' && look.version > currentVersion) {
      const newer: Opening = { state: 'newer', version: look.version, known: currentVersion }
      return opened(openEmptyInMemory(), newer)
    }
    if (look.found === 'no-database') throw new DamagedFile('Not a database')
    return opened(openFile(file), { state: 'ready', rebuilt: null })
  } catch (error) {
    if (troubleOf(error) !== 'damaged') return openUnkept(file, error)
    return openAnew(folder)
  }
}

/** Sets the file aside, begins a new one and carries over what could be read. The file must not be open. */
export function openAnew(folder: string): OpenDatabase {
  const file = deskFile(folder)
  let left: Carried = nothingLeft
  try {
    const damaged = setAside(file, new Date())
    left = readWhatIsLeft(damaged)
    const handle = openFile(file)
    const rebuilt: Rebuilt = { setAside: nameOf(damaged), accounts: left.accounts.length }
    return withCarried(opened(handle, { state: 'ready', rebuilt }), left)
  } catch (error) {
    return withCarried(openUnkept(file, error), left)
  }
}

function withCarried(open: OpenDatabase, left: Carried): OpenDatabase {
  carryOver(open.database, left)
  return open
}

function openUnkept(file: string, error: unknown): OpenDatabase {
  if (troubleOf(error) !== 'disk') throw error
  return opened(openCopyInMemory(file), { state: 'unkept', failure: storeFailure(error).failure })
}

function opened(handle: Handle, opening: Opening): OpenDatabase {
  return { database: writerOver(handle), opening, close: () => handle.close() }
}

/** Opens a file for reading and writing, in its current form. @throws errors of SQLite */
export function openFile(file: string): Handle {
  const handle = openHandle(file)
  try {
    handle.pragma('journal_mode = WAL')
    handle.pragma('synchronous = NORMAL')
    handle.pragma('foreign_keys = ON')
    // What is deleted is gone from the file as well: a removed client's figures are nobody's to find.
    handle.pragma('secure_delete = ON')
    // A file that may only be read opens without a word, and says so here.
    handle.exec('BEGIN IMMEDIATE; ROLLBACK')
    migrate(handle)
    return handle
  } catch (error) {
    handle.close()
    throw error
  }
}

/** Looks through a whole file, for as long as that takes. False where it is damaged. */
export function isSound(folder: string): boolean {
  try {
    const handle = openHandle(deskFile(folder), { readonly: true })
    try {
      return handle.pragma('quick_check(1)', { simple: true }) === 'ok'
    } finally {
      handle.close()
    }
  } catch (error) {
    return troubleOf(error) !== 'damaged'
  }
}
