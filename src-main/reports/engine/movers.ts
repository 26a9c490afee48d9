import type { Mover } from '#shared/reports/answer.ts'
import { shareBase } from '#shared/reports/rates.ts'
import type { RateBases } from '#shared/reports/rates.ts'
import type { Movers, MoversParams } from './calls.ts'
import type { EngineDatabase } from './database.ts'
import { labelFrom, numberFrom, Statement } from './questions.ts'
import { countsOf, differenceOf, rateIn } from './ranking.ts'
import type { ReadTable } from './sums.ts'

type How = Pick<MoversParams, 'query' | 'header' | 'by' | 'min' | 'max' | 'lengths'> & {
  readonly bases?: RateBases | null
}

/**
 * The rows that moved most between two sums of one subject, by the count under a header (per day, where the sums are of
 * unequal numbers of days) or by its rate. A row that is not there counts nothing and has no rate; one whose count or rate is not known is left out, and so is one of less than `min`.
 */
export async function moversFrom(
  database: EngineDatabase,
  now: readonly ReadTable[],
  before: readonly ReadTable[],
  { query, header, by = 'count', min = 0, max, lengths, bases = null }: How,
): Promise<Movers> {
  const base = shareBase(header, query.family, query.dimension, bases)
  const headers = base === null ? [header] : [header, base]
  const [nowOf, beforeOf] = base === null ? ['n0', 'b0'] : ['n1', 'b1']
  const moved =
    by === 'count'
      ? differenceOf('n0', 'b0', lengths)
      : base === null
        ? 'NULL'
        : `${rateIn('n0', 'n1')} - ${rateIn('b0', 'b1')}`
  const enough = (bound: string) =>
    by === 'count'
      ? `greatest(${nowOf}, ${beforeOf}) >= ${bound}`
      : `least(${nowOf}, ${beforeOf}) >= ${bound}`
  const ask = async (sign: 1 | -1): Promise<Mover[]> => {
    const { bound, bind } = new Statement()
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
    const sql = `WITH now AS (${countsOf(now, query, headers, 'n', bind)}),
      earlier AS (${countsOf(before, query, headers, 'b', bind)}),
      joined AS (SELECT ${columns.join(', ')}
        FROM now FULL JOIN earlier ON now.kind = earlier.kind AND now.key = earlier.key),
      moved AS (SELECT *, (${moved}) * ${sign} AS moved FROM joined${min > 0 ? ` WHERE ${enough(bind(min))}` : ''})
      SELECT kind, label, id, n0, b0, ${nowOf}, ${beforeOf} FROM moved WHERE moved > 0
      ORDER BY moved DESC, name, id LIMIT ${bind(max)}`
    const [kinds = [], labels = [], ids = [], nows = [], befores = [], ofNow = [], ofBefore = []] =
      await database.columns(sql, bound)
    return kinds.map((kind, row) => ({
      label: labelFrom(kind, labels[row] ?? null, ids[row] ?? null),
      now: numberFrom(nows[row]),
      before: numberFrom(befores[row]),
      ...(base !== null && { of: { now: numberFrom(ofNow[row]), before: numberFrom(ofBefore[row]) } }),
    }))
  }
  return { up: await ask(1), down: await ask(-1) }
}
