import * as v from 'valibot'
import type { EndpointPath } from '../../src-shared/service/endpoints.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { Reader, Row, Writer } from './database.ts'

/** An answer to be kept: its text as the service sent it, without the token. */
export type AnswerToKeep = {
  readonly account: AccountId
  /** What was asked, in one text for one question. */
  readonly key: string
  readonly path: EndpointPath
  /** The days it is about; null for what has none. */
  readonly range: DayRange | null
  readonly fetchedAt: Instant
  readonly text: string
  /** The kept tables that tell the same, in one text; empty where there are none. */
  readonly madeOf: string
}

/** An answer as it was kept. What the text says is checked by who reads it. */
export type KeptText = Pick<AnswerToKeep, 'key' | 'fetchedAt' | 'text' | 'madeOf'>

const answerRow = v.object({
  key: v.string(),
  fetchedAt: v.pipe(
    v.number(),
    v.integer(),
    v.transform((time) => time as Instant),
  ),
  text: v.string(),
  madeOf: v.string(),
})

function answerFrom(row: Row | undefined): KeptText | undefined {
  const read = v.safeParse(answerRow, row)
  return read.success ? read.output : undefined
}

/**
 * Keeps an answer in place of the older one to the same question. A newer one stays, unless it claims to come from
 * after `now`: then the clock was set back in between, and the one at hand is the newer.
 * @returns whether it was kept; it is not where a newer one is there or the account has gone
 */
export function keepAnswer(into: Writer, answer: AnswerToKeep, now: number): boolean {
  const changed = into.write(
    `INSERT INTO answers (account, key, path, first_day, last_day, fetched_at, text, made_of)
     SELECT id, ?, ?, ?, ?, ?, ?, ? FROM accounts WHERE id = ?
     ON CONFLICT (account, key) DO UPDATE SET fetched_at = excluded.fetched_at, text = excluded.text, made_of = excluded.made_of
     WHERE excluded.fetched_at >= answers.fetched_at OR answers.fetched_at > ?`,
    answer.key,
    answer.path,
    answer.range?.start ?? null,
    answer.range?.end ?? null,
    answer.fetchedAt,
    answer.text,
    answer.madeOf,
    answer.account,
    now,
  )
  return changed > 0
}

export function readAnswer(from: Reader, account: AccountId, key: string): KeptText | null {
  const sql =
    'SELECT key, fetched_at AS fetchedAt, text, made_of AS madeOf FROM answers WHERE account = ? AND key = ?'
  return answerFrom(from.row(sql, account, key)) ?? null
}

/** The newest answers of one endpoint, at most `most` of them. */
export function newestAnswers(
  from: Reader,
  account: AccountId,
  path: EndpointPath,
  most: number,
): KeptText[] {
  const sql = `SELECT key, fetched_at AS fetchedAt, text, made_of AS madeOf FROM answers WHERE account = ? AND path = ?
    ORDER BY fetched_at DESC LIMIT ?`
  return from.rows(sql, account, path, most).flatMap((row) => answerFrom(row) ?? [])
}

/** Lets the kept pages of tables go: they are kept by what was asked, and that turned out to mean something else. */
export function forgetTableAnswers(from: Writer, account: AccountId): void {
  from.write(
    `DELETE FROM answers WHERE account = ? AND path NOT LIKE 'interface/%' AND path NOT LIKE '%/overview'`,
    account,
  )
}

/**
 * Lets the oldest answers of reports go until those that stay take no more than `bytes`; lists for filters stay.
 * @returns how many went
 */
export function letOldestAnswersGo(from: Writer, bytes: number): number {
  return from.write(
    `DELETE FROM answers WHERE (account, key) IN (
       SELECT account, key FROM (
         SELECT account, key,
           sum(octet_length(text)) OVER (ORDER BY fetched_at DESC, key ROWS UNBOUNDED PRECEDING) AS together
         FROM answers WHERE path NOT LIKE 'interface/%'
       ) WHERE together > ?)`,
    bytes,
  )
}

/** What kept answers of an account take, in bytes: pages of reports, and lists for filters. */
export type AnswersSize = { readonly account: AccountId; readonly pages: number; readonly lookups: number }

const sizesRow = v.object({
  account: v.pipe(
    v.string(),
    v.transform((id) => id as AccountId),
  ),
  pages: v.fallback(v.number(), 0),
  lookups: v.fallback(v.number(), 0),
})

/** Reads no answer's text: SQLite knows its length without. */
export function answerSizes(from: Reader): readonly AnswersSize[] {
  const sql = `SELECT account,
      coalesce(sum(octet_length(text)) FILTER (WHERE path NOT LIKE 'interface/%'), 0) AS pages,
      coalesce(sum(octet_length(text)) FILTER (WHERE path LIKE 'interface/%'), 0) AS lookups
    FROM answers GROUP BY account`
  return from.rows(sql).flatMap((row) => {
    const read = v.safeParse(sizesRow, row)
    return read.success ? read.output : []
  })
}

export const answerOperations = {
  /** False where a newer answer is kept already, or the account has gone. */
  'answers/keep': (into: Writer, answer: AnswerToKeep): boolean => keepAnswer(into, answer, Date.now()),
  'answers/read': (
    from: Reader,
    { account, key }: { readonly account: AccountId; readonly key: string },
  ): KeptText | null => readAnswer(from, account, key),
  /** Lets the kept pages of an account's tables go; overviews and lists for filters stay. */
  'answers/forget-tables': (from: Writer, { account }: { readonly account: AccountId }): null => {
    forgetTableAnswers(from, account)
    return null
  },
  'answers/sizes': (from: Reader): readonly AnswersSize[] => answerSizes(from),
  /** Lets all answers of an account go, lists for filters too. */
  'answers/forget': (from: Writer, account: AccountId): null => {
    from.write('DELETE FROM answers WHERE account = ?', account)
    return null
  },
  /** Lets the oldest answers of reports go until those that stay take no more than so many bytes; how many went. */
  'answers/let-oldest-go': (from: Writer, { bytes }: { readonly bytes: number }): number =>
    letOldestAnswersGo(from, bytes),
  /** The newest answers of one endpoint, the newest first. */
  'answers/newest': (
    from: Reader,
    {
      account,
      path,
      most,
    }: { readonly account: AccountId; readonly path: EndpointPath; readonly most: number },
  ): readonly KeptText[] => newestAnswers(from, account, path, most),
} as const
