import type { Facet, Facets } from '../../../src-shared/rows/answers.ts'
import type { FacetsAsked } from './calls.ts'
import { countFrom, Question, textFrom } from './questions.ts'
import type { Reading } from './questions.ts'
import { columnsOf } from './relation.ts'

/** Columns of which every row may have a value of its own: counting all of them together with others takes too much memory. */
const ofTheirOwn = /address|(^|_)id$|^exid$|^location$|^page$|^referrer$/

/** Columns that are counted in one statement, which reads the rows once. */
const together = 12

/** The most frequent values of columns. */
export async function facetsFrom(asked: FacetsAsked, reading: Reading): Promise<Facets> {
  const standards = new Map(columnsOf(asked.files).map(({ name, standard }) => [name, standard]))
  const isAlone = (column: string) => ofTheirOwn.test(standards.get(column) ?? 'address')
  const shared = asked.columns.filter((column) => !isAlone(column))
  const parts = [
    ...Array.from({ length: Math.ceil(shared.length / together) }, (_, nth) =>
      shared.slice(nth * together, (nth + 1) * together),
    ),
    ...asked.columns.filter(isAlone).map((column) => [column]),
  ]
  const facets = new Map<string, Facet>()
  for (const columns of parts)
    for (const facet of await facetsOf(columns, asked, reading)) facets.set(facet.column, facet)
  const all = new Question(asked.files, asked.conditions, reading.placeOf)
  const isBad = all.bad()
  const [[rows, bad] = []] = await reading.rows(
    `SELECT count(*)${badCount(isBad)} FROM ${all.found()}`,
    all.statement.bound,
  )
  return {
    rows: countFrom(rows),
    bad: isBad === undefined ? null : countFrom(bad),
    facets: asked.columns.flatMap((column) => facets.get(column) ?? []),
  }
}

const badCount = (isBad: string | undefined) =>
  isBad === undefined ? ', NULL AS bad' : `, count(*) FILTER (${isBad}) AS bad`

async function facetsOf(columns: readonly string[], asked: FacetsAsked, reading: Reading): Promise<Facet[]> {
  const question = new Question(asked.files, asked.conditions, reading.placeOf)
  const values = columns.map((column) => question.relation.slot(column).text)
  const isBad = question.bad()
  const names = values.map((_, nth) => `v${nth}`)
  // Which column a group is of: the one whose bit is not set.
  const bits = (nth: number) => (1 << columns.length) - 1 - (1 << (columns.length - 1 - nth))
  const value = names.map((name, nth) => `WHEN ${bits(nth)} THEN ${name}`).join(' ')
  const inner = `SELECT ${values.map((each, nth) => `${each} AS v${nth}`).join(', ')}${isBad === undefined ? '' : `, ${isBad} AS is_bad`}
    FROM ${question.found()}`
  const grouped = `SELECT GROUPING_ID(${names.join(', ')}) AS which, ${names.join(', ')}, count(*) AS rows${badCount(isBad && 'is_bad')}
    FROM (${inner}) GROUP BY GROUPING SETS (${names.map((name) => `(${name})`).join(', ')})`
  const found = await reading.rows(
    `SELECT which, coalesce(value, ''), rows, bad, values FROM (
      SELECT which, value, rows, bad, count(*) OVER (PARTITION BY which) AS values,
        row_number() OVER (PARTITION BY which ORDER BY rows DESC, value ASC NULLS FIRST) AS place
      FROM (SELECT which, CASE which ${value} END AS value, rows, bad FROM (${grouped})))
      WHERE place <= ${asked.top} ORDER BY which, place`,
    question.statement.bound,
  )
  return columns.map((column, nth) => {
    const own = found.filter(([which]) => countFrom(which) === bits(nth))
    return {
      column,
      distinct: countFrom(own[0]?.[4]),
      values: own.map(([, text, rows, bad]) => ({
        value: textFrom(text),
        rows: countFrom(rows),
        bad: isBad === undefined ? null : countFrom(bad),
      })),
    }
  })
}
