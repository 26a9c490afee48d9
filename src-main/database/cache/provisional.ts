import * as v from 'valibot'
import type { Discarded, ScopeCheck } from '#shared/reports/provisional.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant } from '#shared/values/schemas.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'
import { dropUnused, storeTables, tableColumns, tableFrom } from './catalogue-repository.ts'
import type { TableToStore } from './catalogue-repository.ts'
import { isHistoryPath } from './stored-table.ts'
import type { HistoryFile, HistoryPath } from './stored-table.ts'

const placeRow = v.object({ owner: branded<DataScopeId>(), subject: v.string() })

function waitingFrom(row: Row): readonly { readonly table: TableToStore; readonly file: HistoryFile }[] {
  const place = v.safeParse(placeRow, row)
  const found = tableFrom(row)
  if (!place.success || !found) return []
  return [{ table: { ...place.output, ...found }, file: found.file }]
}

/**
 * Keeps for good what an owner's check confirms: all that had come when it began, and whatever an earlier run of the app left.
 * Each table takes the place of the older one of its days now.
 * @returns files that hold nothing any more
 */
export function confirmProvisional(
  into: Writer,
  owner: DataScopeId,
  { session, number }: ScopeCheck,
  now: number,
): readonly HistoryPath[] {
  const older = 'owner = ? AND (session <> ? OR checks < ?)'
  const bound = [owner, session, number] as const
  return into.together(() => {
    into.write(`DELETE FROM provisional_answers WHERE ${older}`, ...bound)
    const waiting = into
      .rows(
        `SELECT ${tableColumns}, provisional_tables.owner AS owner, subject FROM provisional_tables
         JOIN history_files ON path = file WHERE provisional_tables.${older}`,
        ...bound,
      )
      .flatMap(waitingFrom)
    if (waiting.length === 0) return []
    into.write(`DELETE FROM provisional_tables WHERE ${older}`, ...bound)
    return waiting.flatMap(({ table, file }) => storeTables(into, { file, tables: [table] }, now).unused)
  })
}

const discardedRow = v.object({ subject: v.string(), start: day, end: day, fetchedAt: instant })

/** The files of what waits for a check of its owner's instances. */
export function provisionalFiles(from: Reader, owner: DataScopeId): readonly HistoryPath[] {
  return from
    .rows('SELECT file FROM provisional_tables WHERE owner = ?', owner)
    .flatMap(({ file }) => (typeof file === 'string' && isHistoryPath(file) ? file : []))
}

/** Lets go what waits for a check of its owner's instances: they were found to be others. */
export function dropProvisional(from: Writer, owner: DataScopeId): readonly Discarded[] {
  return from.together(() => {
    const rows = from.rows(
      `SELECT subject, first_day AS start, last_day AS "end", fetched_at AS fetchedAt
       FROM provisional_tables WHERE owner = ?`,
      owner,
    )
    from.write(
      `DELETE FROM answers WHERE owner = ?
         AND key IN (SELECT key FROM provisional_answers WHERE provisional_answers.owner = answers.owner)`,
      owner,
    )
    from.write('DELETE FROM provisional_answers WHERE owner = ?', owner)
    from.write('DELETE FROM provisional_tables WHERE owner = ?', owner)
    dropUnused(from)
    return rows.flatMap((row) => {
      const read = v.safeParse(discardedRow, row)
      return read.success ? read.output : []
    })
  })
}
