import type { ColumnSort } from '#shared/reports/query.ts'
import { columnName } from '#main/analytics/history-layout.ts'
import { childChannel } from '../measure/child-channel.ts'
import { counts } from './made-days.ts'

export type BareQuestion = { readonly sql: string }
export type BareAnswer = {
  /** Milliseconds, within the process. */
  readonly took: number
  readonly rows: number
  /** What stands in the first row first. */
  readonly first: string
}

/** DuckDB by itself, in a process of its own. */
export type Bare = {
  /** @throws what it refuses the statement with */
  readonly ask: (sql: string) => Promise<BareAnswer>
  readonly close: () => void
}

export function startBare(): Bare {
  const channel = childChannel(new URL('bare-duckdb.ts', import.meta.url), [])
  let hear: (answer: BareAnswer) => void = () => undefined
  channel.onMessage((answer) => hear(answer as BareAnswer))
  return {
    ask: async (sql) => {
      const answered = new Promise<BareAnswer>((resolve) => (hear = resolve))
      channel.post({ sql } satisfies BareQuestion)
      const answer = await answered
      if (Number.isNaN(answer.took)) throw new Error(answer.first)
      return answer
    },
    close: channel.kill,
  }
}

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

/** A page of a sum as one writes it by hand: the rows that a search finds, sorted, with how many there are. */
export function bareSql(
  files: readonly string[],
  { search, sort, limit }: { search: string | null; sort: readonly ColumnSort[]; limit: number },
): string {
  const names = counts.map((header) => columnName(header, false))
  const sums = names.map((name) => `sum(${name}) AS ${name}`)
  const where = search === null ? '' : `WHERE contains(lower(label), ${quoted(search)})`
  const order = sort.map(({ header, direction }) => `${columnName(header, false)} ${direction}`)
  return `SELECT label, ${sums.join(', ')}, count(*) OVER () FROM read_parquet([${files.map(quoted).join(', ')}]) ${where}
    GROUP BY label ORDER BY ${[...order, 'label'].join(', ')} LIMIT ${limit}`
}
