import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openHandle } from './database.ts'
import type { Handle } from './database.ts'
import { sizeOf } from './look.ts'
import { migrate } from './migrate.ts'
import type { Schema } from './migrate.ts'

/**
 * A copy of the file in memory, for where SQLite cannot write beside it: what was kept can be read still. An empty
 * one where the file cannot be read either.
 */
export function openCopyInMemory(file: string, schema: Schema): Handle {
  try {
    const copy = copyInMemory(file)
    if (copy !== null) return migrated(copy, schema)
  } catch {
    // Nothing of it can be used: begin empty.
  }
  return openEmptyInMemory(schema)
}

export function openEmptyInMemory(schema: Schema): Handle {
  return migrated(openHandle(':memory:'), schema)
}

/** A copy of a file as it is; null where there is none. @throws errors of SQLite and of the file system */
export function copyInMemory(file: string): Handle | null {
  if (!existsSync(file)) return null
  return openHandle(sizeOf(`${file}-wal`) > 0 ? withLog(file) : withoutLog(file))
}

function migrated(handle: Handle, schema: Schema): Handle {
  handle.pragma('foreign_keys = ON')
  migrate(handle, schema)
  return handle
}

/** Bytes 18 and 19 say that the file has a write-ahead log (2), which a database in memory cannot have (1). */
function withoutLog(file: string): Buffer {
  const bytes = readFileSync(file)
  return bytes.fill(1, 18, 20)
}

/**
 * The log can only be joined to its file by SQLite, on a disk: so on another one, for a moment. The bytes are read
 * from there, because SQLite's own way to give them out ends the process in Electron.
 */
function withLog(file: string): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-'))
  try {
    const copy = join(folder, 'copy.sqlite')
    copyFileSync(file, copy)
    copyFileSync(`${file}-wal`, `${copy}-wal`)
    const handle = openHandle(copy)
    try {
      handle.pragma('journal_mode = DELETE')
    } finally {
      handle.close()
    }
    return readFileSync(copy)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
