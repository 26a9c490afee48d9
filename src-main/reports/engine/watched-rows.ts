import { families } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { labelKey, labelText } from '#shared/reports/rows.ts'
import { mixLabel } from '#shared/watch/rule-mix.ts'
import type { EngineDatabase } from '#main/analytics/engine-database.ts'
import { countFrom, numberFrom, Statement, textList } from '#main/analytics/statement.ts'
import type { Judged, JudgeTask } from '#main/watch/judging/task.ts'
import { cellsOf, keySql } from './sums.ts'
import type { LocatedTable } from './sums.ts'
import { labelFrom } from './table-answers.ts'
import type { JudgeParams } from './table-calls.ts'
import { emptyRow, figuresOf, judged } from './watched-totals.ts'
import type { FilledRow } from './watched-totals.ts'

/** Rows with fewer requests than so many others are not judged: they are too small to say anything of. */
const maxRows = 3_000
/** A preview judges many mornings. */
const maxPreviewed = 1_000
/** Rule sets whose shares are judged, the largest. The shares are of all. */
const maxRuleSets = 20

/** What to judge of tables: rates and volumes, or rule mixes alone. */
type JudgedRows = Omit<JudgeParams, 'tables'>

/** Rows by size, and how many of the first are judged without being named by a task. */
type Filled = { readonly rows: readonly FilledRow[]; readonly largest: number }

/** Does tasks on the rows of tables of single days, which are read once. Other calls are served between two mornings. */
export async function judgeRows(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  about: JudgedRows,
  signal: AbortSignal,
): Promise<readonly Judged[]> {
  const { days, tasks } = about
  const max = tasks.some(({ kind }) => kind === 'preview') ? maxPreviewed : maxRows
  const fill = tasks.some(({ rule }) => rule.measure === 'rule-mix') ? mixRows : rateRows
  const { rows, largest } = await fill(database, read, about, max)
  const every = rows.slice(0, largest)
  const rowsFor = ({ row }: JudgeTask) =>
    row === null ? every : rows.filter(({ label, rule }) => (rule?.row ?? label) === row)
  return await judged(tasks, (task) => figuresOf(days, rowsFor(task)), signal)
}

async function rateRows(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  about: JudgedRows,
  max: number,
): Promise<Filled> {
  const { days, header, base } = about
  const columns = { headers: [base, header], missing: null, first: 1, max } as const
  const { rows, forEachDay } = await rowsIn(database, read, about, columns)
  const filled = rows.map(({ key, text }) => emptyRow(key, text, days))
  forEachDay((place, index, [requests = null, bad = null]) => {
    const found = filled[place]
    if (!found) return
    found.requests[index] = requests
    found.bad[index] = bad
  })
  return { rows: filled, largest: max }
}

/** A row for each rule set of each row: how often it was broken, of all that the row's requests broke. */
async function mixRows(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  about: JudgedRows,
  max: number,
): Promise<Filled> {
  const { days, family } = about
  const codes = ruleSetsIn(read, family)
  const judgedCodes = codes.slice(0, maxRuleSets)
  if (codes.length === 0) return { rows: [], largest: 0 }
  const most = Math.ceil(max / judgedCodes.length)
  const columns = { headers: codes, missing: 0, first: codes.length, max: most } as const
  const { rows, forEachDay } = await rowsIn(database, read, about, columns)
  const filled = rows.map(({ key, text }) =>
    judgedCodes.map((code): FilledRow => ({
      ...emptyRow(mixLabel({ row: key, code }), text, days),
      rule: { row: key, code },
      isPart: true,
    })),
  )
  forEachDay((place, index, counts) => {
    const whole = counts.reduce((sum, count) => (sum === null || count === null ? null : sum + count), 0)
    filled[place]?.forEach((found, nth) => {
      found.requests[index] = whole
      found.bad[index] = counts[nth] ?? null
    })
  })
  return { rows: filled.flat(), largest: most * judgedCodes.length }
}

/** Codes of the tables' rule sets, the one broken most first: every column that the specification does not name. */
function ruleSetsIn(read: readonly LocatedTable[], family: Family): readonly string[] {
  const standard: readonly string[] = families[family].counts
  const sums = new Map<string, number>()
  for (const { head } of read)
    for (const { header } of head.columns) {
      if (standard.includes(header)) continue
      const cell = head.all?.cells[head.headers.indexOf(header) - 1]
      sums.set(header, (sums.get(header) ?? 0) + (typeof cell === 'number' ? cell : 0))
    }
  return [...sums].sort(([, one], [, other]) => other - one).map(([header]) => header)
}

type WantedColumns = {
  readonly headers: readonly string[]
  /** What a table without a column says. */
  readonly missing: 0 | null
  /** Number of the first columns by whose sum rows are chosen. */
  readonly first: number
  readonly max: number
}

type RowsRead = {
  /** The rows with the largest sums, largest first, and those that tasks name, at their places. */
  readonly rows: readonly { readonly key: string; readonly text: string }[]
  /** Calls back with each known day of a row: the row's place, the day's index, and the counts. */
  readonly forEachDay: (
    fill: (place: number, index: number, counts: readonly (number | null)[]) => void,
  ) => void
}

async function rowsIn(
  database: EngineDatabase,
  read: readonly LocatedTable[],
  { days, tasks }: JudgedRows,
  { headers, missing, first: ranked, max }: WantedColumns,
): Promise<RowsRead> {
  const { bound, bind } = new Statement()
  const cells = cellsOf(read, headers, missing, bind)
  const first = bind(days.range.start)
  const named = tasks.flatMap(({ row }) => row ?? [])
  const isNamed = named.length > 0 ? `list_contains(${bind(textList(named))}::VARCHAR[], ${keySql})` : 'false'
  const wanted = tasks.some(({ row }) => row === null)
    ? `GROUP BY kind, key QUALIFY place <= ${bind(max)} OR ${isNamed}`
    : `WHERE ${isNamed} GROUP BY kind, key`
  const order = headers.slice(0, ranked).map((_, nth) => `c${nth}`)
  const sums = headers.map((_, nth) => `sum(c${nth})`)
  // One statement reads the files once. Texts are with the row's last day alone.
  const sql = `WITH cells AS MATERIALIZED (${cells}), top AS (
      SELECT kind, key, arg_max(name, day) AS name, max(day) AS last,
        row_number() OVER (ORDER BY sum(${order.join(' + ')}) DESC NULLS LAST, kind, key) AS place
      FROM cells ${wanted})
    SELECT (place - 1)::INTEGER, date_diff('day', ${first}::DATE, day)::INTEGER,
      CASE WHEN day = last THEN kind END, CASE WHEN day = last THEN key END, CASE WHEN day = last THEN top.name END,
      ${sums.join(', ')}
    FROM cells JOIN top USING (kind, key) GROUP BY ALL`
  const [places = [], indexes = [], kinds = [], keys = [], names = [], ...counts] = await database.columns(
    sql,
    bound,
  )
  const rows: { key: string; text: string }[] = []
  kinds.forEach((kind, nth) => {
    if (kind === null) return
    const label = labelFrom(kind, names[nth] ?? null, kind === 'instance' ? (keys[nth] ?? null) : null)
    rows[countFrom(places[nth])] = { key: labelKey(label), text: labelText(label) }
  })
  return {
    rows,
    forEachDay: (fill) =>
      places.forEach((place, nth) => {
        const index = countFrom(indexes[nth])
        if (index < 0 || index >= days.settled.length) return
        fill(
          countFrom(place),
          index,
          counts.map((column) => numberFrom(column[nth])),
        )
      }),
  }
}
