import type { Cluster, ClusterKind, RowsClusters, GroupKey } from '#shared/archives/rows.ts'
import { clusterKinds } from '#shared/archives/rows.ts'
import { byCodePoints } from '#shared/values/text.ts'
import type { RowsInZone } from './rows-engine.ts'
import { countedBy, keySql } from './groups.ts'
import { countFrom, textFrom } from '#main/analytics/statement.ts'
import { BoundQuery, shiftsOver } from './bound-query.ts'
import type { Reading } from './bound-query.ts'

/** Minimum number of bad rows of a cluster. Values with fewer rows are not tested. */
const fewestBad = 5

/** Maximum probability of a cluster, corrected for all values tested. */
const maxChance = 0.01

/** Maximum number of values tested one by one, per kind: those with the largest excess of bad rows. */
const maxOfKind = 1000

/** Maximum number of clusters returned, least probable first. */
const maxClusters = 1000

type Sought = { readonly kind: ClusterKind; readonly key: GroupKey }

/** Kinds of keys to test, limited to existing columns. */
function soughtIn({ relation }: BoundQuery): Sought[] {
  const { time } = relation
  const keyed = (kind: ClusterKind, standard: string, by: GroupKey['by']): Sought[] => {
    const column = relation.standard(standard)
    return column === undefined ? [] : [{ kind, key: { column, by } }]
  }
  return [
    ...keyed('address', 'remote_address', 'value'),
    ...keyed('range', 'remote_address', 'network'),
    ...keyed('network', 'network', 'value'),
    ...keyed('user-agent', 'user_agent', 'value'),
    ...keyed('referrer', 'referrer', 'value'),
    ...(time === undefined ? [] : [{ kind: 'hour' as const, key: { column: time, by: 'hour' as const } }]),
  ]
}

/** Finds values that have far more bad rows than their share. */
export async function clustersFrom(request: RowsInZone, reading: Reading): Promise<RowsClusters> {
  const query = new BoundQuery(request.files, request.conditions, reading)
  const isBad = query.bad()
  const counted = await query.rows(
    `SELECT count(*), ${isBad === undefined ? 'NULL' : `count(*) FILTER (${isBad})`} FROM ${query.found()}`,
  )
  const [rows, bad] = [countFrom(counted[0]?.[0]), countFrom(counted[0]?.[1])]
  if (isBad === undefined) return { rows, bad: null, tested: 0, clusters: [], more: 0 }
  if (bad < fewestBad || bad === rows) return { rows, bad, tested: 0, clusters: [], more: 0 }
  const all: Held = { rows, bad }
  const found: Cluster[] = []
  let tested = 0
  for (const sought of soughtIn(query)) {
    const values = await valuesOf(sought, request, all, reading)
    tested += values.tested
    for (const { value, ...held } of values.max)
      found.push({
        ...sought,
        ...{ value, ...held, expected: (held.rows * bad) / rows, chance: chanceOf(held, all) },
      })
  }
  const chances = corrected(
    found.map(({ chance }) => chance),
    tested,
  )
  const clusters = found
    .map((cluster, nth) => ({ ...cluster, chance: chances[nth] ?? 1 }))
    .filter((item) => item.chance <= maxChance && isFarMore(item))
    .sort(
      (a, b) =>
        a.chance - b.chance || excess(b) - excess(a) || place(a) - place(b) || byCodePoints(a.value, b.value),
    )
  return {
    rows,
    bad,
    tested,
    clusters: clusters.slice(0, maxClusters),
    more: Math.max(0, clusters.length - maxClusters),
  }
}

const excess = ({ bad, expected }: Cluster) => bad - expected

const place = ({ kind }: Cluster) => clusterKinds.indexOf(kind)

/** Whether bad rows are 1.5 times the expected number, or good rows at most half of it. */
const isFarMore = ({ rows, bad, expected }: Cluster): boolean =>
  bad >= 1.5 * expected || (bad > expected && rows - bad <= (rows - expected) / 2)

type Value = Held & { readonly value: string }

