import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { eventsTo } from '#test/helpers/app-events.ts'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { runs } from '../helpers/long.ts'
import { seed } from '../helpers/properties.ts'
import { randomFrom } from '../helpers/random.ts'
import { engineChildChannel, engineForTest } from '../src-main/reports/engine/engine-thread.ts'
import { asked, dayOf, written } from '../src-main/reports/engine/tables.ts'
import type { Row } from '../src-main/reports/engine/tables.ts'
import { openRowsDesk, rowsOf } from '../src-main/archives/helpers.ts'
import { zipOf } from '../src-main/archives/zip-of.ts'
import { temporaryFolder } from '../src-main/database/helpers.ts'
import { flipped } from './mutate.ts'
import { surroundings } from './surroundings.ts'

/** A table of raw rows with most of what a cell may hold. */
const csv = [
  'TIMESTAMP,IP,"USER, AGENT",COUNT',
  ...Array.from(
    { length: 150 },
    (_, row) => `2026-11-20 10:00:${row % 60},192.0.2.${row},"Agent ""${row % 7}""\r\nnext é",${row}`,
  ),
].join('\r\n')

/** Of a kept table. */
const storedRows = Array.from({ length: 40 }, (_, row): Row => [`row ${row}`, row, 2 * row, 1, 0])

/** What a person is told, or rows; anything else is a mistake of ours. */
const known = (what: string) => (error: unknown) => {
  if (error instanceof DeskFailure && error.failure.kind !== 'internal') return error.failure.kind
  throw new Error(`${what} of seed ${seed} broke it`, { cause: error })
}

it('tables with turned bits are read in, with lines counted that are none, or refused in words', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const desk = openRowsDesk()
  const sound = [
    ['table.csv', Buffer.from(csv)],
    ['table.csv', Buffer.from(csv, 'utf16le')],
    ['table.zip', await zipOf({ 'table.csv': csv })],
  ] as const
  for (let round = 0; round < runs(40, 10_000); round += 1) {
    const [name, bytes] = sound[round % sound.length] ?? sound[0]
    const read = await desk.importArchive(flipped(bytes, random), { name }).catch(known(`Table ${round}`))
    if (typeof read === 'string') continue
    expect(read.count, `table ${round}`).toBeGreaterThanOrEqual(0)
    const columns = read.columns.map((column) => column.name)
    const page = await desk.engine.call('page', { ...rowsOf([read]), offset: 0, limit: 1000, columns })
    expect(page.kind, `table ${round}`).toBe('answer')
    if (page.kind === 'answer') expect(page.answer.rows.length).toBe(Math.min(read.count, 1000))
  }
  // Nothing is written anywhere but there.
  expect(readdirSync(desk.folder).filter((name) => !/^table\.|^rows(-work)?$/.test(name))).toEqual([])
  around.check([])
}, 3_600_000)

it('files of rows with turned bits are damaged or as they were', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const desk = openRowsDesk()
  const entry = await desk.importArchive(csv)
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
  around.check([])
}, 900_000)

/** Damages a file and gives it the checksum and the name that fit: whoever makes a file can make these too. */
function forged<Path extends string>(sound: Buffer, path: Path, random: () => number) {
  // Few bits: what is there at all has to be reached behind the file's own form.
  const bytes = flipped(sound, random, 2)
  const checksum = crc32(bytes).toString(16).padStart(8, '0')
  const named = path.replace(/[0-9a-f]{8}(?=\.parquet$)/, checksum) as Path
  return { bytes, file: { path: named, size: bytes.length, checksum } }
}

// No backup brings rows, so it is enough that the engine says no. It runs in this very process, which would end with it.
it('files of rows with turned bits whose checksum is right end no engine', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const desk = openRowsDesk()
  const entry = await desk.importArchive(csv)
  const sound = readFileSync(join(desk.folder, 'rows', entry.rows.path))
  const columns = entry.columns.map(({ name }) => name)
  const sort = [{ column: 'IP', direction: 'desc' }] as const
  const ask = (of: RowsEntry) =>
    desk.engine.call('page', { ...rowsOf([of], { sort }), offset: 0, limit: 1000, columns })
  const right = await ask(entry)
  const ends = { answer: 0, damaged: 0, refused: 0 }
  for (let round = 0; round < runs(60, 5000); round += 1) {
    const { bytes, file } = forged(sound, entry.rows.path, random)
    const path = join(desk.folder, 'rows', file.path)
    writeFileSync(path, bytes)
    const end = await ask({ ...entry, rows: file }).then(
      ({ kind }) => kind,
      () => 'refused' as const,
    )
    ends[end] += 1
    rmSync(path)
  }
  console.log(ends)
  // The engine itself has read them.
  expect(ends.damaged).toBe(0)
  expect(Math.min(ends.answer, ends.refused)).toBeGreaterThan(0)
  expect(await ask(entry)).toEqual(right)
  around.check([])
}, 900_000)

it('files of kept tables with turned bits whose checksum is right are taken up where answers can be computed from them, and end no engine', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const history = join(temporaryFolder(), 'history')
  const ended: unknown[] = []
  const engine = startEngine({
    open: () => engineChildChannel(history),
    idle: 600_000,
    events: eventsTo((event) => {
      if (event.kind === 'worker/ended') ended.push(event.cause)
    }),
  })
  onTestFinished(engine.close)
  const table = await written(engine, dayOf('2026-11-01', { rows: storedRows }))
  const sound = readFileSync(join(history, table.file.path))
  const ends = { whole: 0, unknown: 0, damaged: 0 }
  for (let round = 0; round < runs(60, 5000); round += 1) {
    const { bytes, file } = forged(sound, table.file.path, random)
    const path = join(history, file.path)
    writeFileSync(path, bytes)
    const inspected = await engine.call('inspect', file.path)
    ends[inspected.kind] += 1
    if (inspected.kind === 'whole')
      for (const entry of inspected.entries) {
        const stored = { ...entry, file: inspected.file, bytes: file.size }
        const answer = await engine
          .call('table', { tables: [stored], query: asked() })
          .catch(known(`File ${round}`))
        expect(answer, `file ${round} of seed ${seed}`).toHaveProperty('kind', 'computed')
      }
    rmSync(path)
  }
  console.log(ends)
  expect(ended).toEqual([])
  expect(ends.damaged).toBe(0)
  expect(Math.min(ends.whole, ends.unknown)).toBeGreaterThan(0)
  around.check([])
}, 900_000)

it('files of kept tables with turned bits are lacking or as they were, and end no engine', async () => {
  const around = surroundings(['temporary'])
  const random = randomFrom(seed)
  const { engine, history } = engineForTest()
  const table = await written(engine, dayOf('2026-11-01', { rows: storedRows }))
  const path = join(history, table.file.path)
  const sound = readFileSync(path)
  const ask = () => engine.call('table', { tables: [table], query: asked() })
  const right = await ask()
  for (let round = 0; round < runs(60, 5000); round += 1) {
    writeFileSync(path, flipped(sound, random))
    const answer = await ask()
    const lacking = { kind: 'lacking', tables: [table.id], why: 'differs' }
    expect(answer, `file ${round} of seed ${seed}`).toEqual(answer.kind === 'lacking' ? lacking : right)
  }
  writeFileSync(path, sound)
  expect(await ask()).toEqual(right)
  around.check([])
}, 900_000)
