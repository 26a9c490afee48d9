import * as v from 'valibot'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Bindable, Reader, Writer } from '../sqlite/database.ts'
import { has, query, remove, table } from '../sqlite/database.ts'

/** An answer to store: the service's text without the token. */
export type AnswerToStore = ScopeTerm & {
  /** Key of the query. */
  readonly key: string
  readonly path: EndpointPath
  /** The query's days; null if it has none. */
  readonly range: DayRange | null
  readonly fetchedAt: Instant
  readonly text: string
  /** Keys of the stored tables from which the answer was computed; empty for a response of the service. */
  readonly madeOf: string
  /** Scope check before the answer was fetched; absent if no check is pending. */
  readonly provisional?: Provisional
}

const storedText = v.object({ key: v.string(), fetchedAt: instant, text: v.string(), madeOf: v.string() })

/** A stored answer. The reader validates its text. */
export type StoredText = Readonly<v.InferOutput<typeof storedText>>

const answersTable = table('answers', storedText)

/** A stored answer, and whether it is provisional. */
export type FoundText = StoredText & { readonly isProvisional: boolean }

/**
 * Stores an answer in place of an older one. A newer answer remains, unless its time is after `now`: then the clock was set
 * back.
 * @returns false if a newer answer remains
 */
export function storeAnswer(into: Writer, answer: AnswerToStore, now: number): boolean {
  return into.together(() => {
    const { dataScope, key, provisional } = answer
    const before = provisional ? readAnswer(into, dataScope, key) : null
    if (!writeAnswer(into, answer, now)) return false
    if (provisional) writeProvisional(into, answer, provisional, before)
    else remove(into, 'provisional_answers', { dataScope, key })
    return true
  })
}

/**
 * Saves the confirmed answer beside a provisional one, until a check confirms the provisional one. Later provisional answers do
 * not overwrite it.
 */
function writeProvisional(
  into: Writer,
  { dataScope, key }: AnswerToStore,
  { session, checks, arrivedAt }: Provisional,
  before: StoredText | null,
): void {
  into.write(
    `INSERT INTO provisional_answers
       (data_scope, key, session, checks, arrived_at, before_text, before_fetched_at, before_made_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (data_scope, key) DO UPDATE SET
       session = excluded.session, checks = excluded.checks, arrived_at = excluded.arrived_at`,
    ...[dataScope, key, session, checks, arrivedAt],
    ...[before?.text ?? null, before?.fetchedAt ?? null, before?.madeOf ?? null],
  )
}

/**
 * Deletes provisional answers and restores the confirmed ones they replaced.
 * @param where condition on their columns; `bound` has its values
 */
export function dropAnswers(
  into: Writer,
  dataScope: DataScopeId,
  where: string,
  bound: readonly Bindable[],
): void {
  into.write(
    `UPDATE answers SET (text, fetched_at, made_of) =
       (SELECT before_text, before_fetched_at, before_made_of FROM provisional_answers AS waiting
        WHERE waiting.data_scope = answers.data_scope AND waiting.key = answers.key)
     WHERE data_scope = ? AND key IN
       (SELECT key FROM provisional_answers WHERE before_text IS NOT NULL AND ${where})`,
    ...[dataScope, ...bound],
  )
  into.write(
    `DELETE FROM answers WHERE data_scope = ? AND key IN
       (SELECT key FROM provisional_answers WHERE before_text IS NULL AND ${where})`,
    ...[dataScope, ...bound],
  )
  into.write(`DELETE FROM provisional_answers WHERE ${where}`, ...bound)
}

function writeAnswer(into: Writer, answer: AnswerToStore, now: number): boolean {
  const { dataScope, key, path, range, fetchedAt, text, madeOf } = answer
  const changed = into.write(
    `INSERT INTO answers (data_scope, key, path, first_day, last_day, fetched_at, text, made_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (data_scope, key) DO UPDATE SET fetched_at = excluded.fetched_at, text = excluded.text, made_of = excluded.made_of
     WHERE excluded.fetched_at >= answers.fetched_at OR answers.fetched_at > ?`,
    ...[dataScope, key, path, range?.start ?? null, range?.end ?? null, fetchedAt, text, madeOf, now],
  )
  return changed > 0
}

