import type { HistoryPath, TableId } from '#main/database/cache/stored-table.ts'
import type { StoreSession } from '#main/database/store-session.ts'

/** Catalogues the tables of version 0.1.0 a few at a time, without their rows. */
export function takeOverTables(session: StoreSession): void {
  for (;;) {
    const tables = session.run('upgrade/tables', { max: 5 })
    if (tables.length === 0) return
    for (const { id, rows, ...table } of tables) {
      const name = id.toString(16).padStart(16, '0')
      const path = `account=${table.owner}/report=any/month=2026-01/${name}-00000000.parquet` as HistoryPath
      const about = { rows: rows?.flat().length ?? 0, whole: rows !== null, doubt: null, head: '' }
      session.run('tables/keep', {
        file: { path, size: 1, checksum: '00000000', tables: 1 },
        tables: [{ ...table, ...about, id: name as TableId }],
      })
    }
    session.run('upgrade/done', { ids: tables.map(({ id }) => id) })
  }
}
