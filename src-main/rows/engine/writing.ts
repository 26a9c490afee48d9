import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { spreadsheetSafe } from '../../exports/safe-text.ts'
import type { Bind } from '../../figures/engine/sums.ts'
import type { WriteAsked, WrittenFile } from './calls.ts'
import { orderOf } from './pages.ts'
import { Question, countFrom } from './questions.ts'
import type { Reading } from './questions.ts'
import { columnsOf } from './relation.ts'

/**
 * What a spreadsheet could take for the beginning of a formula (src-main/exports/safe-text.ts), as the engine writes patterns.
 */
const formula = `^[\\s\\p{Cc}\\p{Cf}''"‘’“”\`]*[\\t\\r\\n=+\\-@\\x{2212}＝＋－﹣﹢﹦＠﹫]`

/** A name of a column as it stands in an exported file; whatever it says, it stays a name. */
const named = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', ' ')}"`

/** Writes what a question finds into a file of the engine's own folder; where that fails, none is left. */
export async function writeRows(
  { files, conditions, sort, columns, format }: WriteAsked,
  folder: string,
  reading: Reading,
): Promise<WrittenFile> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `export-${randomBytes(8).toString('hex')}.${format}`)
  const question = new Question(files, conditions, reading.placeOf)
  const { bind } = question.statement
  const names = columns.length > 0 ? columns : columnsOf(files).map(({ name }) => name)
  const cells = names.map(
    (name, nth) => `${cellOf(question.relation.slot(name).text, format, bind)} AS x${nth}`,
  )
  const order = orderOf(sort, question.relation, false)
  const found = `SELECT ${cells.join(', ')} FROM ${question.found()} ORDER BY ${order}`
  // What is called like a column of ours would take its place in the order: names are given to what is in order already.
  const headers = names.map(
    (name, nth) => `x${nth} AS ${named(format === 'csv' ? spreadsheetSafe(name) : name)}`,
  )
  const select = `SELECT ${headers.join(', ')} FROM (${found})`
  try {
    const [[rows] = []] = await reading.rows(
      `COPY (${select}) TO ${bind(path)} (${formOf[format]})`,
      question.statement.bound,
    )
    return { path, rows: countFrom(rows) }
  } catch (error) {
    // What was broken off is of no use to anybody.
    rmSync(path, { force: true })
    throw error
  }
}

const formOf = {
  csv: `FORMAT csv, HEADER true`,
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  json: 'FORMAT json, ARRAY true',
}

function cellOf(text: string, format: WriteAsked['format'], bind: Bind): string {
  if (format !== 'csv') return text
  return `CASE WHEN regexp_matches(${text}, ${bind(formula)}) THEN '''' || ${text} ELSE ${text} END`
}