export const readAnswer = (from: Reader, dataScope: DataScopeId, key: string): StoredText | null =>
  answersTable.first(from, 'WHERE data_scope = ? AND key = ?', dataScope, key) ?? null

/** Query for the newest answers of an endpoint. `range`: only answers that overlap these days. */
type NewestParams = {
  readonly dataScope: DataScopeId
  readonly path: EndpointPath
  readonly max: number
  readonly range?: DayRange
}

/** Lists at most `max` answers of an endpoint, newest first. */
export function newestAnswers(from: Reader, { dataScope, path, max, range }: NewestParams): StoredText[] {
  const days = range ? 'AND first_day <= ? AND last_day >= ?' : ''
  const rest = `WHERE data_scope = ? AND path = ? ${days} ORDER BY fetched_at DESC LIMIT ?`
  const bound = range ? [range.end, range.start] : []
  return answersTable.list(from, rest, dataScope, path, ...bound, max)
}

/**
 * Deletes the oldest report answers until the rest takes at most `bytes`. Look-ups remain.
 * @returns the number of deleted answers
 */
export function letOldestAnswersGo(from: Writer, bytes: number): number {
  return from.write(
    `DELETE FROM answers WHERE (data_scope, key) IN (
       SELECT data_scope, key FROM (
         SELECT data_scope, key,
           sum(octet_length(text)) OVER (ORDER BY fetched_at DESC, key ROWS UNBOUNDED PRECEDING) AS together
         FROM answers WHERE path NOT LIKE 'interface/%'
       ) WHERE together > ?)`,
    bytes,
  )
}

/** Size of a data scope's answers in bytes: report pages and look-ups. */
const answersSize = v.object({
  dataScope: branded<DataScopeId>(),
  pages: v.fallback(v.number(), 0),
  lookups: v.fallback(v.number(), 0),
})

export const answerOperations = {
  /** Returns false if a newer answer remains. */
  'answers/keep': (into: Writer, answer: AnswerToStore): boolean => storeAnswer(into, answer, Date.now()),
  'answers/read': (
    from: Reader,
    { dataScope, key }: { readonly dataScope: DataScopeId; readonly key: string },
  ): FoundText | null => {
    const found = readAnswer(from, dataScope, key)
    return found && { ...found, isProvisional: has(from, 'provisional_answers', { dataScope, key }) }
  },
  /**
   * Deletes the stored table pages of a data scope after their query keys turned out to mean something else. Overviews and
   * look-ups remain.
   */
  'answers/forget-tables': (from: Writer, { dataScope }: { readonly dataScope: DataScopeId }): void => {
    from.write(
      `DELETE FROM answers WHERE data_scope = ? AND path NOT LIKE 'interface/%' AND path NOT LIKE '%/overview'`,
      dataScope,
    )
    from.write(
      `DELETE FROM provisional_answers WHERE data_scope = ? AND key NOT IN (SELECT key FROM answers WHERE data_scope = ?)`,
      ...[dataScope, dataScope],
    )
  },
  /** Does not read the texts; SQLite knows their length. */
  'answers/sizes': (from: Reader): readonly Readonly<v.InferOutput<typeof answersSize>>[] =>
    query(
      from,
      answersSize,
      `SELECT data_scope AS dataScope,
         coalesce(sum(octet_length(text)) FILTER (WHERE path NOT LIKE 'interface/%'), 0) AS pages,
         coalesce(sum(octet_length(text)) FILTER (WHERE path LIKE 'interface/%'), 0) AS lookups
       FROM answers GROUP BY data_scope`,
    ),
  /** Whether a data scope has provisional answers. */
  'answers/wait': (from: Reader, dataScope: DataScopeId): boolean =>
    has(from, 'provisional_answers', { dataScope }),
  /** Deletes all answers of a data scope, including look-ups. */
  'answers/forget': (from: Writer, dataScope: DataScopeId): void => {
    remove(from, 'answers', { dataScope })
    remove(from, 'provisional_answers', { dataScope })
  },
  /** Deletes the oldest report answers beyond `bytes`. Returns the number of deleted answers. */
  'answers/let-oldest-go': (from: Writer, { bytes }: { readonly bytes: number }): number =>
    letOldestAnswersGo(from, bytes),
  'answers/newest': newestAnswers,
} as const
