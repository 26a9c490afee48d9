import type { RawContext } from '../raw-context.ts'
import type { ListRefresher } from '../polling/list-refresher.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { RawDone } from '#shared/raw/list.ts'
import type { AccountId, RawReportId, Instant } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'
import type { RawDoneAnswer } from '#shared/api/answers.ts'
import type { Failure, FailureKind } from '#shared/api/failure.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import { isRunning, lifeOf } from '#shared/raw/list.ts'
import { lookFor } from '../polling/list-differences.ts'
import { fetchRecord } from './fetch-list.ts'

type SomeReports = { readonly account: AccountId; readonly reports: readonly RawReportId[] }

/**
 * Removes reports with a single request (specification: raw/remove). Failures carry the service's message per report.
 * After a lost response, the list shows which reports were removed. Never rejects for a failure of the service.
 * @param refresher notified before and after the request, because earlier lists are outdated
 */
export async function removeReports(
  context: RawContext,
  refresher: ListRefresher,
  removing: SomeReports,
): Promise<RawDone> {
  const { account, reports } = removing
  const { store } = context
  const known = await store.run('raw-reports/known', { account })
  refresher.changed(account)
  // Stored first, so that a crash before the response does not announce the removal.
  await store.run('raw-reports/mark', { account, reports, removed: true })
  const outcomes = await askToRemove(context, refresher, removing).finally(() => refresher.changed(account))
  const done = doneOf(outcomes, new Map(known.reports.map(({ id, name }) => [id, name])))
  await store.run('raw-reports/let-go', { account, reports: done.done })
  return done
}

async function askToRemove(
  context: RawContext,
  refresher: ListRefresher,
  removing: SomeReports,
): Promise<Outcomes> {
  const { account, reports } = removing
  const [only, ...others] = reports
  if (only === undefined) return new Map()
  try {
    const client = await context.accounts.clientFor(account)
    const raw = others.length === 0 ? only : reports
    const { answer } = await client.call('raw/remove', { raw })
    return outcomesOf(answer, reports)
  } catch (error) {
    return isInDoubt(error)
      ? await lookAfter(context, refresher, removing, error)
      : allFailed(reports, failureOf(error))
  }
}

