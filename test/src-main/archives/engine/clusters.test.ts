import { expect, it } from 'vitest'
import { chanceOf } from '#main/archives/engine/clusters.ts'
import type { RowsClusters, RowsCondition } from '#shared/archives/rows.ts'
import { byCodePoints } from '#shared/values/text.ts'
import { seed } from '#test/helpers/properties.ts'
import { randomFrom } from '#test/helpers/random.ts'
import { answered, openRowsDesk, rowsOf } from '../helpers.ts'
import { referenceNetwork, referenceRows } from '../reference-implementation.ts'
import type { ReferenceRow } from '../reference-implementation.ts'
import { reportOf } from '../sandbox-rows.ts'

const isBad = (row: ReferenceRow) => row['RESULT'] === 'bad' || row['RESULT'] === 'suspect'

const filled = (cell: string) => (cell === '' ? null : cell)

const kinds: readonly (readonly [string, string, (cell: string) => string | null])[] = [
  ['address', 'REMOTE ADDRESS', filled],
  ['range', 'REMOTE ADDRESS', (cell) => filled(referenceNetwork(cell))],
  ['network', 'NETWORK', (cell) => cell],
  ['user-agent', 'USER AGENT', (cell) => cell],
  ['referrer', 'REFERRER', (cell) => cell],
  ['hour', 'TIMESTAMP', (cell) => cell.slice(0, 13).replace('T', ' ')],
]

/** Clusters, told one value after the other. */
function referenceClusters(rows: readonly ReferenceRow[]) {
  const all = { rows: rows.length, bad: rows.filter(isBad).length }
  if (all.bad < 5 || all.bad === all.rows) return { ...all, tested: 0, clusters: [] }
  const values = kinds.flatMap(([kind, column, valueOf]) => {
    const found = new Map<string, { kind: string; value: string; rows: number; bad: number }>()
    for (const row of rows) {
      const cell = row[column]
      const value = cell === undefined ? null : valueOf(cell)
      if (value === null) continue
      const held = found.get(value) ?? { kind, value, rows: 0, bad: 0 }
      found.set(value, { ...held, rows: held.rows + 1, bad: held.bad + (isBad(row) ? 1 : 0) })
    }
    return [...found.values()].filter((each) => each.rows >= 5)
  })
  const more = values
    .map((each) => ({ ...each, expected: (each.rows * all.bad) / all.rows, chance: chanceOf(each, all) }))
    .filter(({ bad, expected }) => bad >= 5 && bad > expected)
  const clusters = more
    .map((each) => {
      // A chance is as good as the best of those that are at least as large, each times how many were tested over its place.
      const larger = more.filter(({ chance }) => chance >= each.chance)
      const places = larger.map(
        ({ chance }) => (chance * values.length) / more.filter((other) => other.chance <= chance).length,
      )
      return { ...each, chance: Math.min(1, ...places) }
    })
    .filter(
      ({ rows: n, bad, expected, chance }) =>
        chance <= 0.01 && (bad >= 1.5 * expected || n - bad <= (n - expected) / 2),
    )
  return { ...all, tested: values.length, clusters }
}

const plain = ({ clusters }: Pick<RowsClusters, 'clusters'>) =>
  clusters
    .map(({ kind, value, rows, bad, expected, chance }) => ({
      ...{ kind, value, rows, bad },
      ...{ expected: expected.toFixed(6), chance: chance.toExponential(6) },
    }))
    .sort((a, b) => byCodePoints(`${a.kind} ${a.value}`, `${b.kind} ${b.value}`))

async function expectClusters(
  csv: string | Buffer,
  rows: readonly ReferenceRow[],
  conditions: readonly RowsCondition[] = [],
) {
  const desk = openRowsDesk()
  const entry = await desk.importArchive(csv)
  const found = await answered(
    desk.engine.call('clusters', { ...rowsOf([entry], { conditions }), zone: 'UTC' }),
  )
  const expected = referenceClusters(referenceRows(rows, conditions))
  expect(found).toMatchObject({ rows: expected.rows, bad: expected.bad, tested: expected.tested, more: 0 })
  expect(plain(found)).toEqual(plain({ clusters: expected.clusters } as never))
  const chances = found.clusters.map(({ chance }) => chance)
  expect(chances).toEqual(chances.toSorted((a, b) => a - b))
  return found
}

