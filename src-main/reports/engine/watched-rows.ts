import { labelKey, labelText } from '#shared/reports/rows.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { countFrom, numberFrom, Statement, textList } from '#main/analytics/statement.ts'
import type { Bind } from '#main/analytics/statement.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import { cellIn, partsOf } from './sums.ts'
import type { LocatedTable } from './sums.ts'
import { labelFrom } from './table-answers.ts'
import type { JudgeParams } from './table-calls.ts'
import { emptyRow, figuresOf, judged } from './watched-totals.ts'
import type { FilledRow } from './watched-totals.ts'

/** Rows with fewer requests than so many others are not judged: they are too small to say anything of. */
const maxRows = 3_000
/** A preview judges many mornings. */
const maxPreviewed = 1_000

/** Does tasks on the rows of tables of single days, which are read once. Other calls are served between two mornings. */
export async function judgeRows(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  { days, header, base, tasks }: Omit<JudgeParams, 'tables' | 'family'>,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const { bound, bind } = new Statement()
  const cells = cellsOf(read, [base, header], bind)
  const max = tasks.some(({ kind }) => kind === 'preview') ? maxPreviewed : maxRows
  const first = bind(days.range.start)
  const keys = tasks.flatMap(({ row }) => row ?? [])
  const isNamed = keys.length > 0 ? `list_contains(${bind(textList(keys))}::VARCHAR[], ${keySql})` : 'false'
  const wanted = tasks.some(({ row }) => row === null)
    ? `GROUP BY kind, key QUALIFY place <= ${bind(max)} OR ${isNamed}`
    : `WHERE ${isNamed} GROUP BY kind, key`
  // One statement reads the files once. Texts are with the row's last day alone.
  const sql = `WITH cells AS MATERIALIZED (${cells}), top AS (
      SELECT kind, key, arg_max(name, day) AS name, max(day) AS last,
        row_number() OVER (ORDER BY sum(c0) DESC NULLS LAST, kind, key) AS place
      FROM cells ${wanted})
    SELECT (place - 1)::INTEGER, date_diff('day', ${first}::DATE, day)::INTEGER, sum(c0), sum(c1),
      CASE WHEN day = last THEN kind END, CASE WHEN day = last THEN key END, CASE WHEN day = last THEN top.name END
    FROM cells JOIN top USING (kind, key) GROUP BY ALL`
  const [places = [], indexes = [], requests = [], bad = [], kinds = [], ids = [], names = []] =
    await database.columns(sql, bound)
  const rows: FilledRow[] = []
  kinds.forEach((kind, nth) => {
    if (kind === null) return
    const id = kind === 'instance' ? (ids[nth] ?? null) : null
    const label = labelFrom(kind, names[nth] ?? null, id)
    rows[countFrom(places[nth])] = emptyRow(labelKey(label), labelText(label), days)
  })
  places.forEach((place, nth) => {
    const [found, index] = [rows[countFrom(place)], countFrom(indexes[nth])]
    if (!found || index < 0 || index >= days.settled.length) return
    found.requests[index] = numberFrom(requests[nth])
    found.bad[index] = numberFrom(bad[nth])
  })
  const every = rows.slice(0, max)
  const rowsFor = ({ row }: JudgeTask) => (row === null ? every : rows.filter(({ label }) => label === row))
  return await judged(tasks, (task) => figuresOf(days, rowsFor(task)), signal)
}

const keySql = `CASE kind WHEN 'all' THEN 'all' ELSE kind || ' ' || key END`

/** Statement for the cells of all rows: kind, key, name, day, and the counts in the order of the headers. */
function cellsOf(read: readonly LocatedTable[], headers: readonly string[], bind: Bind): string {
  const parts = partsOf(read).map(({ head, files, filtered }) => {
    const cells = headers.map((header, nth) =>
      cellIn(head, { header, alias: `c${nth}`, texts: false }, () => null),
    )
    const list = bind(textList(files))
    return `SELECT kind, CASE kind WHEN 'text' THEN label WHEN 'instance' THEN label_id ELSE '' END AS key,
        label AS name, day, ${cells.join(', ')}
      FROM read_parquet(${list}::VARCHAR[], hive_partitioning = false)${filtered ? ` WHERE ${filtered(bind)}` : ''}`
  })
  return parts.join(' UNION ALL ')
}