/** Determines the outcome after a lost response: from the list, and individually for reports that are not on it. */
async function lookAfter(
  context: RawContext,
  refresher: ListRefresher,
  { account, reports }: SomeReports,
  lost: unknown,
): Promise<Outcomes> {
  try {
    // A running fetch may have begun before the removal.
    refresher.changed(account)
    const { rows, complete } = await refresher.fresh(account)
    const there = new Set(rows.map(({ id }) => id))
    // The list may be empty by mistake.
    const absent = reports.filter((id) => !there.has(id))
    const found = await lookFor(context, account, absent)
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

/** Undo period in milliseconds, as long as the window offers it. */
export const undoFor = 12_000

type Batch = {
  readonly account: AccountId
  readonly reports: Set<RawReportId>
  readonly until: Instant
  readonly stop: AbortController
}

/** Removals that can still be undone. Sent after the undo period, or when the app closes. */
export class Removals {
  readonly #clock: Clock
  readonly #ask: (account: AccountId, reports: readonly RawReportId[]) => Promise<void>
  readonly #changed: (account: AccountId) => void
  readonly #batches = new Set<Batch>()
  readonly #sending = new Set<Promise<void>>()
  #closed = false

  /**
   * @param ask sends the removal; never rejects
   * @param changed called with the account whose pending removals changed
   */
  constructor(
    clock: Clock,
    ask: (account: AccountId, reports: readonly RawReportId[]) => Promise<void>,
    changed: (account: AccountId) => void,
  ) {
    this.#clock = clock
    this.#ask = ask
    this.#changed = changed
  }

  /** Schedules a removal. Reports already scheduled keep their time. */
  remove(account: AccountId, reports: readonly RawReportId[]): void {
    const more = reports.filter((id) => this.undoUntil(account, id) === null)
    if (more.length === 0) return
    const clock = this.#clock
    const until = (clock.now() + undoFor) as Instant
    const batch = { account, reports: new Set(more), until, stop: new AbortController() }
    this.#batches.add(batch)
    if (this.#closed) this.#send(batch)
    else
      clock.wait(undoFor, batch.stop.signal).then(
        () => this.#send(batch),
        () => undefined,
      )
    this.#changed(account)
  }

  /** Cancels scheduled removals. Returns the reports that remain. */
  undo(account: AccountId, reports: readonly RawReportId[]): readonly RawReportId[] {
    const remaining: RawReportId[] = []
    for (const batch of this.#batchesOf(account)) {
      remaining.push(...reports.filter((id) => batch.reports.delete(id)))
      if (batch.reports.size > 0) continue
      batch.stop.abort()
      this.#batches.delete(batch)
    }
    this.#changed(account)
    return remaining
  }

  /** End of a report's undo period; null if no removal is scheduled. */
  undoUntil(account: AccountId, report: RawReportId): Instant | null {
    return this.#batchesOf(account).find(({ reports }) => reports.has(report))?.until ?? null
  }

  /** Drops the removals of a removed account. */
  forget(account: AccountId): void {
    for (const batch of this.#batchesOf(account)) {
      batch.stop.abort()
      this.#batches.delete(batch)
    }
  }

  /** Sends scheduled removals at once, and waits for all. */
  async close(): Promise<void> {
    this.#closed = true
    for (const batch of [...this.#batches]) this.#send(batch)
    await Promise.all(this.#sending)
  }

  #batchesOf(account: AccountId): Batch[] {
    return [...this.#batches].filter((batch) => batch.account === account)
  }

  #send(batch: Batch): void {
    if (!this.#batches.delete(batch)) return
    batch.stop.abort()
    const sending = this.#ask(batch.account, [...batch.reports]).finally(() => {
      this.#sending.delete(sending)
    })
    this.#sending.add(sending)
  }
}

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

const plain = (message: string): string => wordsOf(message) ?? 'The service refused.'

/** All reports failed for one reason, in the service's words if available. */
function allFailed(reports: readonly RawReportId[], { said, message }: Failure): Outcomes {
  return new Map(reports.map((id) => [id, said ?? message]))
}

const doubtful: ReadonlySet<FailureKind> = new Set([
  'offline',
  'timed-out',
  'server-trouble',
  'malformed',
  'cancelled',
])

/** Whether the service may have carried out the request although its response was lost or unreadable. */
function isInDoubt(error: unknown): boolean {
  return !(error instanceof NeverSent) && doubtful.has(failureOf(error).kind)
}

function doneOf(outcomes: Outcomes, names: ReadonlyMap<RawReportId, string>): RawDone {
  const all = [...outcomes]
  return {
    done: all.flatMap(([id, words]) => (words === null ? [id] : [])),
    failed: all.flatMap(([id, words]) => (words === null ? [] : [{ id, name: names.get(id) ?? '', words }])),
  }
}

type Cancelled = { readonly account: AccountId; readonly report: RawReportId }

const notRunning = 'The report is no longer in progress.'

/**
 * Cancels a running report with a single request (specification: raw/cancel). After a lost response, the report's
 * record shows the outcome.
 * @param refresher notified before and after the request, because earlier lists are outdated
 */
export async function cancelReport(
  context: RawContext,
  refresher: ListRefresher,
  { account, report }: Cancelled,
): Promise<RawDone> {
  const { store } = context
  const stored = await store.run('raw-reports/read', { account, report })
  const names = new Map([[report, stored?.row.name ?? '']])
  const done = (words: string | null) => doneOf(new Map([[report, words]]), names)
  if (stored && !isRunning(lifeOf(stored.row).state)) return done(notRunning)
  refresher.changed(account)
  // Stored first, so that a crash before the response does not announce the cancellation.
  await store.run('raw-reports/mark', { account, reports: [report], cancelled: true })
  try {
    const words = await askToCancel(context, { account, report })
    // An earlier request may still take effect, or has.
    if (words.refused && stored?.cancelledHere !== true) {
      await store.run('raw-reports/mark', { account, reports: [report], cancelled: false })
    }
    return done(words.words)
  } finally {
    refresher.changed(account)
  }
}

/** Null words: cancelled. `refused`: the report will certainly not be cancelled. */
async function askToCancel(
  context: RawContext,
  { account, report }: Cancelled,
): Promise<{ readonly words: string | null; readonly refused: boolean }> {
  try {
    const client = await context.accounts.clientFor(account)
    const { answer } = await client.call('raw/cancel', { raw: report })
    const words = outcomesOf(answer, [report]).get(report) ?? null
    return { words, refused: words !== null }
  } catch (error) {
    const { said, message } = failureOf(error)
    if (!isInDoubt(error)) return { words: said ?? message, refused: true }
    return { words: await lookAtRecord(context, { account, report }, said ?? message), refused: false }
  }
}

async function lookAtRecord(
  context: RawContext,
  params: Cancelled,
  otherwise: string,
): Promise<string | null> {
  try {
    const { state, words } = lifeOf(await fetchRecord(context, { ...params, priority: 'person' }))
    return state === 'cancelled' ? null : `The answer was lost. The report is: ${words}.`
  } catch {
    return otherwise
  }
}
