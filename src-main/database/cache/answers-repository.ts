import * as v from 'valibot'
import type { Provisional, ScopeTerm } from '#shared/reports/answer.ts'
import type { EndpointPath } from '#shared/api/endpoints.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { branded, instant } from '#shared/values/schemas.ts'
import type { Reader, Writer } from '../sqlite/database.ts'
import { has, put, query, remove, table } from '../sqlite/database.ts'

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

/**
 * Keeps an answer in place of the older one to the same question. A newer one stays, unless it claims to come from
 * after `now`: then the clock was set back in between, and the one at hand is the newer.
 * @returns whether it was kept; it is not where a newer one is there
 */
export function storeAnswer(into: Writer, answer: AnswerToStore, now: number): boolean {
  return into.together(() => {
    if (!writeAnswer(into, answer, now)) return false
    const { owner, key, provisional } = answer
    if (provisional) {
      put(into, 'provisional_answers', ['owner', 'key'], { owner, key, ...provisional })
    } else remove(into, 'provisional_answers', { owner, key })
    return true
  })
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
  ): StoredText | null => readAnswer(from, owner, key),
  /**
   * Lets the kept pages of a data scope's tables go: they are kept by what was asked, and that turned out to mean something
   * else. Overviews and lists for filters stay.
   */
  'answers/forget-tables': (from: Writer, { owner }: { readonly owner: DataScopeId }): void =>
    void from.write(
      `DELETE FROM answers WHERE owner = ? AND path NOT LIKE 'interface/%' AND path NOT LIKE '%/overview'`,
      owner,
    ),
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
