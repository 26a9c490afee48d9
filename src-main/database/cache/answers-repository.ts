import * as v from 'valibot'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Bindable, Reader, Writer } from '../sqlite/database.ts'
import { has, query, remove, table } from '../sqlite/database.ts'

/** An answer to be kept: its text as the service sent it, without the token. */
export type AnswerToStore = ScopeTerm & {
  /** What was asked, in one text for one question. */
  readonly key: string
  readonly path: EndpointPath
  /** The days it is about; null for what has none. */
  readonly range: DayRange | null
  readonly fetchedAt: Instant
  readonly text: string
  /** The kept tables that tell the same, in one text; empty where there are none. */
  readonly madeOf: string
  /** Under which check it was fetched; absent where no other is waited for. */
  readonly provisional?: Provisional
}

const storedText = v.object({ key: v.string(), fetchedAt: instant, text: v.string(), madeOf: v.string() })

/** An answer as it was kept. What the text says is checked by who reads it. */
export type StoredText = Readonly<v.InferOutput<typeof storedText>>

const stored = table('answers', storedText)

/** An answer, and whether a check of its data scope is still waited for. */
export type FoundText = StoredText & { readonly isProvisional: boolean }

/**
 * Keeps an answer in place of the older one to the same question. A newer one stays, unless it claims to come from
 * after `now`: then the clock was set back in between, and the one at hand is the newer.
 * @returns whether it was kept; it is not where a newer one is there
 */
export function storeAnswer(into: Writer, answer: AnswerToStore, now: number): boolean {
  return into.together(() => {
    const { owner, key, provisional } = answer
    const before = readAnswer(into, owner, key)
    if (!writeAnswer(into, answer, now)) return false
    if (provisional) writeProvisional(into, answer, provisional, before)
    else remove(into, 'provisional_answers', { owner, key })
    return true
  })
}

/** What stood there stays beside it until it is confirmed; of several that came one after the other, what stood there first. */
function writeProvisional(
  into: Writer,
  { owner, key }: AnswerToStore,
  { session, checks, arrivedAt }: Provisional,
  before: StoredText | null,
): void {
  into.write(
    `INSERT INTO provisional_answers
       (owner, key, session, checks, arrived_at, before_text, before_fetched_at, before_made_of)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (owner, key) DO UPDATE SET
       session = excluded.session, checks = excluded.checks, arrived_at = excluded.arrived_at`,
    ...[owner, key, session, checks, arrivedAt],
    ...[before?.text ?? null, before?.fetchedAt ?? null, before?.madeOf ?? null],
  )
}

/**
 * Lets provisional answers go; the confirmed ones in whose place they stood come back.
 * @param where which of them, by their columns, with what is bound in it
 */
export function dropAnswers(
  into: Writer,
  owner: DataScopeId,
  where: string,
  bound: readonly Bindable[],
): void {
  into.write(
    `UPDATE answers SET (text, fetched_at, made_of) =
       (SELECT before_text, before_fetched_at, before_made_of FROM provisional_answers AS waiting
        WHERE waiting.owner = answers.owner AND waiting.key = answers.key)
     WHERE owner = ? AND key IN
       (SELECT key FROM provisional_answers WHERE before_text IS NOT NULL AND ${where})`,
    ...[owner, ...bound],
  )
  into.write(
    `DELETE FROM answers WHERE owner = ? AND key IN
       (SELECT key FROM provisional_answers WHERE before_text IS NULL AND ${where})`,
    ...[owner, ...bound],
  )
  into.write(`DELETE FROM provisional_answers WHERE ${where}`, ...bound)
}

function writeAnswer(into: Writer, answer: AnswerToStore, now: number): boolean {
  const { owner, key, path, range, fetchedAt, text, madeOf } = answer
  const changed = into.write(
    `INSERT INTO answers (owner, key, path, first_day, last_day, fetched_at, text, made_of) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (owner, key) DO UPDATE SET fetched_at = excluded.fetched_at, text = excluded.text, made_of = excluded.made_of
     WHERE excluded.fetched_at >= answers.fetched_at OR answers.fetched_at > ?`,
    ...[owner, key, path, range?.start ?? null, range?.end ?? null, fetchedAt, text, madeOf, now],
  )
  return changed > 0
}

