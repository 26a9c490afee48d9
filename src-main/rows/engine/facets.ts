import type { Facet, Facets } from '../../../src-shared/rows/answers.ts'
import type { FacetsAsked } from './calls.ts'
import { countFrom, Question, textFrom } from './questions.ts'
import type { Reading } from './questions.ts'

/** The most frequent values of columns. */
export async function facetsFrom(asked: FacetsAsked, reading: Reading): Promise<Facets> {
  const all = new Question(asked.files, asked.conditions, reading.placeOf)
  const isBad = all.bad()
  const [[rows, bad] = []] = await reading.rows(
    `SELECT count(*)${badCount(isBad)} FROM ${all.found()}`,
    all.statement.bound,
  )
  const facets: Facet[] = []
  for (const column of asked.columns) facets.push(await facetOf(column, asked, reading))
  return { rows: countFrom(rows), bad: isBad === undefined ? null : countFrom(bad), facets }
}

const badCount = (isBad: string | undefined) =>
  isBad === undefined ? '' : `, count(*) FILTER (${isBad}) AS bad`

async function facetOf(column: string, asked: FacetsAsked, reading: Reading): Promise<Facet> {
  const question = new Question(asked.files, asked.conditions, reading.placeOf)
  const value = question.relation.slot(column).text
  const isBad = question.bad()
  const groups = `SELECT ${value} AS value, count(*) AS rows${badCount(isBad)} FROM ${question.found()} GROUP BY ${value}`
  const found = await reading.rows(
    `SELECT coalesce(value, ''), rows, ${isBad === undefined ? 'NULL' : 'bad'}, count(*) OVER () FROM (${groups})
      ORDER BY rows DESC, value ASC NULLS FIRST LIMIT ${asked.top}`,
    question.statement.bound,
  )
  return {
    column,
    distinct: countFrom(found[0]?.[3]),
    values: found.map(([text, rows, bad]) => ({
      value: textFrom(text),
      rows: countFrom(rows),
      bad: isBad === undefined ? null : countFrom(bad),
    })),
  }
}
