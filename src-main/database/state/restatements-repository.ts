import * as v from 'valibot'
import type { Discarded, Restatement } from '#shared/reports/answer.ts'
import { parseDay } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { Reader, Row, Writer } from '../sqlite/database.ts'

/** Whose figures, and what they are about. */
type Place = { readonly owner: DataScopeId; readonly subject: string }

/** Which days of a subject were restated, and when the older figures and the newer ones came. */
export type RestatementMark = { readonly subject: string } & Pick<
  Restatement,
  'range' | 'beforeFetchedAt' | 'afterFetchedAt'
>

/** So many are kept of an owner. */
const maxRestatements = 1000

const count = v.nullable(v.pipe(v.number(), v.finite()))
const changes = v.array(v.object({ name: v.string(), before: count, after: count }))
const instanceId = v.pipe(
  v.string(),
  v.transform((id) => id as InstanceId),
)
const label = v.variant('kind', [
  v.object({ kind: v.literal('text'), text: v.string() }),
  v.object({ kind: v.literal('instance'), id: instanceId, name: v.string() }),
  v.object({ kind: v.literal('all'), name: v.nullable(v.string()) }),
])
const written = <S extends v.GenericSchema>(schema: S) => v.pipe(v.string(), v.parseJson(), schema)
const storedDay = v.pipe(
  v.string(),
  v.check((text) => parseDay(text) !== undefined),
  v.transform((text) => text as Day),
)
const instant = v.pipe(
  v.number(),
  v.integer(),
  v.transform((time) => time as Instant),
)
const markRow = v.object({
  subject: v.string(),
  start: storedDay,
  end: storedDay,
  beforeFetchedAt: instant,
  afterFetchedAt: instant,
})
const restatementRow = v.object({
  start: storedDay,
  end: storedDay,
  beforeFetchedAt: instant,
  afterFetchedAt: instant,
  totals: written(changes),
  rows: written(v.array(v.object({ label, changes }))),
  differing: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))),
})

const days = `first_day AS start, last_day AS end, before_fetched_at AS beforeFetchedAt, after_fetched_at AS afterFetchedAt`

/** What is no restatement is passed over. */
function restatementFrom(row: Row): readonly Restatement[] {
  const read = v.safeParse(restatementRow, row)
  if (!read.success) return []
  const { start, end, ...rest } = read.output
  return [{ range: { start, end }, ...rest }]
}

function markFrom(row: Row): readonly RestatementMark[] {
  const read = v.safeParse(markRow, row)
  if (!read.success) return []
  const { start, end, ...rest } = read.output
  return [{ range: { start, end }, ...rest }]
}

/**
 * Keeps a restatement, and lets the oldest go where there are too many: first those that left totals as they were. Of the
 * same older figures one alone is kept: that of the newest figures, unless these claim to be of later than `now`.
 */
export function noteRestatement(
  into: Writer,
  { owner, subject, range, ...restatement }: Place & Restatement,
  max = maxRestatements,
  now = Date.now(),
): null {
  into.together(() => {
    into.write(
      `DELETE FROM restatements WHERE owner = ? AND subject = ? AND first_day = ? AND last_day = ?
         AND before_fetched_at = ? AND (after_fetched_at <= ? OR after_fetched_at > ?)`,
      ...[owner, subject, range.start, range.end, restatement.beforeFetchedAt],
      ...[restatement.afterFetchedAt, now],
    )
    into.write(
      `INSERT OR IGNORE INTO restatements
         (owner, subject, first_day, last_day, before_fetched_at, after_fetched_at, totals, rows, differing)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ...[owner, subject, range.start, range.end, restatement.beforeFetchedAt, restatement.afterFetchedAt],
      ...[JSON.stringify(restatement.totals), JSON.stringify(restatement.rows), restatement.differing],
    )
    into.write(
      `DELETE FROM restatements WHERE id IN (
         SELECT id FROM restatements WHERE owner = ? ORDER BY totals <> '[]' DESC, id DESC LIMIT -1 OFFSET ?)`,
      ...[owner, max],
    )
  })
  return null
}

export const restatementOperations = {
  /** Keeps a restatement, in place of one that was noted of the same older figures. */
  'restatements/note': (into: Writer, noted: Place & Restatement): null => noteRestatement(into, noted),
  /** Lets go what was noted of older figures that are kept still: the newer ones never were, and others came since. */
  'restatements/withdraw': (
    from: Writer,
    { owner, subject, range, beforeFetchedAt }: Place & Pick<Restatement, 'range' | 'beforeFetchedAt'>,
  ): null => {
    from.write(
      `DELETE FROM restatements
       WHERE owner = ? AND subject = ? AND first_day = ? AND last_day = ? AND before_fetched_at = ?`,
      ...[owner, subject, range.start, range.end, beforeFetchedAt],
    )
    return null
  },
  /** Which days of an owner were restated. */
  'restatements/marks': (from: Reader, owner: DataScopeId): readonly RestatementMark[] =>
    from.rows(`SELECT subject, ${days} FROM restatements WHERE owner = ?`, owner).flatMap(markFrom),
  /** Restatements of a subject within a range, the newest first, at most so many. */
  'restatements/list': (
    from: Reader,
    { owner, subject, range, max }: Place & { readonly range: DayRange; readonly max: number },
  ): readonly Restatement[] =>
    from
      .rows(
        `SELECT ${days}, totals, rows, differing FROM restatements
         WHERE owner = ? AND subject = ? AND first_day >= ? AND last_day <= ? ORDER BY id DESC LIMIT ?`,
        ...[owner, subject, range.start, range.end, max],
      )
      .flatMap(restatementFrom),
  'restatements/forget': (from: Writer, owner: DataScopeId): null => {
    forgetRestatements(from, owner)
    return null
  },
} as const

/** What newer figures were noted to restate goes with these, where they turn out to be of other instances. */
export function withdrawRestatements(from: Writer, owner: DataScopeId, discard: readonly Discarded[]): void {
  for (const { subject, start, end, fetchedAt } of discard)
    from.write(
      `DELETE FROM restatements
       WHERE owner = ? AND subject = ? AND first_day = ? AND last_day = ? AND after_fetched_at = ?`,
      ...[owner, subject, start, end, fetchedAt],
    )
}

/** They go with the figures that they are about. */
export function forgetRestatements(from: Writer, owner: DataScopeId): void {
  from.write('DELETE FROM restatements WHERE owner = ?', owner)
}
