import type { StoreSession } from '../../src-main/store/store-session.ts'

/** Takes the tables of version 0.1.0 over as they are, a few at a time. */
export function takeOverTables(session: StoreSession): void {
  for (;;) {
    const tables = session.run('upgrade/tables', { most: 5 })
    if (tables.length === 0) return
    for (const table of tables) session.run('tables/keep', table)
    session.run('upgrade/done', { ids: tables.map(({ id }) => id) })
  }
}
