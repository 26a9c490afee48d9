import { describe, expect, it } from 'vitest'
import { keepAnswer } from '../../../../src-main/figures/cache/answers-repository.ts'
import type { Writer } from '../../../../src-main/lib/sqlite/database.ts'
import { writerOver } from '../../../../src-main/lib/sqlite/database.ts'
import { cacheSchema } from '../../../../src-main/figures/cache/cache-schema.ts'
import { openEmptyInMemory } from '../../../../src-main/lib/sqlite/memory-copy.ts'
import { forgetTables, keepTable, listTables } from '../../../../src-main/figures/cache/tables-repository.ts'
import type { BlockId, TableToKeep } from '../../../../src-main/figures/cache/tables-repository.ts'
import { keptSizes, letOldestGo } from '../../../../src-main/figures/cache/tables-sizes.ts'
import { day } from '../../../../src-shared/values/day.ts'
import type { Instant } from '../../../../src-shared/values/ids.ts'
import { answer, firstOwner, openCacheFor, secondOwner, temporaryFolder } from '../../store/helpers.ts'

const subject = 'direct/browsers?'
const place = { owner: firstOwner, subject }
const later = 9_000

const emptyCache = (): Writer => openCacheFor(temporaryFolder()).database

function table(date: number, changes: Partial<TableToKeep> = {}): TableToKeep {
  const on = day(`2026-11-${String(date).padStart(2, '0')}`)
  return {
    ...place,
    range: { start: on, end: on },
    fetchedAt: 1_000 as Instant,
    whole: true,
    rows: 3,
    head: '{"é":1}',
    pages: [Uint8Array.of(1, 2, 3), new Uint8Array(0)],
    ...changes,
  }
}

/** The pages of every kept table, by its first day. */
const pagesIn = (from: Writer) =>
  from
    .rows(
      `SELECT first_day, page, hex(kept_pages.rows) AS rows FROM kept_pages JOIN kept_tables ON id = kept_table
       ORDER BY first_day, page`,
    )
    .map((row) => Object.values(row).join(' '))

const idsOf = (from: Writer) => listTables(from, place).map(({ id }) => id)

describe('a kept table', () => {
  it('is listed with what it is about, and its pages lie in their order', () => {
    const database = emptyCache()
    const id = keepTable(
      database,
      table(2, { range: { start: day('2026-11-02'), end: day('2026-11-05') } }),
      later,
    )
    const other = keepTable(database, table(1, { whole: false, rows: 0, pages: [] }), later)
    expect(listTables(database, place)).toEqual([
      {
        id: other,
        range: { start: '2026-11-01', end: '2026-11-01' },
        fetchedAt: 1_000,
        whole: false,
        rows: 0,
        bytes: 8,
      },
      {
        id,
        range: { start: '2026-11-02', end: '2026-11-05' },
        fetchedAt: 1_000,
        whole: true,
        rows: 3,
        bytes: 11,
      },
    ])
    expect(pagesIn(database)).toEqual(['2026-11-02 0 010203', '2026-11-02 1 '])
    expect(listTables(database, { ...place, subject: 'direct/networks?' })).toEqual([])
    expect(listTables(database, { ...place, owner: secondOwner })).toEqual([])
  })

  it('takes the place of the older generation of the same days whole, under another id', () => {
    const database = emptyCache()
    const older = keepTable(database, table(1), later)
    keepTable(database, table(2), later)
    const newer = keepTable(
      database,
      table(1, { fetchedAt: 2_000 as Instant, pages: [Uint8Array.of(9)] }),
      later,
    )
    expect(newer).not.toBe(older)
    expect(idsOf(database)[0]).toBe(newer)
    expect(pagesIn(database)).toEqual(['2026-11-01 0 09', '2026-11-02 0 010203', '2026-11-02 1 '])
  })

  it('gives way to no older one, but to one at hand where it claims to come from later', () => {
    const database = emptyCache()
    const newer = keepTable(database, table(1, { fetchedAt: 5_000 as Instant }), later)
    expect(keepTable(database, table(1), later)).toBeNull()
    expect(idsOf(database)).toEqual([newer])
    const now = keepTable(database, table(1), 2_000)
    expect(idsOf(database)).toEqual([now])
  })

  it('of totals alone stands beside a whole one, and is replaced together with it', () => {
    const database = emptyCache()
    const totals = { whole: false, rows: 0, pages: [] }
    const whole = keepTable(database, table(1), later)
    const alone = keepTable(database, table(1, { ...totals, fetchedAt: 2_000 as Instant }), later)
    expect(idsOf(database)).toEqual([alone, whole])
    const newer = keepTable(database, table(1, { fetchedAt: 3_000 as Instant }), later)
    expect(idsOf(database)).toEqual([newer])
  })

  it('that breaks off leaves the older one as it was', () => {
    const database = emptyCache()
    const older = keepTable(database, table(1), later)
    const torn = [Uint8Array.of(7), null as unknown as Uint8Array]
    const writing = () => keepTable(database, table(1, { fetchedAt: 2_000 as Instant, pages: torn }), later)
    expect(writing).toThrow()
    expect(idsOf(database)).toEqual([older])
    expect(pagesIn(database)).toEqual(['2026-11-01 0 010203', '2026-11-01 1 '])
  })

  it('goes when it is forgotten, and its pages with it', () => {
    const database = emptyCache()
    const [one, two] = [1, 2].map((date) => keepTable(database, table(date), later) as BlockId)
    keepTable(database, table(3, { owner: secondOwner }), later)
    forgetTables(database, [one ?? (0 as BlockId), 4 as BlockId])
    expect(idsOf(database)).toEqual([two])
    expect(pagesIn(database).map((page) => page.slice(0, 10))).toEqual([
      ...['2026-11-02', '2026-11-02', '2026-11-03', '2026-11-03'],
    ])
  })

  it('is not kept in memory, where the thread that computes does not see it', () => {
    const handle = openEmptyInMemory(cacheSchema)
    const database = writerOver(handle)
    expect(keepTable(database, table(1), later)).toBeNull()
    database.write(
      `INSERT INTO kept_tables VALUES (1, ?, ?, '2026-11-01', '2026-11-01', 1, 1, 0, 0, '')`,
      firstOwner,
      subject,
    )
    expect(listTables(database, place)).toEqual([])
    handle.close()
  })

  it('whose row makes no sense is passed over', () => {
    const database = emptyCache()
    const id = keepTable(database, table(1), later)
    const strange = [
      `2, '2026-11-31', '2026-12-01', 1, 1`,
      `3, '2026-11-05', '2026-11-04', 1, 1`,
      `4, '2026-11-05', '2026-11-06', 7, 1`,
      `5, '2026-11-07', '2026-11-08', 1, -1`,
    ]
    for (const each of strange)
      database.write(
        `INSERT INTO kept_tables (id, first_day, last_day, whole, rows, fetched_at, bytes, head, owner, subject)
         VALUES (${each}, 1, 1, '', ?, ?)`,
        firstOwner,
        subject,
      )
    expect(idsOf(database)).toEqual([id])
  })
})

