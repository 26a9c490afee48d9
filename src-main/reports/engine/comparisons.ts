import type { Mover, RestatedRow } from '#shared/reports/answer.ts'
import { shareBase } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { Differences, Movers, MoversParams } from './table-calls.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { numberFrom, Statement } from '#main/analytics/statement.ts'
import type { Bind } from '#main/analytics/statement.ts'
import { labelFrom } from './table-answers.ts'
import { countsOf, differenceOf, pointsIn } from './ranking.ts'
import type { LocatedTable } from './sums.ts'

/**
 * Returns the rows that differ between two tables of the same days, by the counts in both. Rows are sorted by their largest
 * change, then by name. A missing row has null counts.
 */
export async function differencesBetween(
  database: EngineDatabase,
  before: LocatedTable | undefined,
  after: LocatedTable | undefined,
  max: number,
): Promise<Differences> {
  const headers = (before?.head.columns ?? [])
    .map(({ header }) => header)
    .filter((header) => after?.head.columns.some((column) => column.header === header))
  if (!before || !after || headers.length === 0) return { rows: [], differing: 0, fell: false }
  const { bound, bind } = new Statement()
  const places = headers.map((_, place) => place)
  const differs = places.map((place) => `earlier.c${place} IS DISTINCT FROM later.c${place}`)
  const sizes = places.map((place) => `abs(coalesce(later.c${place}, 0) - coalesce(earlier.c${place}, 0))`)
  const falls = places.map(
    (place) => `(earlier.c${place} IS NOT NULL AND coalesce(later.c${place} < earlier.c${place}, true))`,
  )
  const counts = places.map((place) => `earlier.c${place}, later.c${place}`)
  const either = (name: string) => `coalesce(later.${name}, earlier.${name})`
  const sql = `WITH earlier AS (${rowsOf(before, headers, bind)}), later AS (${rowsOf(after, headers, bind)})
    SELECT ${either('kind')}, ${either('name')}, ${either('key')}, count(*) OVER (), bool_or(${falls.join(' OR ')}) OVER (),
      ${counts.join(', ')}
    FROM earlier FULL JOIN later ON earlier.kind = later.kind AND earlier.key = later.key
    WHERE ${differs.join(' OR ')}
    ORDER BY greatest(${sizes.join(', ')}) DESC, ${either('name')}, ${either('key')} LIMIT ${bind(max)}`
  const [kinds = [], names = [], keys = [], differing = [], fell = [], ...cells] = await database.columns(
    sql,
    bound,
  )
  const rows = kinds.map((kind, row): RestatedRow => {
    const changes = headers.map((name, place) => ({
      name,
      before: numberFrom(cells[2 * place]?.[row]),
      after: numberFrom(cells[2 * place + 1]?.[row]),
    }))
    return {
      label: labelFrom(kind, names[row] ?? null, keys[row] ?? null),
      changes: changes.filter((change) => change.before !== change.after),
    }
  })
  return { rows, differing: Number(differing[0] ?? 0), fell: fell[0] === true }
}

/** Statement for the rows of one table: kind, key, name, and the counts in the order of the headers. */
function rowsOf({ table, head, place }: LocatedTable, headers: readonly string[], bind: Bind): string {
  const counts = headers.map((header, nth) => {
    const column = head.columns.find((storedColumn) => storedColumn.header === header)
    return `sum("${column?.name}"::DOUBLE) AS c${nth}`
  })
  const days = table.file.tables > 1 ? `WHERE day = ${bind(table.range.start)}::DATE` : ''
  return `SELECT kind, CASE kind WHEN 'text' THEN label WHEN 'instance' THEN label_id ELSE '' END AS key,
      any_value(label) AS name, ${counts.join(', ')}
    FROM read_parquet(${bind(place)}, hive_partitioning = false) ${days} GROUP BY ALL`
}

type How = Pick<MoversParams, 'query' | 'header' | 'by' | 'min' | 'max' | 'lengths'>

type BothSums = {
  readonly now: readonly LocatedTable[]
  readonly before: readonly LocatedTable[]
  readonly query: TableQuery
  readonly headers: readonly string[]
}

