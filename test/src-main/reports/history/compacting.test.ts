import { DuckDBInstance } from '@duckdb/node-api'
import { rmSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, describe, expect, it, onTestFinished } from 'vitest'
import {
  entriesKey,
  historyFiles,
  newTableId,
  historyStemOf,
  writeEntries,
} from '#main/analytics/history-layout.ts'
import { CompactingAtRest } from '#main/reports/history/compacting.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { HandClock, settled } from '../clock.ts'
import { engineForAll } from '../engine/engine-thread.ts'
import type { Row } from '../engine/tables.ts'
import { newHistory, oneDay, place } from './histories.ts'
import type { OneDay, TestHistory } from './histories.ts'

const { engine, history: folder, end } = engineForAll()
afterAll(end)

const begin = () => newHistory(engine, folder)

const dates = [1, 2, 3, 4, 5, 6, 7, 8]
const step = fc.oneof(
  { weight: 5, arbitrary: oneDay },
  { weight: 1, arbitrary: fc.subarray(dates).map((settled) => ({ settled })) },
)

const plainDay = (date: number, changes: Partial<OneDay> = {}): OneDay => ({
  ...{ date, codes: ['UE'], rows: [['A', date, date, 0, 0, 1]], totalsAlone: false },
  ...changes,
})

async function filesOf(stored: TestHistory): Promise<number> {
  expect(stored.files()).toEqual(await stored.catalogued())
  return stored.files().length
}

/** Puts a file of many groups with the same rows in another order in the place of the joined one. */
async function putJoined({ store, folder }: TestHistory, order: string): Promise<void> {
  const tables = await store.run('tables/list', place)
  const [first] = tables
  if (!first) throw new Error('Nothing is kept')
  const files = historyFiles(folder)
  const stem = historyStemOf({ ...place, range: first.range }, newTableId())
  const draft = files.draftOf(stem)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  const entries = tables.map(({ id, range, fetchedAt, whole, rows, doubt, head }) => ({
    ...{ ...place, id, range, fetchedAt, whole, rows, doubt, head },
  }))
  await connection.run(
    `COPY (SELECT * FROM read_parquet($path, hive_partitioning = false) ORDER BY ${order})
     TO $draft (FORMAT parquet, ROW_GROUP_SIZE 2048, KV_METADATA {${entriesKey}: $entries})`,
    { path: files.placeOf(first.file.path), draft, entries: writeEntries(entries) },
  )
  connection.closeSync()
  instance.closeSync()
  const file = { tables: tables.length, ...(await files.publish(draft, stem)) }
  const { unused } = await store.run('tables/move', {
    file,
    dataScope: place.dataScope,
    ids: tables.map(({ id }) => id),
  })
  for (const path of unused) rmSync(files.placeOf(path))
}

describe('a month in one file', () => {
  it('answers as its days did, whatever was replaced before and after, and whichever days are asked about', async () => {
    const property = fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 16 }),
      fc.subarray(dates),
      async (steps, some) => {
        const stored = begin()
        for (const each of [...steps, { settled: dates }]) {
          if ('date' in each) {
            await stored.keep(each)
            continue
          }
          const [said, answers] = [
            await stored.said(),
            [await stored.answers(dates), await stored.answers(some)],
          ]
          await stored.compact((date) => each.settled.includes(date))
          expect(await stored.said()).toEqual(said)
          expect([await stored.answers(dates), await stored.answers(some)]).toEqual(answers)
        }
        await filesOf(stored)
      },
    )
    await checkAsyncProperty('compaction', property, 12)
  }, 120_000)

  it('takes the settled days of the same columns, and leaves the others', async () => {
    const stored = begin()
    for (const date of [1, 2, 3, 4]) await stored.keep(plainDay(date))
    for (const date of [5, 6]) await stored.keep(plainDay(date, { codes: [], rows: [] }))
    await stored.keep(plainDay(7, { totalsAlone: true }))
    await stored.compact((date) => date !== 4)
    expect(await filesOf(stored)).toBe(4)
    await stored.compact()
    expect(await filesOf(stored)).toBe(3)
    await stored.compact()
    expect(await filesOf(stored)).toBe(3)
  })

  it.each([
    ['is joined again where it was left unsorted', 'é', 'day, suspect DESC', true],
    ['is left as it is where it is sorted', 'é', 'label, day', false],
    ['is left as it is where its names are longer than its statistics', 'z'.repeat(300), 'label, day', false],
  ])('%s', async (_, name, order, isJoined) => {
    const stored = begin()
    const rows = Array.from({ length: 3000 }, (_, nth): Row => [
      `${name}${(nth * 7919) % 3001}`,
      nth,
      1,
      0,
      0,
      1,
    ])
    for (const date of [1, 2]) await stored.keep(plainDay(date, { rows }))
    await stored.compact()
    await putJoined(stored, order)
    const before = stored.files()
    const [said, answers] = [await stored.said(), await stored.answers([1, 2])]
    await stored.compact()
    const after = stored.files()
    expect(after).toHaveLength(1)
    expect(after[0] !== before[0]).toBe(isJoined)
    expect(await stored.said()).toEqual(said)
    expect(await stored.answers([1, 2])).toEqual(answers)
    await stored.compact()
    expect(stored.files()).toEqual(after)
  })

  it('lets files go only when nobody reads them any more', async () => {
    const stored = begin()
    for (const date of [1, 2, 3]) await stored.keep(plainDay(date))
    const before = stored.files()
    const tables = await stored.history.list(place)
    const [first] = tables
    if (!first) throw new Error('Nothing is kept')
    await stored.history.holding(tables, async () => {
      await stored.compact()
      expect(stored.files()).toEqual(expect.arrayContaining(before))
      // Who began later holds them on.
      await stored.history.holding([first], () => Promise.resolve())
      expect(stored.files()).toEqual(expect.arrayContaining(before))
    })
    expect(stored.files()).toEqual(await stored.catalogued())
    expect(stored.files()).toHaveLength(1)
    await expect(stored.history.holding(tables, () => Promise.reject(new Error('ended')))).rejects.toThrow(
      'ended',
    )
  })

  it('stays as it is where one of its files cannot be read', async () => {
    const stored = begin()
    for (const date of [1, 2, 3]) await stored.keep(plainDay(date))
    const [first = ''] = stored.files()
    writeFileSync(first, 'x', { flag: 'a' })
    const said = await stored.history.list(place)
    await stored.compact()
    expect(await stored.history.list(place)).toEqual(said)
    rmSync(first)
    await stored.compact()
    expect(await stored.history.list(place)).toEqual(said)
  })

  it('keeps its days where somebody looked for them in the files before', async () => {
    const stored = begin()
    for (const date of [1, 2, 3]) await stored.keep(plainDay(date))
    const before = await stored.history.list(place)
    await stored.compact()
    const after = await stored.history.list(place)
    await stored.history.forget(before)
    expect(await stored.history.list(place)).toEqual(after)
    await stored.history.forget(after.slice(1))
    expect(await stored.history.list(place)).toEqual(after.slice(0, 1))
  })

  it('leaves no file where the catalogue refuses it', async () => {
    const stored = begin()
    for (const date of [1, 2, 3]) await stored.keep(plainDay(date))
    const files = stored.files()
    const refusing: typeof stored.store = {
      ...stored.store,
      run: (name, argument) =>
        name === 'tables/move' ? Promise.reject(new Error('full')) : stored.store.run(name, argument),
    }
    await expect(stored.over(refusing).compact()).rejects.toThrow('full')
    expect(stored.files()).toEqual(files)
  })

  it('is let go when the last of its days is replaced', async () => {
    const stored = begin()
    for (const date of [1, 2, 3]) await stored.keep(plainDay(date))
    await stored.compact()
    const [month = ''] = stored.files()
    await stored.keep(plainDay(1))
    await stored.keep(plainDay(2))
    expect(stored.files()).toContain(month)
    await stored.keep(plainDay(3))
    expect(stored.files()).not.toContain(month)
    expect(await filesOf(stored)).toBe(3)
  })
})