describe('what kept figures take', () => {
  it('is the bytes of tables and answers, and the days of tables, over all owners', () => {
    const database = emptyCache()
    expect(keptSizes(database)).toEqual({ tables: 0, answers: 0, days: 0 })
    keepTable(database, table(1), later)
    keepTable(database, table(2, { range: { start: day('2026-10-25'), end: day('2026-11-03') } }), later)
    keepTable(database, table(1, { owner: secondOwner }), later)
    keepAnswer(database, answer({ text: 'é123' }), later)
    expect(keptSizes(database)).toEqual({ tables: 33, answers: 5, days: 12 })
  })

  it('shrinks by the oldest tables, and no more than it must', () => {
    const database = emptyCache()
    for (const [date, fetchedAt] of [
      [1, 3_000],
      [2, 1_000],
      [3, 2_000],
    ] as const)
      keepTable(database, table(date, { fetchedAt: fetchedAt as Instant }), later)
    expect(letOldestGo(database, { bytes: 33, spare: [] })).toBe(0)
    expect(letOldestGo(database, { bytes: 22, spare: [] })).toBe(1)
    expect(listTables(database, place).map(({ range }) => range.start)).toEqual(['2026-11-01', '2026-11-03'])
    expect(letOldestGo(database, { bytes: 12, spare: [] })).toBe(1)
    expect(listTables(database, place).map(({ range }) => range.start)).toEqual(['2026-11-01'])
  })

  it('spares what touches the days of a subject, and stops there', () => {
    const database = emptyCache()
    for (const date of [1, 2, 3]) keepTable(database, table(date), later)
    keepTable(database, table(2, { subject: 'direct/networks?' }), later)
    const spare = [{ ...place, range: { start: day('2026-11-02'), end: day('2026-11-09') } }]
    expect(letOldestGo(database, { bytes: 0, spare })).toBe(2)
    expect(letOldestGo(database, { bytes: 0, spare })).toBe(0)
    expect(listTables(database, place).map(({ range }) => range.start)).toEqual(['2026-11-02', '2026-11-03'])
  })

  it('goes down a few tables at a time', () => {
    const database = emptyCache()
    for (let date = 1; date <= 25; date += 1) keepTable(database, table(date), later)
    expect(letOldestGo(database, { bytes: 0, spare: [] })).toBe(20)
    expect(letOldestGo(database, { bytes: 0, spare: [] })).toBe(5)
    expect(keptSizes(database).tables).toBe(0)
  })
})