export const readAnswer = (from: Reader, owner: DataScopeId, key: string): StoredText | null =>
  stored.first(from, 'WHERE owner = ? AND key = ?', owner, key) ?? null

/** What is looked for among the answers of an endpoint; with a range, those that are about any of its days. */
type NewestParams = {
  readonly owner: DataScopeId
  readonly path: EndpointPath
  readonly max: number
  readonly range?: DayRange
}

/** The newest answers of one endpoint, at most `max` of them. */
export function newestAnswers(from: Reader, { owner, path, max, range }: NewestParams): StoredText[] {
  const days = range ? 'AND first_day <= ? AND last_day >= ?' : ''
  const rest = `WHERE owner = ? AND path = ? ${days} ORDER BY fetched_at DESC LIMIT ?`
  const bound = range ? [range.end, range.start] : []
  return stored.list(from, rest, owner, path, ...bound, max)
}

/**
 * Lets the oldest answers of reports go until those that stay take no more than `bytes`; lists for filters stay.
 * @returns how many went
 */
export function letOldestAnswersGo(from: Writer, bytes: number): number {
  return from.write(
    `DELETE FROM answers WHERE (owner, key) IN (
       SELECT owner, key FROM (
         SELECT owner, key,
           sum(octet_length(text)) OVER (ORDER BY fetched_at DESC, key ROWS UNBOUNDED PRECEDING) AS together
         FROM answers WHERE path NOT LIKE 'interface/%'
       ) WHERE together > ?)`,
    bytes,
  )
}

/** What kept answers of a data scope take, in bytes: pages of reports, and lists for filters. */
const answersSize = v.object({
  owner: branded<DataScopeId>(),
  pages: v.fallback(v.number(), 0),
  lookups: v.fallback(v.number(), 0),
})

export const answerOperations = {
  /** False where a newer answer is kept already. */
  'answers/keep': (into: Writer, answer: AnswerToStore): boolean => storeAnswer(into, answer, Date.now()),
  'answers/read': (
    from: Reader,
    { owner, key }: { readonly owner: DataScopeId; readonly key: string },
  ): FoundText | null => {
    const found = readAnswer(from, owner, key)
    return found && { ...found, isProvisional: has(from, 'provisional_answers', { owner, key }) }
  },
  /**
   * Lets the kept pages of a data scope's tables go: they are kept by what was asked, and that turned out to mean something
   * else. Overviews and lists for filters stay.
   */
  'answers/forget-tables': (from: Writer, { owner }: { readonly owner: DataScopeId }): void => {
    from.write(
      `DELETE FROM answers WHERE owner = ? AND path NOT LIKE 'interface/%' AND path NOT LIKE '%/overview'`,
      owner,
    )
    from.write(
      `DELETE FROM provisional_answers WHERE owner = ? AND key NOT IN (SELECT key FROM answers WHERE owner = ?)`,
      ...[owner, owner],
    )
  },
  /** Reads no answer's text: SQLite knows its length without. */
  'answers/sizes': (from: Reader): readonly Readonly<v.InferOutput<typeof answersSize>>[] =>
    query(
      from,
      answersSize,
      `SELECT owner,
         coalesce(sum(octet_length(text)) FILTER (WHERE path NOT LIKE 'interface/%'), 0) AS pages,
         coalesce(sum(octet_length(text)) FILTER (WHERE path LIKE 'interface/%'), 0) AS lookups
       FROM answers GROUP BY owner`,
    ),
  /** Whether any answer waits for a check of its data scope's instances. */
  'answers/wait': (from: Reader, owner: DataScopeId): boolean => has(from, 'provisional_answers', { owner }),
  /** Lets all answers of a data scope go, lists for filters too. */
  'answers/forget': (from: Writer, owner: DataScopeId): void => {
    remove(from, 'answers', { owner })
    remove(from, 'provisional_answers', { owner })
  },
  /** Lets the oldest answers of reports go until those that stay take no more than so many bytes; how many went. */
  'answers/let-oldest-go': (from: Writer, { bytes }: { readonly bytes: number }): number =>
    letOldestAnswersGo(from, bytes),
  /** The newest answers of one endpoint, the newest first. */
  'answers/newest': newestAnswers,
} as const
