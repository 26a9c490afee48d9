import { readFileSync } from 'node:fs'
import { expect, it, vi } from 'vitest'
import { parseLeniently } from '#main/archives/csv/lenient-parser.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { answered, openRowsDesk, rowsOf, unreadableOf } from '../helpers.ts'
import type { RowsDesk } from '../helpers.ts'
import { zipOf } from '../zip-of.ts'

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
const readOf = async (desk: RowsDesk, lines: readonly string[], ending: string) =>
  readBy(desk, await desk.importArchive([...lines, ''].join(ending)))

async function readBy(desk: RowsDesk, entry: RowsEntry) {
  const unreadable = await unreadableOf(desk, entry)
  const written = await answered(
    desk.engine.call('write', { ...rowsOf([entry]), columns: [], format: 'csv', csv: 'comma' }),
  )
  return {
    rows: readFileSync(written.path, 'utf8'),
    short: entry.readAs?.map(({ short }) => short),
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
  expect(read.short).toEqual(own.short)
  expect(read.rows === own.rows).toBe(true)
  expect(read.unreadable).toEqual(
    own.unreadable.map(({ line, ...rest }) => ({ ...rest, line: (line ?? 0) - title.length })),
  )
})

/** Lines that the engine reads. The first sample ends long before the middle. */
const evenLines = madeLines({ rows: 6000, at: [], ending: '', seed: 5 }).filter((line) => !line.includes('"'))
const around = (line: string) => [...evenLines.slice(0, 2400), line, ...evenLines.slice(2400)]

it.each([
  ['2026-10-31T00:00:00Z,short', false],
  ['2026-10-31T00:00:00Z,short,good', false],
  ['2026-10-31T00:00:00Z,"short, in quotes"', true],
  ['2026-10-31T00:00:00Z,short\\', true],
  ['no time,but short', true],
  ['one cell', true],
  ['2026-10-31T00:00:00Z,good,long,row,of,many', true],
  // The engine quotes the line in its error, which is none of the disk or of a cancellation.
  ['Interrupted,no space,permission', true],
])('asks our own parser about %j in no sample: %s', async (line, isAsked) => {
  for (const ending of ['\n', '\r\n']) {
    vi.mocked(parseLeniently).mockClear()
    await readOf(openRowsDesk(), [header, ...around(line)], ending)
    expect(vi.mocked(parseLeniently).mock.calls.length > 0, JSON.stringify(ending)).toBe(isAsked)
  }
})

it('counts short lines of each table of an archive', async () => {
  const text = (lines: readonly string[]) => [...lines, ''].join('\n')
  const short = '2026-10-31T00:00:00Z,short'
  const tables = [around(short), evenLines, [...around(short).slice(0, 3000), short, short, ...evenLines]]
  const zip = (before: readonly string[]) =>
    zipOf(Object.fromEntries(tables.map((lines, nth) => [`${nth}.csv`, text([...before, header, ...lines])])))
  const [desk, ownDesk] = [openRowsDesk(), openRowsDesk()]
  const own = await readBy(ownDesk, await ownDesk.importArchive(await zip(title), { name: 'a.zip' }))
  vi.mocked(parseLeniently).mockClear()
  const read = await readBy(desk, await desk.importArchive(await zip([]), { name: 'a.zip' }))
  expect(parseLeniently).not.toHaveBeenCalled()
  expect(read.short).toEqual([1, 0, 3])
  expect(read).toEqual(own)
})

it('fills short lines in a table of our own, without its guards', async () => {
  const desk = openRowsDesk()
  const quotedLine = (line: string) => `"${line.replaceAll(',', '","')}"`
  const lines = [header, ...evenLines].map(quotedLine)
  const table = [
    ...lines.slice(0, 2400),
    "2026-10-31T00:00:00Z,'=1",
    '2026-10-31T00:00:00Z,short',
    ...lines.slice(2400),
    '',
  ]
  vi.mocked(parseLeniently).mockClear()
  const entry = await desk.importArchive(`\ufeff${table.join('\r\n')}`)
  const { lines: refused } = await unreadableOf(desk, entry)
  expect(refused).toEqual([])
  expect(entry).toMatchObject({ count: evenLines.length + 2, readAs: [{ short: 2, guarded: true }] })
  const found = await answered(
    desk.engine.call('page', { ...rowsOf([entry]), offset: 2399, limit: 2, columns: ['SOURCE', 'RESULT'] }),
  )
  expect(parseLeniently).not.toHaveBeenCalled()
  expect(found.rows.map(({ cells }) => cells)).toEqual([
    ['=1', ''],
    ['short', ''],
  ])
})
