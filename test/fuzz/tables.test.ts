import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { DeskFailure } from '../../src-shared/desk/desk-failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { engineForTest } from '../src-main/figures/engine/engine-thread.ts'
import { asked, dayOf, written } from '../src-main/figures/engine/tables.ts'
import type { Row } from '../src-main/figures/engine/tables.ts'
import { openRowsDesk, rowsOf } from '../src-main/rows/helpers.ts'
import { zipOf } from '../src-main/rows/zip-of.ts'
import { flipped } from './mutate.ts'

/** A table of raw rows with most of what a cell may hold. */
const csv = [
  'TIMESTAMP,IP,"USER, AGENT",COUNT',
  ...Array.from(
    { length: 150 },
    (_, row) => `2026-11-20 10:00:${row % 60},192.0.2.${row},"Agent ""${row % 7}""\r\nnext é",${row}`,
  ),
].join('\r\n')

/** What a person is told, or rows; anything else is a mistake of ours. */
const known = (what: string) => (error: unknown) => {
  if (error instanceof DeskFailure && error.failure.kind !== 'internal') return error.failure.kind
  throw new Error(`${what} of seed ${seed} broke it`, { cause: error })
}

it('tables with turned bits are read in, with lines counted that are none, or refused in words', async () => {
  const random = randomFrom(seed)
  const desk = openRowsDesk()
  const sound = [
    ['table.csv', Buffer.from(csv)],
    ['table.csv', Buffer.from(csv, 'utf16le')],
    ['table.zip', await zipOf({ 'table.csv': csv })],
  ] as const
  for (let round = 0; round < runs(40, 3000); round += 1) {
    const [name, bytes] = sound[round % sound.length] ?? sound[0]
    const read = await desk.readIn(flipped(bytes, random), { name }).catch(known(`Table ${round}`))
    if (typeof read === 'string') continue
    expect(read.count, `table ${round}`).toBeGreaterThanOrEqual(0)
    const columns = read.columns.map((column) => column.name)
    const page = await desk.engine.call('page', { ...rowsOf([read]), offset: 0, limit: 1000, columns })
    expect(page.kind, `table ${round}`).toBe('answer')
    if (page.kind === 'answer') expect(page.answer.rows.length).toBe(Math.min(read.count, 1000))
  }
  // Nothing is written anywhere but there.
  expect(readdirSync(desk.folder).filter((name) => !/^table\.|^rows(-work)?$/.test(name))).toEqual([])
}, 900_000)

it('files of rows with turned bits are damaged or as they were, and end no engine', async () => {
  const random = randomFrom(seed)
  const desk = openRowsDesk()
  const entry = await desk.readIn(csv)
  const path = join(desk.folder, 'rows', entry.rows.path)
  const sound = readFileSync(path)
  const columns = entry.columns.map(({ name }) => name)
  const ask = () => desk.engine.call('page', { ...rowsOf([entry]), offset: 0, limit: 1000, columns })
  const right = await ask()
  for (let round = 0; round < runs(60, 5000); round += 1) {
    writeFileSync(path, flipped(sound, random))
    const page = await ask().catch(known(`File ${round}`))
    if (typeof page !== 'string' && page.kind === 'answer')
      expect(page, `file ${round} of seed ${seed}`).toEqual(right)
  }
  writeFileSync(path, sound)
  expect(await ask()).toEqual(right)
}, 900_000)

it('files of kept tables with turned bits are lacking or as they were, and end no engine', async () => {
  const random = randomFrom(seed)
  const { engine, history } = engineForTest()
  const rows = Array.from({ length: 40 }, (_, row): Row => [`row ${row}`, row, 2 * row, 1, 0])
  const table = await written(engine, dayOf('2026-11-01', { rows }))
  const path = join(history, table.file.path)
  const sound = readFileSync(path)
  const ask = () => engine.call('table', { tables: [table], query: asked() })
  const right = await ask()
  for (let round = 0; round < runs(60, 5000); round += 1) {
    writeFileSync(path, flipped(sound, random))
    const answer = await ask()
    const lacking = { kind: 'lacking', tables: [table.id] }
    expect(answer, `file ${round} of seed ${seed}`).toEqual(answer.kind === 'lacking' ? lacking : right)
  }
  writeFileSync(path, sound)
  expect(await ask()).toEqual(right)
}, 900_000)
