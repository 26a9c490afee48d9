import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { parseLeniently } from '#main/archives/csv/lenient-parser.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { answered, openRowsDesk, rowsOf, unreadableOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'

vi.mock('#main/archives/csv/lenient-parser.ts', { spy: true })

/** Lines before the header, which only our own parser reads. */
const title = ['Clicks of October', '']
const header = 'TIMESTAMP,SOURCE,RESULT,PAGE'

const odd = [
  '2026-10-31T00:00:00Z,short',
  '2026-10-31T00:00:00Z,"short, in quotes"',
  '2026-10-31T00:00:00Z,good,with nothing,behind,,',
  'one cell',
  'no time,but short',
  '2026-10-31T00:00:00Z,good,long,row,of,many',
  '2026-10-31T00:00:00Z,good,"text"behind,a quote',
  '',
]

/** Places of odd lines, as shares of the table. */
const places = {
  'at the beginning': [0.001],
  'in a sample of the middle': [0.49],
  'in no sample': [0.4],
  'at the end': [0.999],
  'at every place': [0.001, 0.3, 0.4, 0.49, 0.8, 0.999],
  'at a hundred places': Array.from({ length: 100 }, (_, nth) => (nth + 0.5) / 100),
}

type Made = {
  readonly rows: number
  readonly at: readonly number[]
  readonly ending: string
  readonly seed: number
}

function madeLines({ rows, at, ending, seed }: Made): string[] {
  const random = randomFrom(seed)
  const lines = Array.from({ length: rows }, (_, nth) => {
    const time = new Date(Date.UTC(2026, 9, 1) + nth * 1000).toISOString()
    const page = [`page ${nth}`, `"a ""page"", ${nth}"`, `"of${ending}${nth} lines${ending}"`]
    return `${time},source ${nth % 60},good,${page[random() < 0.98 ? 0 : random() < 0.5 ? 1 : 2] ?? ''}`
  })
  const chosen = at.toSorted((a, b) => b - a)
  for (const place of chosen)
    lines.splice(Math.floor(place * rows), 0, odd[Math.floor(random() * odd.length)] ?? '')
  return lines
}

/** All that is read of a table. */
async function readOf(desk: RowsDesk, lines: readonly string[], ending: string) {
  const entry = await desk.importArchive([...lines, ''].join(ending))
  const unreadable = await unreadableOf(desk, entry)
  const written = await answered(
    desk.engine.call('write', { ...rowsOf([entry]), columns: [], format: 'csv', csv: 'comma' }),
  )
  return {
    rows: readFileSync(written.path, 'utf8'),
    short: entry.readAs?.[0]?.short,
    unreadable: unreadable.lines,
  }
}

const cases = Object.entries(places).flatMap(([where, at], nth) =>
  ['\n', '\r\n'].map((ending) => ({
    ...{ where, at, ending, seed: 2 * nth + ending.length, rows: 6000, name: JSON.stringify(ending) },
  })),
)

it.each([
  ...cases,
  // More than one buffer of the engine, so that both threads read.
  { ...{ where: 'far behind', at: [0.9], ending: '\n', seed: 99, rows: 90_000, name: 'large' } },
])('reads odd lines $where as our own parser does: $name', async ({ ending, ...made }) => {
  const lines = madeLines({ ending, ...made })
  const own = await readOf(openRowsDesk(), [...title, header, ...lines], ending)
  const read = await readOf(openRowsDesk(), [header, ...lines], ending)
  expect(read.short).toBe(own.short)
  expect(read.rows === own.rows).toBe(true)
  expect(read.unreadable).toEqual(
    own.unreadable.map(({ line, ...rest }) => ({ ...rest, line: (line ?? 0) - title.length })),
  )
})

it.each([
  ['2026-10-31T00:00:00Z,short', false],
  ['2026-10-31T00:00:00Z,short,good', false],
  ['2026-10-31T00:00:00Z,"short, in quotes"', true],
  ['2026-10-31T00:00:00Z,short\\', true],
  ['no time,but short', true],
  ['one cell', true],
  ['2026-10-31T00:00:00Z,good,long,row,of,many', true],
])('asks our own parser about %j in no sample: %s', async (line, isAsked) => {
  vi.mocked(parseLeniently).mockClear()
  const lines = madeLines({ rows: 6000, at: [], ending: '\n', seed: 5 }).filter((made) => !made.includes('"'))
  await readOf(openRowsDesk(), [header, ...lines.slice(0, 2400), line, ...lines.slice(2400)], '\n')
  expect(vi.mocked(parseLeniently).mock.calls.length > 0).toBe(isAsked)
})
