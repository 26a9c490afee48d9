import * as v from 'valibot'
import type { DataScopeId } from '#shared/values/ids.ts'
import type { Reader, Writer } from '../sqlite/database.ts'

/** What the catalogue knows of the rows of an archive. What the text says is checked by who reads it (src-main/archives/entry.ts). */
export type CataloguedRows = { readonly id: string; readonly path: string; readonly entry: string }

const row = v.object({ id: v.string(), path: v.string(), entry: v.string() })

function rowsFiles(from: Reader, { owner }: { readonly owner: DataScopeId }): readonly CataloguedRows[] {
  return from
    .rows('SELECT id, path, entry FROM rows_files WHERE owner = ? ORDER BY id', owner)
    .flatMap((item) => {
      const read = v.safeParse(row, item)
      return read.success ? [read.output] : []
    })
}

/** Puts rows in the place of those that are known by the same id. */
function putRowsFile(
  into: Writer,
  { owner, id, path, entry }: CataloguedRows & { readonly owner: DataScopeId },
): null {
  into.write(
    'INSERT OR REPLACE INTO rows_files (owner, id, path, entry) VALUES (?, ?, ?, ?)',
    owner,
    id,
    path,
    entry,
  )
  return null
}

function removeRowsFile(
  into: Writer,
  { owner, id }: { readonly owner: DataScopeId; readonly id: string },
): null {
  into.write('DELETE FROM rows_files WHERE owner = ? AND id = ?', owner, id)
  return null
}

export const rowsFileOperations = {
  'rows-files/list': rowsFiles,
  'rows-files/put': putRowsFile,
  'rows-files/remove': removeRowsFile,
} as const
