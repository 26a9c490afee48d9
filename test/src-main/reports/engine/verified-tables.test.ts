import {
  cpSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newTableId, historyStemOf } from '#main/analytics/history-layout.ts'
import type { MissingReason } from '#main/reports/engine/table-calls.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { HistoryPath } from '#main/analytics/history-layout.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { engineForAll } from './engine-thread.ts'
import { dataScope } from './kept-days.ts'
import { asked, dayOf, written } from './tables.ts'
import type { Row } from './tables.ts'

const { engine, history, end } = engineForAll()
afterAll(end)

const subject = 'direct/browsers?'
const rows = (nth: number): Row[] =>
  Array.from({ length: 40 }, (_, row) => [`row ${row}`, row * nth, row, nth, 0])

/** A single day, and two days that lie in one file. */
let single: StoredTable
let joined: readonly StoredTable[]

beforeAll(async () => {
  single = await written(engine, dayOf('2026-11-01', { rows: rows(1) }))
  const days = [
    await written(engine, dayOf('2026-11-02', { rows: rows(2) })),
    await written(engine, dayOf('2026-11-03', { rows: rows(3) })),
  ]
  const tables = days.map((table) => ({ ...table, dataScope, subject }))
  const [first] = days
  if (!first) throw new Error('No day')
  const file = await engine.call('join', {
    tables,
    stem: historyStemOf({ dataScope, subject, range: first.range }, newTableId()),
  })
  if (!file) throw new Error('Not joined')
  joined = days.map((table) => ({ ...table, file }))
})

const placeOf = ({ file }: StoredTable) => join(history, file.path)
const ask = () => engine.call('table', { tables: [single, ...joined], query: asked() })

/** Asks while something is wrong with a file, which is put right afterwards. */
async function whileWrong<T>(
  table: StoredTable,
  wrong: (place: string) => void,
  work: () => Promise<T>,
): Promise<T> {
  const place = placeOf(table)
  const copy = `${place}.sound`
  cpSync(place, copy)
  try {
    wrong(place)
    return await work()
  } finally {
    rmSync(place, { recursive: true, force: true })
    renameSync(copy, place)
  }
}

const firstJoined = () => joined[0] ?? single
const ways: readonly (readonly [string, MissingReason, (place: string) => void])[] = [
  ['is deleted', 'unreadable', (place) => rmSync(place)],
  ['is cut short', 'differs', (place) => truncateSync(place, 100)],
  ['is empty', 'differs', (place) => truncateSync(place, 0)],
  ['is longer', 'differs', (place) => writeFileSync(place, 'x', { flag: 'a' })],
  [
    'is a folder',
    'unreadable',
    (place) => {
      rmSync(place)
      mkdirSync(place)
    },
  ],
  [
    'is another table, and whole',
    'differs',
    (place) => {
      const other = [single, ...joined].map(placeOf).find((each) => each !== place) ?? place
      cpSync(other, place)
    },
  ],
  [
    'is a link to its own bytes elsewhere',
    'unreadable',
    (place) => {
      const elsewhere = join(dirname(history), 'elsewhere.parquet')
      cpSync(place, elsewhere)
      rmSync(place)
      symlinkSync(elsewhere, place)
    },
  ],
]

it('files of kept tables are their person’s alone, wherever they are copied', () => {
  expect(statSync(placeOf(single)).mode & 0o077).toBe(0)
})

describe('a file that', () => {
  it.each(ways)(
    '%s is lacking, with the tables of it and no other; also when it was read before',
    async (_, why, wrong) => {
      expect(await ask()).toMatchObject({ kind: 'computed' })
      const one = await whileWrong(single, wrong, ask)
      expect(one).toEqual({ kind: 'lacking', tables: [single.id], why })
      expect(await ask()).toMatchObject({ kind: 'computed' })
      const both = await whileWrong(firstJoined(), wrong, ask)
      expect(both).toEqual({ kind: 'lacking', tables: joined.map(({ id }) => id), why })
    },
  )

  it('lies in a folder that is a link is lacking', async () => {
    const folder = dirname(placeOf(single))
    const elsewhere = join(dirname(history), 'elsewhere')
    renameSync(folder, elsewhere)
    symlinkSync(elsewhere, folder)
    try {
      const tables = [single, ...joined].map(({ id }) => id)
      expect(await ask()).toEqual({ kind: 'lacking', tables, why: 'unreadable' })
      const stem = historyStemOf({ dataScope, subject, range: single.range }, newTableId())
      const toJoin = [single, ...joined].map((table) => ({ ...table, dataScope, subject }))
      expect(await engine.call('join', { tables: toJoin, stem })).toBeNull()
      await expect(written(engine, dayOf('2026-11-09', { rows: rows(1) }))).rejects.toMatchObject({
        failure: { kind: 'disk' },
      })
    } finally {
      rmSync(folder)
      renameSync(elsewhere, folder)
    }
    expect(await ask()).toMatchObject({ kind: 'computed' })
  })

  it('has one wrong bit is lacking, wherever the bit is', async () => {
    const right = await ask()
    const bytes = readFileSync(placeOf(single))
    const bit = fc.record({ at: fc.nat({ max: bytes.length - 1 }), bit: fc.nat({ max: 7 }) })
    const property = fc.asyncProperty(bit, async ({ at, bit: nth }) => {
      const flip = (place: string) => {
        const damaged = Buffer.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ (1 << nth)
        writeFileSync(place, damaged)
      }
      expect(await whileWrong(single, flip, ask)).toEqual({
        kind: 'lacking',
        tables: [single.id],
        why: 'differs',
      })
    })
    await checkAsyncProperty('one wrong bit', property, 150)
    expect(await ask()).toEqual(right)
  })

  it('is replaced while it is asked about never gives figures of two tables', async () => {
    const right = await ask()
    const other = readFileSync(placeOf(firstJoined()))
    const mine = readFileSync(placeOf(single))
    let asking = true
    const askOften = async () => {
      for (let time = 0; time < 60; time += 1) {
        const computed = await ask()
        if (computed.kind === 'lacking') expect(computed.tables).toEqual([single.id])
        else expect(computed).toEqual(right)
      }
    }
    const asker = askOften().finally(() => (asking = false))
    asker.catch(() => undefined)
    for (let nth = 0; asking; nth += 1) {
      writeFileSync(`${placeOf(single)}.next`, nth % 2 === 0 ? other : mine)
      renameSync(`${placeOf(single)}.next`, placeOf(single))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await asker
    writeFileSync(placeOf(single), mine)
    expect(await ask()).toEqual(right)
  }, 60_000)

  it('is named by a path outside the folder is not touched', async () => {
    const paths = [
      '../secret.parquet',
      '/etc/passwd',
      '',
      'account=a/../../secret.parquet',
      `${single.file.path}/`,
    ]
    for (const path of paths) {
      const strange: StoredTable = { ...single, file: { ...single.file, path: path as HistoryPath } }
      await expect(engine.call('table', { tables: [strange], query: asked() })).rejects.toMatchObject({
        failure: { kind: 'internal' },
      })
      expect(await engine.call('inspect', path as HistoryPath)).toEqual({ kind: 'unknown' })
    }
  })
})
