import * as v from 'valibot'
import { parseDay } from '../../../src-shared/values/day.ts'
import type { Day } from '../../../src-shared/values/day.ts'
import type { Reader } from '../../lib/sqlite/database.ts'
import type { BlockId } from '../cache/tables-repository.ts'
import type { ReadBlock } from './merge.ts'
import { readHead } from './packed-head.ts'
import { unpackRows } from './packed-rows.ts'
import type { UnpackedRows } from './packed-rows.ts'

/** Thrown where kept tables are not there, or cannot be read, or have no rows where rows are needed. */
export class Lacking extends Error {
  readonly blocks: readonly BlockId[]

  constructor(blocks: readonly BlockId[]) {
    super('Kept tables cannot be read')
    this.name = 'Lacking'
    this.blocks = blocks
  }
}

const keptDay = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined),
  v.transform((text) => text as Day),
)

const headRow = v.object({
  start: keptDay,
  end: keptDay,
  whole: v.picklist([0, 1]),
  rows: v.pipe(v.number(), v.integer(), v.minValue(0)),
  head: v.string(),
})

/**
 * Reads kept tables; pages one by one while they are walked through.
 * @param rows whether their rows are needed, and not their totals alone
 * @throws Lacking; while pages are walked through, too
 */
export function readBlocks(from: Reader, ids: readonly BlockId[], rows: boolean): ReadBlock[] {
  const blocks = ids.map((id) => readBlock(from, id, rows))
  const lacking = ids.filter((_, place) => blocks[place] === undefined)
  if (lacking.length > 0) throw new Lacking(lacking)
  return blocks.flatMap((block) => block ?? [])
}

function readBlock(from: Reader, id: BlockId, rows: boolean): ReadBlock | undefined {
  const row = from.row(
    'SELECT first_day AS start, last_day AS end, whole, rows, head FROM kept_tables WHERE id = ?',
    id,
  )
  const read = v.safeParse(headRow, row)
  if (!read.success || read.output.end < read.output.start) return undefined
  const head = readHead(read.output.head)
  if (!head || (rows && read.output.whole === 0)) return undefined
  const { start, end } = read.output
  const columns = Math.max(0, head.headers.length - 1)
  return {
    range: { start, end },
    head,
    pages: { [Symbol.iterator]: () => pagesOf(from, id, columns, read.output.rows) },
  }
}

/** The pages of a table, checked: as wide as its headers, and with as many rows as it said it has. */
function* pagesOf(from: Reader, id: BlockId, columns: number, rows: number): Generator<UnpackedRows> {
  let found = 0
  for (const { rows: packed } of from.each(
    'SELECT rows FROM kept_pages WHERE kept_table = ? ORDER BY page',
    id,
  )) {
    const page = packed instanceof Uint8Array ? unpackRows(packed) : undefined
    if (page?.columns.length !== columns) throw new Lacking([id])
    found += page.labels.length
    yield page
  }
  if (found !== rows) throw new Lacking([id])
}
