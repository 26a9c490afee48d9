import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'

let made = 0

/** A kept table over these days, in a file of its own. */
export function storedTable(range: DayRange, fetchedAt = 100): StoredTable {
  const id = (made += 1).toString(16).padStart(16, '0')
  return {
    id: id as TableId,
    range,
    fetchedAt: fetchedAt as Instant,
    whole: true,
    rows: 1,
    bytes: 1,
    doubt: null,
    file: { path: `${id}.parquet` as HistoryPath, size: 1, checksum: '00000000', tables: 1 },
    head: '',
  }
}
