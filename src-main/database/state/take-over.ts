import { join } from 'node:path'
import { openHandle, writerOver } from '../sqlite/database.ts'
import type { Handle, Writer } from '../sqlite/database.ts'
import { lookAt } from '../sqlite/look.ts'
import { copyInMemory, openEmptyInMemory } from '../sqlite/memory-copy.ts'
import { emptyLog, openOnDisk } from '../sqlite/open-file.ts'
import { codeOf, DamagedFile } from '../sqlite/trouble.ts'
import { makeState } from './make-state.ts'
import { stateSchema, statesByKind } from './schema.ts'

/** The one file in which version 0.1.0 kept everything. */
export const oldFile = (folder: string): string => join(folder, 'desk.sqlite')

/** The form of that file. No other was released. */
const oldVersion = 8

/** What of version 0.1.0 lies in a profile folder. */
export type Old =
  { readonly kind: 'nothing' | 'usable' } | { readonly kind: 'other'; readonly version: number }

/** @throws DamagedFile; errors of the file system */
export function lookForOld(folder: string): Old {
  const look = lookAt(oldFile(folder))
  switch (look.kind) {
    case 'nothing':
      return { kind: 'nothing' }
    case 'no-database':
      throw new DamagedFile('Not a database')
    case 'database':
      return look.version === oldVersion ? { kind: 'usable' } : { kind: 'other', version: look.version }
  }
}

/**
 * Makes state.sqlite from the file of version 0.1.0, which stays as it is. The new file has its name once it is whole: where
 * this is broken off, it is done again.
 * @throws an error that `troubleOf` calls damaged, about the old file; errors of SQLite and of the file system
 */
export function takeOver(folder: string): void {
  makeState(folder, (draft) => {
    const into = openOnDisk({ file: draft, schema: stateSchema })
    try {
      const from = openHandle(oldFile(folder), { readonly: true })
      try {
        copyAll(from, into)
      } finally {
        from.close()
      }
      emptyLog(into)
    } finally {
      into.close()
    }
  })
}

/** The same in memory, where nothing can be written. Empty where the old file cannot be read. */
export function takeOverInMemory(folder: string): Handle {
  const into = openEmptyInMemory(stateSchema)
  try {
    const from = copyInMemory(oldFile(folder))
    if (from === null) return into
    try {
      copyAll(from, into)
    } finally {
      from.close()
    }
  } catch {
    // It can be read once the disk can be written to.
  }
  return into
}

/** What version 0.1.0 had not. */
const newTables: ReadonlySet<string> = new Set([
  'removals',
  'owners',
  'restatements',
  'recounts',
  'block_lists',
  'cases',
])

/** Tables in the order of what they refer to; each has the columns that it had. */
function copyAll(from: Handle, into: Handle): void {
  const [source, target] = [writerOver(from), writerOver(into)]
  try {
    target.together(() => {
      for (const table of stateSchema.tables)
        if (!newTables.has(table)) copyTable(from, source, target, table)
      into.exec(statesByKind)
      target.write('INSERT INTO owners (id, account, since) SELECT id, id, 0 FROM accounts')
    })
  } catch (error) {
    const isTheirs = /^SQLITE_(?:ERROR$|CONSTRAINT)/.test(codeOf(error))
    throw isTheirs ? new DamagedFile('Not as version 0.1.0 left it', { cause: error }) : error
  }
}

function copyTable(from: Handle, source: Writer, target: Writer, table: string): void {
  if (from.pragma(`quick_check('${table}')`, { simple: true }) !== 'ok') throw new DamagedFile(table)
  const columns = source.rows('SELECT name FROM pragma_table_info(?)', table).map(({ name }) => String(name))
  if (columns.length === 0) throw new DamagedFile(`No table ${table}`)
  const insert = `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`
  for (const row of source.each(`SELECT * FROM ${table} ORDER BY rowid`)) {
    target.write(insert, ...columns.map((column) => bindable(row[column])))
  }
}

const bindable = (value: unknown) =>
  typeof value === 'string' || typeof value === 'number' || value instanceof Uint8Array ? value : null