/**
 * Statements that join the rows of two sums of one subject. The last one, `joined`, has the label, the counts of now (`n0`,
 * `n1` …) and of before (`b0` …). A missing row counts as zero.
 */
export function joinedRows({ now, before, query, headers }: BothSums, bind: Bind): string {
  const either = (column: string) => `coalesce(now.${column}, earlier.${column}) AS ${column}`
  const counts = (side: string, letter: string) =>
    headers.map(
      (_, place) =>
        `CASE WHEN ${side}.kind IS NULL THEN 0 ELSE ${side}.${letter}${place} END AS ${letter}${place}`,
    )
  const columns = [
    ...['kind', 'label', 'id', 'name'].map(either),
    ...counts('now', 'n'),
    ...counts('earlier', 'b'),
  ]
  return `now AS (${countsOf(now, query, headers, 'n', bind)}),
    earlier AS (${countsOf(before, query, headers, 'b', bind)}),
    joined AS (SELECT ${columns.join(', ')}
      FROM now FULL JOIN earlier ON now.kind = earlier.kind AND now.key = earlier.key)`
}

/** Minimum volume for comparing rates, rounded down to one digit: 1/200 of the total, but for little traffic 50 or 1/20. */
function minVolume(total: number): number {
  const min = Math.max(total / 200, Math.min(50, total / 20), 0)
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, min)))
  return Math.floor(min / unit) * unit
}

/**
 * Returns the rows that changed most between two sums of one subject: by the count under a header (per day if the sums are of
 * unequal numbers of days), or by its rate of all requests, as on the cards beside them, whatever base the service's tables
 * have. A missing row counts as zero and has no rate. Rows with an unknown figure or below
 * `min` are left out. By default `min` is computed from the sums.
 */
export async function moversFrom(
  database: EngineDatabase,
  now: readonly LocatedTable[],
  before: readonly LocatedTable[],
  { query, header, by: wanted = 'count', min: given, max, lengths }: How,
): Promise<Movers> {
  const base = shareBase(header, query.family, query.dimension, null)
  const by = base === null ? 'count' : wanted
  const headers = base === null ? [header] : [header, base]
  const [nowOf, beforeOf] = base === null ? ['n0', 'b0'] : ['n1', 'b1']
  const moved = by === 'count' ? differenceOf('n0', 'b0', lengths) : pointsIn(['n0', 'n1'], ['b0', 'b1'])
  const enough = (bound: string) =>
    by === 'count'
      ? `greatest(${nowOf}, ${beforeOf}) >= ${bound}`
      : `least(${nowOf}, ${beforeOf}) >= ${bound}`
  const total = async () => {
    const { bound, bind } = new Statement()
    const joined = joinedRows({ now, before, query, headers }, bind)
    const sums = await database.columns(`WITH ${joined} SELECT least(sum(n1), sum(b1)) FROM joined`, bound)
    return numberFrom(sums[0]?.[0]) ?? 0
  }
  const min = given ?? (by === 'count' ? 0 : minVolume(await total()))
  const ask = async (sign: 1 | -1): Promise<Mover[]> => {
    const { bound, bind } = new Statement()
    const joined = joinedRows({ now, before, query, headers }, bind)
    const sql = `WITH ${joined},
      moved AS (SELECT *, (${moved}) * ${sign} AS moved FROM joined${min > 0 ? ` WHERE ${enough(bind(min))}` : ''})
      SELECT kind, label, id, n0, b0, ${nowOf}, ${beforeOf} FROM moved WHERE moved > 0
      ORDER BY moved DESC, name, id LIMIT ${bind(max)}`
    const [kinds = [], labels = [], ids = [], nows = [], befores = [], ofNow = [], ofBefore = []] =
      await database.columns(sql, bound)
    return kinds.map((kind, row) => ({
      label: labelFrom(kind, labels[row] ?? null, ids[row] ?? null),
      now: numberFrom(nows[row]),
      before: numberFrom(befores[row]),
      ...(base !== null && { base: { now: numberFrom(ofNow[row]), before: numberFrom(ofBefore[row]) } }),
    }))
  }
  return { by, min, up: await ask(1), down: await ask(-1) }
}