const second = 1000
const hour = 3_600 * second

function atRest() {
  const clock = new HandClock('2026-11-20T12:00:00Z')
  const begun: AbortSignal[] = []
  const ways: { compact: () => Promise<void> } = { compact: async () => undefined }
  const compacting = new CompactingAtRest(clock, async (signal) => {
    begun.push(signal)
    await ways.compact()
  })
  onTestFinished(() => compacting.close())
  return { clock, begun, ways, compacting }
}

/** Work that ends when the test says so. */
function held() {
  let end = () => {}
  const work = new Promise<void>((resolve) => (end = resolve))
  return { compact: () => work, end: () => end() }
}

it('compacts when nothing is asked for half a minute after syncing', async () => {
  const { clock, begun, compacting } = atRest()
  await clock.move(hour)
  compacting.disturbed()
  await clock.move(hour)
  expect(begun).toHaveLength(0)
  compacting.syncEnded()
  await clock.move(20 * second)
  compacting.disturbed()
  await clock.move(29 * second)
  expect(begun).toHaveLength(0)
  await clock.move(1 * second)
  expect(begun).toHaveLength(1)
})

it('compacts at most once an hour', async () => {
  const { clock, begun, compacting } = atRest()
  compacting.syncEnded()
  await clock.move(30 * second)
  for (let round = 0; round < 5; round += 1) {
    compacting.syncEnded()
    await clock.move(60 * second)
  }
  expect(begun).toHaveLength(1)
  await clock.move(hour)
  expect(begun).toHaveLength(2)
})

it('is given up as soon as something is asked for, and goes on at the next quiet moment', async () => {
  const { clock, begun, ways, compacting } = atRest()
  const first = held()
  ways.compact = first.compact
  compacting.syncEnded()
  await clock.move(30 * second)
  compacting.disturbed()
  expect(begun[0]?.aborted).toBe(true)
  await clock.move(60 * second)
  // The one before has not ended yet.
  expect(begun).toHaveLength(1)
  first.end()
  await settled()
  expect(begun).toHaveLength(2)
  expect(begun[1]?.aborted).toBe(false)
})

it('is waited for at the end, and does not begin any more', async () => {
  const { clock, begun, ways, compacting } = atRest()
  const { compact, end } = held()
  ways.compact = compact
  compacting.syncEnded()
  await clock.move(30 * second)
  let closed = false
  const closing = compacting.close().then(() => (closed = true))
  await settled()
  expect([closed, begun[0]?.aborted]).toEqual([false, true])
  end()
  await closing
  compacting.syncEnded()
  await clock.move(2 * hour)
  expect(begun).toHaveLength(1)
})

it('goes on an hour later where the disk refused', async () => {
  const { clock, begun, ways, compacting } = atRest()
  ways.compact = () => Promise.reject(new Error('The disk is full'))
  compacting.syncEnded()
  await clock.move(30 * second)
  compacting.syncEnded()
  await clock.move(hour)
  expect(begun).toHaveLength(2)
})