it.each(['response', 'direct'] as const)('of the sandbox are those of its events: %s', async (type) => {
  const { csv, rows } = reportOf(type)
  const found = await expectClusters(csv, rows)
  const [max] = [...new Set(rows.map((row) => row['SOURCE'] ?? ''))]
    .map((source) => ({ source, rows: rows.filter((row) => row['SOURCE'] === source).length }))
    .sort((a, b) => b.rows - a.rows)
  await expectClusters(csv, rows, [
    { column: 'SOURCE', out: false, test: { kind: 'is', value: max?.source ?? '' } },
  ])
  expect(found.tested).toBeGreaterThan(20)
})

it('says nothing where no row says how it was judged', async () => {
  const { csv, rows } = reportOf('request')
  const desk = openRowsDesk()
  const entry = await desk.importArchive(csv)
  expect(await answered(desk.engine.call('clusters', { ...rowsOf([entry]), zone: 'UTC' }))).toEqual({
    ...{ rows: rows.length, bad: null, tested: 0, clusters: [], more: 0 },
  })
})

it('finds an address, its network and the hour in which nearly all bad rows came', async () => {
  const rows = Array.from({ length: 3000 }, (_, nth): ReferenceRow => {
    const isOfCluster = nth % 20 === 0
    const bad = isOfCluster ? nth % 200 !== 0 : nth % 13 === 0
    return {
      TIMESTAMP: `2026-11-20T${isOfCluster ? '03' : String(nth % 24).padStart(2, '0')}:00:00Z`,
      RESULT: bad ? 'bad' : 'good',
      'REMOTE ADDRESS': isOfCluster ? '203.0.113.7' : `198.51.${nth % 40}.${nth % 250}`,
    }
  })
  const names = ['TIMESTAMP', 'RESULT', 'REMOTE ADDRESS']
  const csv = [names.join(','), ...rows.map((row) => names.map((name) => row[name]).join(','))].join('\n')
  const found = await expectClusters(`${csv}\n`, rows)
  const atThree = rows.filter((row) => row['TIMESTAMP']?.includes('T03'))
  expect(found.clusters.map(({ kind, value, rows: n, bad }) => [kind, value, n, bad])).toEqual([
    ['address', '203.0.113.7', 150, 135],
    ['range', '203.0.113.0/24', 150, 135],
    ['hour', '2026-11-20 03', atThree.length, atThree.filter(isBad).length],
  ])
})

it('of random rows are those of a plain evaluation', async () => {
  console.log(`clusters of raw rows: PROPERTY_SEED=${seed}, 12 tables`)
  const random = randomFrom(seed)
  const some = (count: number) => Math.floor(random() ** 2 * count)
  const names = ['TIMESTAMP', 'RESULT', 'REMOTE ADDRESS', 'NETWORK', 'USER AGENT', 'REFERRER']
  for (let table = 0; table < 12; table += 1) {
    const count = 50 + some(1500)
    const share = random()
    const worse = some(12)
    const rows = Array.from({ length: count }, (_, nth): ReferenceRow => {
      const network = some(12)
      const isWorse = network === worse || nth % 17 === table
      return {
        TIMESTAMP: `2026-11-${String(10 + some(3))}T${String(some(24)).padStart(2, '0')}:10:00Z`,
        RESULT: random() < (isWorse ? 0.5 + share / 2 : share / 2) ? 'suspect' : 'non-suspect',
        'REMOTE ADDRESS':
          random() < 0.05 ? '' : random() < 0.05 ? 'no address' : `198.51.${network}.${some(250)}`,
        NETWORK: random() < 0.1 ? '' : `Net ${network}`,
        'USER AGENT': `agent "${some(9)}"`,
        REFERRER: random() < 0.3 ? '' : `https://host${some(90)}.example/`,
      }
    })
    const cell = (text: string) => `"${text.replaceAll('"', '""')}"`
    const csv = [names.join(','), ...rows.map((row) => names.map((name) => cell(row[name] ?? '')).join(','))]
    await expectClusters(`${csv.join('\n')}\n`, rows)
  }
}, 120_000)
