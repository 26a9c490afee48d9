import { packHead } from '../../src-main/figures/engine/packed-head.ts'
import { packRows, unpackRows } from '../../src-main/figures/engine/packed-rows.ts'
import type { Reader } from '../../src-main/lib/sqlite/database.ts'
import type { TableToKeep } from '../../src-main/figures/cache/tables-repository.ts'
import { day } from '../../src-shared/values/day.ts'
import type { Instant } from '../../src-shared/values/ids.ts'
import { owner } from './kept-texts.ts'

const pages = 12
const rowsOfPage = 1000

/** A day's table of many pages, in each of whose cells stands its number. */
export function generation(number: number): TableToKeep {
  const rows = Array.from({ length: rowsOfPage }, (_, row) => ({
    label: { kind: 'text' as const, text: `row ${row}` },
    cells: [number],
  }))
  return {
    owner,
    subject: 'direct/browsers?',
    range: { start: day('2026-11-01'), end: day('2026-11-01') },
    fetchedAt: number as Instant,
    whole: true,
    rows: pages * rowsOfPage,
    head: packHead({ headers: ['Browser', 'Requests'], all: null, total: { suspect: number }, doubt: null }),
    pages: Array.from({ length: pages }, () => packRows(rows, 1)),
  }
}

/** The numbers that stand in the cells of every kept page, table by table. */
export function numbersKept(
  from: Reader,
): { readonly pages: number; readonly numbers: ReadonlySet<number> }[] {
  return from.rows('SELECT id FROM kept_tables').map(({ id }) => {
    const kept = from.rows('SELECT rows FROM kept_pages WHERE kept_table = ? ORDER BY page', Number(id))
    const numbers = kept.flatMap(({ rows }) => {
      const unpacked = rows instanceof Uint8Array ? unpackRows(rows) : undefined
      return unpacked?.columns.flatMap((column) => [...column]) ?? [Number.NaN]
    })
    return { pages: kept.length, numbers: new Set(numbers) }
  })
}

export const pagesOfGeneration = pages
