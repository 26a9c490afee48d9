import type { SearchHits, UnreadableLines } from '#shared/archives/answers.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import type { RowsEntry } from '../entry.ts'
import type { SearchParams, UnreadableParams } from './calls.ts'
import { rowsAt } from './pages.ts'
import { countFrom, Question, textFrom } from './questions.ts'
import type { Reading } from './questions.ts'

/** Columns that hold what somebody looks for: addresses, ids, pages and user agents. */
const searched: ReadonlySet<string> = new Set([
  'remote_address',
  'requesting_remote_address',
  'exid',
  'response_id',
  'app_id',
  'device_id',
  'location',
  'page',
  'referrer',
  'user_agent',
  'requesting_user_agent',
])

/** Columns that say what a row was. */
const telling: ReadonlySet<string> = new Set(['timestamp', 'result', 'source', 'campaign', 'country'])

/** In a table that is no raw report anything may be what somebody looks for. */
const maxSearched = 50

function searchedColumns({ columns }: RowsEntry): readonly RowsColumn[] {
  const known = columns.filter(({ standard }) => standard !== null && searched.has(standard))
  return known.length > 0 ? known : columns.filter(({ kind }) => kind !== 'time').slice(0, maxSearched)
}

/** What a text is found in, whatever its capitals. */
export async function searchFrom(
  { file, text, max }: SearchParams,
  reading: Reading,
): Promise<Pick<SearchHits, 'found' | 'columns' | 'rows'>> {
  const among = searchedColumns(file)
  const columns = file.columns
    .filter((column) => among.includes(column) || (column.standard !== null && telling.has(column.standard)))
    .map(({ name, kind, standard }) => ({ name, kind, standard }))
  const question = new Question([file], [], reading.placeOf)
  const value = question.statement.bind(text)
  const met = among.map(
    ({ name }) => `contains(lower(${question.relation.slot(name).text}), lower(${value}))`,
  )
  if (met.length === 0) return { found: 0, columns, rows: [] }
  const found = await reading.rows(
    `SELECT r, count(*) OVER () FROM ${question.relation.from()} WHERE ${met.join(' OR ')} ORDER BY r LIMIT ${max}`,
    question.statement.bound,
  )
  const places = found.map(([row]) => ({ file: 0, row: countFrom(row) }))
  const names = columns.map(({ name }) => name)
  return { found: countFrom(found[0]?.[1]), columns, rows: await rowsAt([file], places, names, reading) }
}

/** Lines that were no rows. */
export async function unreadableFrom(
  { offset, limit }: Pick<UnreadableParams, 'offset' | 'limit'>,
  place: string,
  reading: Reading,
): Promise<UnreadableLines> {
  const [[total] = []] = await reading.rows(
    'SELECT count(*) FROM read_parquet($place, hive_partitioning = false)',
    { place },
  )
  const lines = await reading.rows(
    `SELECT line, why, "text" FROM read_parquet($place, hive_partitioning = false) ORDER BY line LIMIT ${limit} OFFSET ${offset}`,
    { place },
  )
  return {
    total: countFrom(total),
    lines: lines.map(([line, why, text]) => ({
      line: line === null ? null : countFrom(line),
      why: textFrom(why),
      text: textFrom(text),
    })),
  }
}
