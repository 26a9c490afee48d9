import { describe, expect, it } from 'vitest'
import { storeAnswer } from '#main/database/cache/answers-repository.ts'
import {
  catalogueOperations,
  forgetTables,
  storeTables,
  listTables,
  moveTables,
} from '#main/database/cache/catalogue-repository.ts'
import type { TableToCatalogue } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryFile, HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import { catalogueSizeOperations, storedSizes } from '#main/database/cache/catalogue-files.ts'
import type { Writer } from '#main/database/sqlite/database.ts'
import { day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { answer, openCacheFor, temporaryFolder } from '../helpers.ts'

const [mine, theirs] = ['scope-1', 'scope-2'] as [DataScopeId, DataScopeId]
const subject = 'direct/browsers?'
const place = { dataScope: mine, subject }
const later = 9_000

const database = () => openCacheFor(temporaryFolder()).database

const idOf = (number: number) => number.toString(16).padStart(16, '0') as TableId
const pathOf = (number: number) =>
  `account=scope-1/report=direct-browsers/month=2026-11/${idOf(number)}-00000000.parquet` as HistoryPath

/** The file with this number: a byte for each table more than ten. */
const file = (number: number, tables = 1): HistoryFile => ({
  ...{ path: pathOf(number), size: 10 + tables, checksum: '00000000', tables },
})

const on = (date: number) => {
  const start = day(`2026-11-${String(date).padStart(2, '0')}`)
  return { start, end: start }
}

const table = (id: number, date: number, changes: Partial<TableToCatalogue> = {}): TableToCatalogue => ({
  ...{ ...place, id: idOf(id), range: on(date), fetchedAt: 1_000 as Instant, whole: true },
  ...{ rows: 3, doubt: null, head: '{"é":1}', ...changes },
})

/** Keeps a table in a file of its own, both of this number. */
const keep = (into: Writer, id: number, date: number, changes: Partial<TableToCatalogue> = {}, now = later) =>
  storeTables(into, { file: file(id), tables: [table(id, date, changes)] }, now).unused

const idsOf = (from: Writer) => listTables(from, place).map(({ id }) => Number.parseInt(id, 16))
const filesOf = (from: Writer) => catalogueOperations['tables/files'](from).toSorted()
const at = (time: number) => ({ fetchedAt: time as Instant })

describe('a kept table', () => {
  it('is listed with what it is about and where it lies, by first day', () => {
    const into = database()
    keep(into, 2, 2, { range: { start: day('2026-11-02'), end: day('2026-11-05') }, doubt: 'more-rows' })
    keep(into, 1, 1, { whole: false, rows: 0 })
    const about = { fetchedAt: 1_000, head: '{"é":1}', bytes: 11 }
    expect(listTables(into, place)).toEqual([
      { ...about, id: idOf(1), range: on(1), whole: false, rows: 0, doubt: null, file: file(1) },
      {
        ...{ ...about, id: idOf(2), range: { start: '2026-11-02', end: '2026-11-05' } },
        ...{ whole: true, rows: 3, doubt: 'more-rows', file: file(2) },
      },
    ])
    expect(listTables(into, { ...place, subject: 'direct/networks?' })).toEqual([])
    expect(listTables(into, { ...place, dataScope: theirs })).toEqual([])
  })

  it('takes the place of the older one of the same days, whose file is to go', () => {
    const into = database()
    keep(into, 1, 1)
    keep(into, 2, 2)
    expect(keep(into, 3, 1, at(2_000))).toEqual([pathOf(1)])
    expect(idsOf(into)).toEqual([3, 2])
    expect(keep(into, 4, 1, at(2_000))).toEqual([pathOf(3)])
  })

  it('gives way to no older one, but to one at hand where it claims to come from later', () => {
    const into = database()
    keep(into, 1, 1, at(5_000))
    expect(keep(into, 2, 1)).toEqual([pathOf(2)])
    expect(idsOf(into)).toEqual([1])
    expect(keep(into, 3, 1, {}, 2_000)).toEqual([pathOf(1)])
    expect(idsOf(into)).toEqual([3])
  })

  it('that lies in a month’s file by now stays there where its own file is taken up once more', () => {
    const into = database()
    keep(into, 1, 1)
    moveTables(into, { file: file(7), dataScope: mine, ids: [idOf(1)] })
    expect(keep(into, 1, 1)).toEqual([pathOf(1)])
    expect(listTables(into, place).map((each) => each.file.path)).toEqual([pathOf(7)])
    expect(filesOf(into)).toEqual([pathOf(7)])
  })

  it('of totals alone stands beside a whole one, and is replaced together with it', () => {
    const into = database()
    keep(into, 1, 1)
    expect(keep(into, 2, 1, { whole: false, rows: 0, ...at(2_000) })).toEqual([])
    expect(idsOf(into)).toEqual([2, 1])
    expect([...keep(into, 3, 1, at(3_000))].sort()).toEqual([pathOf(1), pathOf(2)])
    expect(idsOf(into)).toEqual([3])
  })

  it('that cannot be catalogued leaves everything as it was', () => {
    const into = database()
    keep(into, 1, 1)
    const torn = [table(2, 1, at(2_000)), table(3, 2, { head: null as unknown as string })]
    expect(() => storeTables(into, { file: file(2, 2), tables: torn }, later)).toThrow()
    expect(idsOf(into)).toEqual([1])
    expect(filesOf(into)).toEqual([pathOf(1)])
  })

  it('goes when it is forgotten', () => {
    const into = database()
    keep(into, 1, 1)
    keep(into, 2, 2)
    keep(into, 3, 3, { dataScope: theirs })
    expect(forgetTables(into, [idOf(1), idOf(9)])).toEqual({ unused: [pathOf(1)] })
    expect(idsOf(into)).toEqual([2])
    expect(filesOf(into)).toEqual([pathOf(2), pathOf(3)])
  })

  it('whose row makes no sense is passed over, and a path that leads out is never read nor deleted', () => {
    const into = database()
    keep(into, 1, 1)
    into.write(`INSERT INTO history_files VALUES ('../../secret', 'scope-1', 1, 'x', 1)`)
    const strange = [
      `'2', '2026-11-31', '2026-12-01', 1, 1, '${pathOf(1)}'`,
      `'3', '2026-11-05', '2026-11-04', 1, 1, '${pathOf(1)}'`,
      `'4', '2026-11-05', '2026-11-06', 7, 1, '${pathOf(1)}'`,
      `'5', '2026-11-07', '2026-11-08', 1, -1, '${pathOf(1)}'`,
      `'6', '2026-11-09', '2026-11-09', 1, 1, '../../secret'`,
    ]
    for (const each of strange)
      into.write(
        `INSERT INTO kept_tables (id, first_day, last_day, whole, rows, file, fetched_at, bytes, head, data_scope, subject)
         VALUES (${each}, 1, 1, '', ?, ?)`,
        ...[mine, subject],
      )
    expect(idsOf(into)).toEqual([1])
    expect(filesOf(into)).toEqual([pathOf(1)])
    expect(keep(into, 7, 9)).toEqual([])
    expect(idsOf(into)).toEqual([1, 7])
    expect(forgetTables(into, ['6' as TableId])).toEqual({ unused: [] })
  })
})

describe('tables of one file', () => {
  const month = (into: Writer) => {
    for (const date of [1, 2, 3]) keep(into, date, date)
    return moveTables(into, { file: file(10, 3), dataScope: mine, ids: [1, 2, 3].map(idOf) }).unused
  }

  it('are those that lay in several: these are to go', () => {
    const into = database()
    expect([...month(into)].sort()).toEqual([1, 2, 3].map(pathOf))
    expect(listTables(into, place).map((each) => [each.file, each.bytes])).toEqual(
      [1, 2, 3].map(() => [file(10, 3), 4]),
    )
  })

  it('leave it one by one; it goes with the last of them', () => {
    const into = database()
    month(into)
    expect(keep(into, 4, 2, at(2_000))).toEqual([])
    expect(forgetTables(into, [idOf(1)])).toEqual({ unused: [] })
    expect(forgetTables(into, [idOf(3)])).toEqual({ unused: [pathOf(10)] })
    expect(filesOf(into)).toEqual([pathOf(4)])
  })

  it('do not come back where they were replaced meanwhile', () => {
    const into = database()
    for (const date of [1, 2]) keep(into, date, date)
    keep(into, 3, 1, at(2_000))
    moveTables(into, { file: file(10, 2), dataScope: mine, ids: [idOf(1), idOf(2)] })
    expect(idsOf(into)).toEqual([3, 2])
    const gone = moveTables(into, { file: file(11, 1), dataScope: mine, ids: [idOf(9)] })
    expect(gone).toEqual({ unused: [pathOf(11)] })
  })

  it('are catalogued at once, as far as nothing newer is there', () => {
    const into = database()
    keep(into, 1, 1, at(5_000))
    const tables = [table(2, 1), table(3, 2), table(4, 3)]
    expect(storeTables(into, { file: file(10, 3), tables }, later)).toEqual({ unused: [] })
    expect(idsOf(into)).toEqual([1, 3, 4])
  })

  it('are worth making of a month in so many files of days', () => {
    const into = database()
    for (const date of [1, 2]) keep(into, date, date)
    keep(into, 3, 3, { range: { start: day('2026-11-03'), end: day('2026-11-04') } })
    keep(into, 4, 5, { whole: false })
    const many = (min: number) => catalogueOperations['tables/in-many-files'](into, min)
    expect(many(2)).toEqual([{ ...place, month: '2026-11' }])
    expect(many(3)).toEqual([])
  })
})

describe('what kept figures take', () => {
  it('is the bytes of files and answers, and the days of tables, of all data scopes', () => {
    const into = database()
    expect(storedSizes(into)).toEqual({ tables: 0, answers: 0, days: 0 })
    keep(into, 1, 1)
    keep(into, 2, 2, { range: { start: day('2026-10-25'), end: day('2026-11-03') } })
    keep(into, 3, 1, { dataScope: theirs })
    storeAnswer(into, answer({ text: 'é123' }), later)
    expect(storedSizes(into)).toEqual({ tables: 33, answers: 5, days: 12 })
  })

  it('shrinks by the oldest files, and no more than it must', () => {
    const into = database()
    for (const [date, time] of [
      [1, 3_000],
      [2, 1_000],
      [3, 2_000],
    ] as const)
      keep(into, date, date, at(time))
    expect(catalogueSizeOperations['tables/let-oldest-go'](into, { bytes: 33, spare: [] })).toEqual({
      unused: [],
    })
    expect(catalogueSizeOperations['tables/let-oldest-go'](into, { bytes: 22, spare: [] })).toEqual({
      unused: [pathOf(2)],
    })
    expect(catalogueSizeOperations['tables/let-oldest-go'](into, { bytes: 12, spare: [] })).toEqual({
      unused: [pathOf(3)],
    })
    expect(idsOf(into)).toEqual([1])
  })

  it('spares what touches the days of a subject, and a file with it', () => {
    const into = database()
    for (const date of [1, 2, 3]) keep(into, date, date)
    keep(into, 4, 2, { subject: 'direct/networks?' })
    moveTables(into, { file: file(10, 2), dataScope: mine, ids: [idOf(1), idOf(2)] })
    const spare = [{ ...place, range: { start: day('2026-11-02'), end: day('2026-11-02') } }]
    expect(
      [...catalogueSizeOperations['tables/let-oldest-go'](into, { bytes: 0, spare }).unused].sort(),
    ).toEqual([pathOf(3), pathOf(4)])
    expect(catalogueSizeOperations['tables/let-oldest-go'](into, { bytes: 0, spare })).toEqual({ unused: [] })
    expect(idsOf(into)).toEqual([1, 2])
  })
})
