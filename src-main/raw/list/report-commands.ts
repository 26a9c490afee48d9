import type { RawContext } from '../raw-context.ts'
import type { ListRefresher } from '../polling/list-refresher.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { RawDone } from '#shared/raw/list.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'
import type { RawDoneAnswer } from '#shared/api/answers.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import type { Failure } from '#shared/api/failure.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import { lookFor } from '../polling/list-differences.ts'
import { fetchRecord } from './fetch-list.ts'

type SomeReports = { readonly account: AccountId; readonly reports: readonly RawReportId[] }
type OneReport = { readonly account: AccountId; readonly report: RawReportId }

/**
 * Removes and cancels reports. Each request is stored before it is sent, and sent once. The refresher is notified before
 * and after, because lists fetched earlier are outdated.
 */
export class ReportCommands {
  readonly #context: RawContext
  readonly #refresher: ListRefresher

  constructor(context: RawContext, refresher: ListRefresher) {
    this.#context = context
    this.#refresher = refresher
  }

  /**
   * Removes reports with a single request (specification: raw/remove). Failures carry the service's message per report.
   * After a lost response, the list shows which reports were removed. Never rejects for a failure of the service.
   */
  async remove({ account, reports }: SomeReports): Promise<RawDone> {
    const { store } = this.#context
    const known = await store.run('raw-reports/known', { account })
    this.#refresher.changed(account)
    // Stored first, so that a crash before the response does not announce the removal.
    await store.run('raw-reports/mark', { account, reports, removed: true })
    const outcomes = await this.#sendRemoval({ account, reports }).finally(() =>
      this.#refresher.changed(account),
    )
    const done = doneOf(outcomes, new Map(known.reports.map(({ id, name }) => [id, name])))
    await store.run('raw-reports/let-go', { account, reports: done.done })
    return done
  }

  async #sendRemoval({ account, reports }: SomeReports): Promise<Outcomes> {
    const [only, ...others] = reports
    if (only === undefined) return new Map()
    try {
      const client = await this.#context.accounts.clientFor(account)
      const raw = others.length === 0 ? only : reports
      const { answer } = await client.call('raw/remove', { raw })
      return outcomesOf(answer, reports)
    } catch (error) {
      return isInDoubt(error)
        ? await this.#removalOutcome({ account, reports }, error)
        : allFailed(reports, failureOf(error))
    }
  }

  /** Determines the outcome after a lost response: from the list, and individually for reports that are not on it. */
  async #removalOutcome({ account, reports }: SomeReports, lost: unknown): Promise<Outcomes> {
    try {
      // A running fetch may have begun before the removal.
      this.#refresher.changed(account)
      const { rows, complete } = await this.#refresher.fresh(account)
      const there = new Set(rows.map(({ id }) => id))
      // The list may be empty by mistake.
      const absent = reports.filter((id) => !there.has(id))
      const found = await lookFor(this.#context, account, absent)
      for (const { id } of found.rows) there.add(id)
      const isGone = (id: RawReportId) =>
        found.gone.has(id) || (complete && found.rows.length === 0 && found.gone.size > 0)
      const words = (id: RawReportId) => {
        if (there.has(id)) return 'The answer was lost. The report is still in the list.'
        return isGone(id) ? null : failureOf(lost).message
      }
      return new Map(reports.map((id) => [id, words(id)]))
    } catch {
      return allFailed(reports, failureOf(lost))
    }
  }

  /**
   * Cancels a running report with a single request (specification: raw/cancel). After a lost response, the report's
   * record shows the outcome.
   */
  async cancel({ account, report }: OneReport): Promise<RawDone> {
    const { store } = this.#context
    const stored = await store.run('raw-reports/read', { account, report })
    const names = new Map([[report, stored?.row.name ?? '']])
    const done = (words: string | null) => doneOf(new Map([[report, words]]), names)
    if (stored && !isRunning(lifeOf(stored.row).state)) return done(notRunning)
    this.#refresher.changed(account)
    // Stored first, so that a crash before the response does not announce the cancellation.
    await store.run('raw-reports/mark', { account, reports: [report], cancelled: true })
    try {
      const { words, refused } = await this.#sendCancellation({ account, report })
      // An earlier request may still take effect, or has.
      if (refused && stored?.cancelledHere !== true) {
        await store.run('raw-reports/mark', { account, reports: [report], cancelled: false })
      }
      return done(words)
    } finally {
      this.#refresher.changed(account)
    }
  }

  async #sendCancellation({ account, report }: OneReport): Promise<CancelOutcome> {
    try {
      const client = await this.#context.accounts.clientFor(account)
      const { answer } = await client.call('raw/cancel', { raw: report })
      const words = outcomesOf(answer, [report]).get(report) ?? null
      return { words, refused: words !== null }
    } catch (error) {
      const { said, message } = failureOf(error)
      if (!isInDoubt(error)) return { words: said ?? message, refused: true }
      return { words: await this.#cancelOutcome({ account, report }, said ?? message), refused: false }
    }
  }

  /** Determines the outcome after a lost response from the report's record. */
  async #cancelOutcome(params: OneReport, otherwise: string): Promise<string | null> {
    try {
      const record = await fetchRecord(this.#context, { ...params, priority: 'person' })
      const { state, words } = lifeOf(record)
      return state === 'cancelled' ? null : `The answer was lost. The report is: ${words}.`
    } catch {
      return otherwise
    }
  }
}

type CancelOutcome = {
  /** Null if the report was cancelled. */
  readonly words: string | null
  /** Whether the report will certainly not be cancelled. */
  readonly refused: boolean
}

const notRunning = 'The report is no longer in progress.'

/** Outcome per report: null if done, otherwise the reason. */
type Outcomes = ReadonlyMap<RawReportId, string | null>

/** Outcomes in a response of raw/cancel or raw/remove (specification: errors, feedback). */
function outcomesOf(answer: RawDoneAnswer, reports: readonly RawReportId[]): Outcomes {
  const { success, message, feedback } = answer
  const outcome = (id: RawReportId): string | null => {
    if (Object.hasOwn(feedback.fail, id)) return wordsOf(feedback.fail[id]) ?? plain(message)
    return success || Object.hasOwn(feedback.pass, id) ? null : plain(message)
  }
  return new Map(reports.map((id) => [id, outcome(id)]))
}

const wordsOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

const plain = (message: string): string => wordsOf(message) ?? 'The service rejected this.'

/** All reports failed for one reason, in the service's words if available. */
function allFailed(reports: readonly RawReportId[], { said, message }: Failure): Outcomes {
  return new Map(reports.map((id) => [id, said ?? message]))
}

/** Whether the service may have carried out the request although its response was lost or unreadable. */
function isInDoubt(error: unknown): boolean {
  const { remedy } = failureMeanings[failureOf(error).kind]
  return !(error instanceof NeverSent) && remedy !== 'token' && remedy !== 'none'
}

function doneOf(outcomes: Outcomes, names: ReadonlyMap<RawReportId, string>): RawDone {
  const all = [...outcomes]
  return {
    done: all.flatMap(([id, words]) => (words === null ? [id] : [])),
    failed: all.flatMap(([id, words]) => (words === null ? [] : [{ id, name: names.get(id) ?? '', words }])),
  }
}
