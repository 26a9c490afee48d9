import * as v from 'valibot'
import type { Discarded, Restatement } from '#shared/reports/answer.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { InstanceId, DataScopeId } from '#shared/values/ids.ts'
import { branded, day, instant, json } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { insert, remove, table } from '../sqlite/database.ts'

/** Data scope and subject of figures. */
type Place = { readonly dataScope: DataScopeId; readonly subject: string }

/** Restated days of a subject, and when the older and newer figures were fetched. */
export type RestatementMark = { readonly subject: string } & Pick<
  Restatement,
  'range' | 'beforeFetchedAt' | 'afterFetchedAt'
>

/** Maximum restatements per data scope. */
const maxRestatements = 1000

const count = v.nullable(v.pipe(v.number(), v.finite()))
const changes = v.array(v.object({ name: v.string(), before: count, after: count }))
const label = v.variant('kind', [
  v.object({ kind: v.literal('text'), text: v.string() }),
  v.object({ kind: v.literal('instance'), id: branded<InstanceId>(), name: v.string() }),
  v.object({ kind: v.literal('all'), name: v.nullable(v.string()) }),
])
const mark = v.object({
  subject: v.string(),
  firstDay: day,
  lastDay: day,
  beforeFetchedAt: instant,
  afterFetchedAt: instant,
})

/** Combines the two day columns into a range. */
const withRange = <R extends { readonly firstDay: Day; readonly lastDay: Day }>({
  firstDay: start,
  lastDay: end,
  ...rest
}: R) => ({ range: { start, end }, ...rest })

const marks = table('restatements', mark)
const restatements = table(
  'restatements',
  v.object({
    ...v.omit(mark, ['subject']).entries,
    totals: json(changes),
    rows: json(v.array(v.object({ label, changes }))),
    differing: v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0))),
  }),
)

/**
 * Stores a restatement, and deletes surplus ones: first those with unchanged totals, then the oldest. Each version of the older
 * figures has only one restatement: the newest, unless its time is after `now`.
 */
export function noteRestatement(
  into: Writer,
  { dataScope, subject, range, ...restatement }: Place & Restatement,
  max = maxRestatements,
  now = Date.now(),
): void {
  into.together(() => {
    into.write(
      `DELETE FROM restatements WHERE data_scope = ? AND subject = ? AND first_day = ? AND last_day = ?
         AND before_fetched_at = ? AND (after_fetched_at <= ? OR after_fetched_at > ?)`,
      ...[dataScope, subject, range.start, range.end, restatement.beforeFetchedAt],
      ...[restatement.afterFetchedAt, now],
    )
    const days = { firstDay: range.start, lastDay: range.end }
    const { beforeFetchedAt, afterFetchedAt, totals, rows, differing } = restatement
    const figures = { beforeFetchedAt, afterFetchedAt, totals, rows, differing }
    insert(into, 'restatements', { dataScope, subject, ...days, ...figures })
    into.write(
      `DELETE FROM restatements WHERE id IN (
         SELECT id FROM restatements WHERE data_scope = ? ORDER BY totals <> '[]' DESC, id DESC LIMIT -1 OFFSET ?)`,
      ...[dataScope, max],
    )
  })
}

export const restatementOperations = {
  /** Stores a restatement in place of one for the same older figures. */
  'restatements/note': (into: Writer, noted: Place & Restatement): void => noteRestatement(into, noted),
  /** Deletes a restatement whose newer figures were never stored. */
  'restatements/withdraw': (
    from: Writer,
    { dataScope, subject, range, beforeFetchedAt }: Place & Pick<Restatement, 'range' | 'beforeFetchedAt'>,
  ): void => {
    const days = { firstDay: range.start, lastDay: range.end }
    remove(from, 'restatements', { dataScope, subject, ...days, beforeFetchedAt })
  },
  /** Lists the restated days of a data scope. */
  'restatements/marks': (from: Reader, dataScope: DataScopeId): readonly RestatementMark[] =>
    marks.list(from, 'WHERE data_scope = ?', dataScope).map(withRange),
  /** Lists at most `max` restatements of a subject within a range, newest first. */
  'restatements/list': (
    from: Reader,
    { dataScope, subject, range, max }: Place & { readonly range: DayRange; readonly max: number },
  ): readonly Restatement[] =>
    restatements
      .list(
        from,
        'WHERE data_scope = ? AND subject = ? AND first_day >= ? AND last_day <= ? ORDER BY id DESC LIMIT ?',
        ...[dataScope, subject, range.start, range.end, max],
      )
      .map(withRange),
  'restatements/forget': forgetRestatements,
} as const

/** Deletes restatements whose newer figures were discarded because they belong to other instances. */
export function withdrawRestatements(
  from: Writer,
  dataScope: DataScopeId,
  discard: readonly Discarded[],
): void {
  for (const { subject, start: firstDay, end: lastDay, fetchedAt: afterFetchedAt } of discard)
    remove(from, 'restatements', { dataScope, subject, firstDay, lastDay, afterFetchedAt })
}

/** Deletes all restatements of a data scope. */
export function forgetRestatements(from: Writer, dataScope: DataScopeId): void {
  remove(from, 'restatements', { dataScope })
}
