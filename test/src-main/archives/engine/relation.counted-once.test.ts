import fc from 'fast-check'
import { expect, it } from 'vitest'
import { overlappingDays } from '#shared/archives/rows-file.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { countedOnce } from '#shared/archives/rows.ts'
import type { Instant } from '#shared/values/ids.ts'
import { checkAsyncProperty } from '#test/helpers/properties.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'

const header = 'TIMESTAMP,SOURCE,EXTRA'
type Cells = readonly [time: string, source: string]

const row: fc.Arbitrary<Cells> = fc.tuple(
  fc.constantFrom('2026-11-10T10:00:00Z', '2026-11-10T12:00:00+02:00', 'never'),
  fc.constantFrom('news', 'shop', '', ' news'),
)

/** As many of each as the file that has the most of it: that is every row once, and no row lost. */
function onceOf(files: readonly (readonly Cells[])[]): Map<string, number> {
  const max = new Map<string, number>()
  for (const cells of files) {
    const counts = new Map<string, number>()
    for (const each of cells) counts.set(each.join('|'), (counts.get(each.join('|')) ?? 0) + 1)
    for (const [key, count] of counts) max.set(key, Math.max(max.get(key) ?? 0, count))
  }
  return max
}

it('counts a row of several files once, loses none, and tells the others as left out', async () => {
  const desk = openRowsDesk()
  const file = fc.array(row, { minLength: 1, maxLength: 6 })
  await checkAsyncProperty(
    'rows counted once',
    fc.asyncProperty(fc.array(file, { minLength: 2, maxLength: 3 }), async (files) => {
      const entries: RowsEntry[] = []
      for (const [nth, cells] of files.entries())
        // The last column is of the first file alone: what others do not have tells no rows apart.
        entries.push(
          await desk.importArchive(
            nth === 0
              ? `${header}\n${cells.map((each, place) => [...each, place].join(',')).join('\n')}\n`
              : `TIMESTAMP,SOURCE\n${cells.map((each) => each.join(',')).join('\n')}\n`,
          ),
        )
      const page = { offset: 0, limit: 100, columns: ['TIMESTAMP', 'SOURCE'] }
      const found = async (out: boolean) => {
        const conditions = [{ ...countedOnce, out }]
        return await answered(desk.engine.call('page', { ...rowsOf(entries, { conditions }), ...page }))
      }
      const [once, twice] = [await found(false), await found(true)]
      const expected = onceOf(files)
      const counts = new Map<string, number>()
      for (const { cells } of once.rows) {
        const key = cells.map((cell) => cell ?? '').join('|')
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      expect(counts).toEqual(expected)
      expect(once.total).toBe([...expected.values()].reduce((a, b) => a + b))
      expect(once.total + twice.total).toBe(files.flat().length)
    }),
    12,
  )
}, 120_000)

it('counts rows of two instances twice, however alike they are', async () => {
  const desk = openRowsDesk()
  const lines = `TIMESTAMP,SOURCE\n2026-11-10T10:00:00Z,news\n`
  const entries = [
    await desk.importArchive(lines),
    await desk.importArchive(lines),
    await desk.importArchive(lines),
  ]
  const [one, other, third] = entries.map(({ id }) => id)
  if (!one || !other || !third) throw new Error('No files')
  const of = { [one]: '7', [other]: '8', [third]: '7' }
  const conditions = [{ ...countedOnce, test: { kind: 'once' as const, instances: of } }]
  const page = { offset: 0, limit: 10, columns: [] }
  const found = await answered(desk.engine.call('page', { ...rowsOf(entries, { conditions }), ...page }))
  expect(found.rows.map(({ file }) => file)).toEqual([one, other])
})

it('knows of which days two files have rows, in a zone', () => {
  const span = (first: string, last: string) => ({
    first: Date.parse(first) as Instant,
    last: Date.parse(last) as Instant,
  })
  const [one, other] = [
    span('2026-11-10T00:00Z', '2026-11-10T23:59Z'),
    span('2026-11-11T00:00Z', '2026-11-12T09:00Z'),
  ]
  expect(overlappingDays([one, other], 'UTC')).toBeNull()
  // Seven hours earlier the second begins on the day on which the first ends.
  expect(overlappingDays([one, other], 'America/Phoenix')).toEqual({ start: '2026-11-10', end: '2026-11-10' })
  expect(overlappingDays([one, { first: null, last: null }], 'UTC')).toBeNull()
  // Rows of two instances are never the same.
  expect(
    overlappingDays(
      [
        { ...one, label: '7' },
        { ...one, label: '8' },
      ],
      'UTC',
    ),
  ).toBeNull()
  expect(overlappingDays([one, other, span('2026-11-09T00:00Z', '2026-11-11T01:00Z')], 'UTC')).toEqual({
    start: '2026-11-10',
    end: '2026-11-11',
  })
})
