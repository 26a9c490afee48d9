import { randomBytes } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { csvForm, csvMark, delimited } from '#shared/values/delimited.ts'
import { spreadsheetSafeSql } from '#shared/values/spreadsheet-text.ts'
import type { WriteParams, WrittenFile } from './calls.ts'
import { orderOf } from './pages.ts'
import { Question, countFrom } from './questions.ts'
import type { Reading } from './questions.ts'
import { columnsOf } from './relation.ts'

/** A name of a column as it stands in an exported file; whatever it says, it stays a name. */
const named = (name: string): string => `"${name.replaceAll('"', '""').replaceAll('\0', ' ')}"`

/** Writes what a question finds into a file of the engine's own folder; where that fails, none is left. */
export async function writeRows(
  { files, conditions, sort, columns, format }: WriteParams,
  folder: string,
  reading: Reading,
): Promise<WrittenFile> {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `export-${randomBytes(8).toString('hex')}.${format}`)
  const question = new Question(files, conditions, reading.placeOf)
  const { bind } = question.statement
  const names = columns.length > 0 ? columns : columnsOf(files).map(({ name }) => name)
  const cells = names.map((name, nth) => {
    const { text } = question.relation.slot(name)
    return `${format === 'csv' ? spreadsheetSafeSql(text) : text} AS x${nth}`
  })
  const order = orderOf(sort, question.relation, false)
  const found = `SELECT ${cells.join(', ')} FROM ${question.found()} ORDER BY ${order}`
  // What is called like a column of ours would take its place in the order: names are given to what is in order already.
  const headers = names.map((name, nth) => `x${nth} AS ${named(name)}`)
  const head = csvMark + delimited([names], { ...csvForm, lineEnd: '\n' })
  const [select, form] =
    format === 'csv'
      ? [found, csvBelow(bind(head), bind('\n'))]
      : [`SELECT ${headers.join(', ')} FROM (${found})`, formOf[format]]
  try {
    const [[counted] = []] = await reading.rows(
      `COPY (${select}) TO ${bind(path)} (${form})`,
      question.statement.bound,
    )
    const rows = countFrom(counted)
    // The engine ends the last line by itself only where there is one.
    if (format === 'csv' && rows === 0) writeFileSync(path, head)
    return { path, rows }
  } catch (error) {
    // What was broken off is of no use to anybody.
    rmSync(path, { force: true })
    throw error
  }
}

/** Every cell in quotes, below a header of our own: the engine's would be neither guarded nor marked as UTF-8. */
const csvBelow = (head: string, end: string) =>
  `FORMAT csv, HEADER false, FORCE_QUOTE *, PREFIX ${head}, SUFFIX ${end}`

const formOf = {
  parquet: 'FORMAT parquet, COMPRESSION zstd',
  json: 'FORMAT json, ARRAY true',
}
