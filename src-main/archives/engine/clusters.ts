import type { Cluster, ClusterKind, RowsClusters } from '#shared/archives/answers.ts'
import { clusterKinds } from '#shared/archives/answers.ts'
import type { GroupKey } from '#shared/archives/question.ts'
import { byCodePoints } from '#shared/values/code-points.ts'
import { chanceOf, corrected } from '../significance.ts'
import type { Held } from '../significance.ts'
import type { ClustersParams } from './calls.ts'
import { keySql } from './groups.ts'
import { countFrom, Question, shiftsOver, textFrom } from './questions.ts'
import type { Reading } from './questions.ts'

/** Fewer bad rows are no cluster, however unlikely they are. Values that have fewer rows are not tested. */
const fewestBad = 5

/** A value stands among the clusters where its chance, corrected for all values that were tested, is at most this. */
const maxChance = 0.01

/** Of each kind so many values are tested one by one: those that hold the most more bad rows than their share. */
const maxOfKind = 1000

/** So many clusters are told, the least probable first. */
const maxTold = 1000

type Sought = { readonly kind: ClusterKind; readonly key: GroupKey }

/** What is looked through: as many kinds as there are columns for. */
function soughtIn({ relation }: Question): Sought[] {
  const { time } = relation
  const of = (kind: ClusterKind, standard: string, by: GroupKey['by']): Sought[] => {
    const column = relation.standard(standard)
    return column === undefined ? [] : [{ kind, key: { column, by } }]
  }
  return [
    ...of('address', 'remote_address', 'value'),
    ...of('range', 'remote_address', 'network'),
    ...of('network', 'network', 'value'),
    ...of('user-agent', 'user_agent', 'value'),
    ...of('referrer', 'referrer', 'value'),
    ...(time === undefined ? [] : [{ kind: 'hour' as const, key: { column: time, by: 'hour' as const } }]),
  ]
}

/** Values that hold far more bad rows than their share of all that a question finds. */
export async function clustersFrom(asked: ClustersParams, reading: Reading): Promise<RowsClusters> {
  const question = new Question(asked.files, asked.conditions, reading.placeOf)
  const isBad = question.bad()
  const counted = await reading.rows(
    `SELECT count(*), ${isBad === undefined ? 'NULL' : `count(*) FILTER (${isBad})`} FROM ${question.found()}`,
    question.statement.bound,
  )
  const [rows, bad] = [countFrom(counted[0]?.[0]), countFrom(counted[0]?.[1])]
  if (isBad === undefined) return { rows, bad: null, tested: 0, clusters: [], more: 0 }
  if (bad < fewestBad || bad === rows) return { rows, bad, tested: 0, clusters: [], more: 0 }
  const all: Held = { rows, bad }
  const found: Cluster[] = []
  let tested = 0
  for (const sought of soughtIn(question)) {
    const values = await valuesOf(sought, asked, all, reading)
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
    clusters: clusters.slice(0, maxTold),
    more: Math.max(0, clusters.length - maxTold),
  }
}

const excess = ({ bad, expected }: Pick<Cluster, 'bad' | 'expected'>) => bad - expected

const place = ({ kind }: Pick<Cluster, 'kind'>) => clusterKinds.indexOf(kind)

/** Half as many bad rows again as expected; or, where most rows are bad anyway, at most half of the others that are expected. */
const isFarMore = ({ rows, bad, expected }: Pick<Cluster, 'rows' | 'bad' | 'expected'>): boolean =>
  bad >= 1.5 * expected || (bad > expected && rows - bad <= (rows - expected) / 2)

type Value = Held & { readonly value: string }

/** The values that hold the most more bad rows than their share, and how many were compared. */
async function valuesOf(
  { kind, key }: Sought,
  asked: ClustersParams,
  all: Held,
  reading: Reading,
): Promise<{ readonly tested: number; readonly max: readonly Value[] }> {
  const question = new Question(asked.files, asked.conditions, reading.placeOf)
  const isBad = question.bad() ?? 'false'
  const { relation } = question
  // Addresses are counted before their ranges are told: that is done for each address once, and not for each row.
  const plain = key.by === 'network' ? relation.slot(key.column).text : undefined
  const { group, text } = keySql(key, question, shiftsOver(asked.files, asked.zone))
  const counted = `SELECT ${plain ?? group} AS g, count(*) AS n, count(*) FILTER (${isBad}) AS b FROM ${question.found()} GROUP BY 1`
  const grouped =
    plain === undefined
      ? counted
      : `SELECT network_of(g) AS g, sum(n) AS n, sum(b) AS b FROM (${counted}) GROUP BY 1`
  // No cell is a user agent, a referrer or a network that can be told; no cell is no address, and no moment.
  const isValue = kind === 'address' || kind === 'range' || kind === 'hour' ? 'g IS NOT NULL' : 'true'
  const share = all.bad / all.rows
  const off = `(b - n * ${share}::DOUBLE)`
  const found = await reading.rows(
    `SELECT t, n, b, tested FROM (SELECT ${text('g')} AS t, n, b, count(*) OVER () AS tested,
        ${off} * ${off} / (n * (1 - n / ${all.rows + 1}::DOUBLE)) AS weight
      FROM (${grouped}) WHERE n >= ${fewestBad} AND ${isValue})
      ORDER BY b >= ${fewestBad} AND ${off} > 0 DESC, weight DESC, t LIMIT ${maxOfKind}`,
    question.statement.bound,
  )
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