/** Values with the largest excess of bad rows, and the number of values compared. */
async function valuesOf(
  { kind, key }: Sought,
  request: RowsInZone,
  all: Held,
  reading: Reading,
): Promise<{ readonly tested: number; readonly max: readonly Value[] }> {
  const query = new BoundQuery(request.files, request.conditions, reading)
  const keyed = keySql(key, query, shiftsOver(request.files, request.zone))
  const { text } = keyed
  const grouped = countedBy(key, keyed, query)
  // An empty user agent, referrer or network is a value. An empty address or time is none.
  const isValue = kind === 'address' || kind === 'range' || kind === 'hour' ? 'g IS NOT NULL' : 'true'
  const share = all.bad / all.rows
  const off = `(b - n * ${share}::DOUBLE)`
  const found =
    await query.rows(`SELECT t, n, b, tested FROM (SELECT ${text('g')} AS t, n, b, count(*) OVER () AS tested,
        ${off} * ${off} / (n * (1 - n / ${all.rows + 1}::DOUBLE)) AS weight
      FROM (${grouped}) WHERE n >= ${fewestBad} AND ${isValue})
      ORDER BY b >= ${fewestBad} AND ${off} > 0 DESC, weight DESC, t LIMIT ${maxOfKind}`)
  const max = found.map(([value, n, b]) => ({
    value: textFrom(value),
    rows: countFrom(n),
    bad: countFrom(b),
  }))
  return {
    tested: countFrom(found[0]?.[3]),
    max: max.filter(({ rows, bad }) => bad >= fewestBad && bad > rows * share),
  }
}

/** Rows and bad rows, of a value or of all. */
type Held = { readonly rows: number; readonly bad: number }

/** Terms smaller than this share of the sum are dropped. */
const negligible = 1e-17

/**
 * Fisher's exact test, two-sided: adds up the probabilities of all counts at most as probable as this one.
 * @param part rows with the value
 * @param all all rows, including those of `part`
 * @returns probability, 0 to 1, of an equally uneven distribution if every row is equally likely to be bad
 */
export function chanceOf(part: Held, all: Held): number {
  const { rows: n, bad: b } = part
  const { rows: N, bad: B } = all
  if (n <= 0 || n >= N || B <= 0 || B >= N) return 1
  const [min, max] = [Math.max(0, n + B - N), Math.min(n, B)]
  const mode = Math.min(max, Math.max(min, Math.floor(((n + 1) * (B + 1)) / (N + 2))))
  // The tolerance covers rounding: equally probable counts are included.
  const limit = logProbability(b, n, B, N) + 1e-6
  const isRare = (count: number) => logProbability(count, n, B, N) <= limit
  if (isRare(mode)) return 1
  // Probabilities fall on each side of the mode: a binary search finds the first rare count.
  const above = firstWhere(mode, max + 1, isRare)
  const below = -firstWhere(-mode, -min + 1, (count) => isRare(-count))
  const [start, end] = [Math.exp(logProbability(below, n, B, N)), Math.exp(logProbability(above, n, B, N))]
  let sum = 0
  for (let count = above, term = end; count <= max && term > sum * negligible; count += 1) {
    sum += term
    term *= ((B - count) * (n - count)) / ((count + 1) * (N - B - n + count + 1))
  }
  for (let count = below, term = start; count >= min && term > sum * negligible; count -= 1) {
    sum += term
    term *= (count * (N - B - n + count)) / ((B - count + 1) * (n - count + 1))
  }
  return Math.min(1, sum)
}

/** Binary search for the first number at which a monotonic predicate holds; `end` if it never holds. */
function firstWhere(from: number, end: number, holds: (number: number) => boolean): number {
  let [before, after] = [from - 1, end]
  while (after - before > 1) {
    const between = Math.floor((before + after) / 2)
    if (holds(between)) after = between
    else before = between
  }
  return after
}

/** Log of the hypergeometric probability of `b` bad rows among `n` drawn of `N`, of which `B` are bad. */
const logProbability = (b: number, n: number, B: number, N: number): number =>
  b < 0 || b > n || b > B || n - b > N - B
    ? -Infinity
    : logChoose(B, b) + logChoose(N - B, n - b) - logChoose(N, n)

const logChoose = (n: number, k: number): number => logGamma(n + 1) - logGamma(k + 1) - logGamma(n - k + 1)

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
] as const

/** Logarithm of the gamma function for x ≥ 1 (Lanczos). */
function logGamma(x: number): number {
  const z = x - 1
  const [first, ...others] = lanczos
  const series = others.reduce<number>((sum, other, nth) => sum + other / (z + nth + 1), first)
  const t = z + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(series)
}

/**
 * Corrects probabilities for multiple tests (Benjamini and Hochberg). Of values with a corrected probability of at most 0.01, one in a
 * hundred is expected by chance.
 * @param chances in any order; the result has the same order
 * @param tested number of tests in total. Tests that are not in `chances` count as less significant
 */
export function corrected(chances: readonly number[], tested: number): number[] {
  const order = chances.map((_, nth) => nth).sort((a, b) => (chances[b] ?? 1) - (chances[a] ?? 1))
  const found = [...chances]
  let min = 1
  for (const [place, nth] of order.entries()) {
    const rank = chances.length - place
    min = Math.min(min, ((chances[nth] ?? 1) * Math.max(tested, chances.length)) / rank)
    found[nth] = min
  }
  return found
}
