import type { RawAccounts } from './fetch-list.ts'
import type { Refreshing } from '../polling/refresh-rounds.ts'
import type { Store } from '#main/database/state/state-store.ts'
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
 * Removes reports (specification: raw/remove), asked for once. Where some fail, each is named with the service's words;
 * where the answer is lost, the list tells what became of them. Never rejects for what the service does.
 * @param refreshing is told before and after the service is asked: lists from before are old
 */
export async function removeReports(
  store: Store,
  accounts: RawAccounts,
  clock: Clock,
  refreshing: Refreshing,
  removing: SomeReports,
): Promise<RawDone> {
  const { account, reports } = removing
  const known = await store.run('raw-reports/known', { account })
  const lookForEach: LookForEach = (ids) => lookFor(store, accounts, clock, account, ids)
  refreshing.changed(account)
  // Written down first: that they go is no news then, even if the app ends before the answer comes.
  await store.run('raw-reports/mark', { account, reports, removed: true })
  const outcomes = await askToRemove(accounts, refreshing, removing, lookForEach).finally(() =>
    refreshing.changed(account),
  )
  const done = doneOf(outcomes, new Map(known.reports.map(({ id, name }) => [id, name])))
  await store.run('raw-reports/let-go', { account, reports: done.done })
  return done
}

/** Asks the service for each of some reports. */
type LookForEach = (reports: readonly RawReportId[]) => ReturnType<typeof lookFor>

async function askToRemove(
  accounts: RawAccounts,
  refreshing: Refreshing,
  removing: SomeReports,
  lookForEach: LookForEach,
): Promise<Outcomes> {
  const { account, reports } = removing
  const [only, ...others] = reports
  if (only === undefined) return new Map()
  try {
    const client = await accounts.clientFor(account)
    const raw = others.length === 0 ? only : reports
    const { answer } = await client.call('raw/remove', { raw })
    return outcomesOf(answer, reports)
  } catch (error) {
    return isInDoubt(error)
      ? await lookAfter(refreshing, removing, lookForEach, error)
      : allFailed(reports, failureOf(error))
  }
}

/** Looks what became of a removal whose answer was lost: in the list, and one by one for some that are not on it. */
async function lookAfter(
  refreshing: Refreshing,
  { account, reports }: SomeReports,
  lookForEach: LookForEach,
  lost: unknown,
): Promise<Outcomes> {
  try {
    // What is being fetched may have begun before.
    refreshing.changed(account)
    const { rows, complete } = await refreshing.fresh(account)
    const there = new Set(rows.map(({ id }) => id))
    // A list may be empty by mistake.
    const absent = reports.filter((id) => !there.has(id))
    const found = await lookForEach(absent)
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

/** How long a removal can be undone, in milliseconds: for as long as the window offers it. */
export const undoFor = 12_000

type Batch = {
  readonly account: AccountId
  readonly reports: Set<RawReportId>
  readonly until: Instant
  readonly stop: AbortController
}

/** Removals that can still be undone. They are sent after a few seconds, or when the app closes. */
export class Removals {
  readonly #clock: Clock
  readonly #ask: (account: AccountId, reports: readonly RawReportId[]) => Promise<void>
  readonly #changed: (account: AccountId) => void
  readonly #batches = new Set<Batch>()
  readonly #sending = new Set<Promise<void>>()
  #closed = false

  /**
   * @param ask asks the service to remove them, and never rejects
   * @param changed hears whose removals are others now
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

  /** Removes reports in a few seconds. Those that are going to be removed already stay with their own time. */
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

  /** Keeps reports whose removal was not sent yet, and answers with these. */
  undo(account: AccountId, reports: readonly RawReportId[]): readonly RawReportId[] {
    const stored: RawReportId[] = []
    for (const batch of this.#batchesOf(account)) {
      stored.push(...reports.filter((id) => batch.reports.delete(id)))
      if (batch.reports.size > 0) continue
      batch.stop.abort()
      this.#batches.delete(batch)
    }
    this.#changed(account)
    return stored
  }

  /** Until when a report's removal can be undone; null where it is not going to be removed. */
  undoUntil(account: AccountId, report: RawReportId): Instant | null {
    return this.#batchesOf(account).find(({ reports }) => reports.has(report))?.until ?? null
  }

  /** The account has gone, and its reports with it, as far as this desk is concerned. */
  forget(account: AccountId): void {
    for (const batch of this.#batchesOf(account)) {
      batch.stop.abort()
      this.#batches.delete(batch)
    }
  }

  /** Sends what waits at once, and waits for what was sent. */
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

/** What became of each report: null where it was done, else why not, in words. */
type Outcomes = ReadonlyMap<RawReportId, string | null>

/** What raw/cancel and raw/remove answered of these reports (specification: errors, feedback). */
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

/** All of them failed for one reason, in the service's own words where it gave any. */
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

/** Whether the service may have done what it was asked for all the same: its answer was lost, or cannot be read. */
function isInDoubt(error: unknown): boolean {
  return !(error instanceof NeverSent) && doubtful.has(failureOf(error).kind)
}

/** @param names names of the reports, where they are known */
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
 * Cancels a report that runs (specification: raw/cancel). It is asked for once; where the answer is lost, the report
 * tells what became of it.
 * @param refreshing is told before and after the service is asked: lists from before are old
 */
export async function cancelReport(
  store: Store,
  accounts: RawAccounts,
  refreshing: Refreshing,
  { account, report }: Cancelled,
): Promise<RawDone> {
  const stored = await store.run('raw-reports/read', { account, report })
  const names = new Map([[report, stored?.row.name ?? '']])
  const done = (words: string | null) => doneOf(new Map([[report, words]]), names)
  if (stored && !isRunning(lifeOf(stored.row).state)) return done(notRunning)
  refreshing.changed(account)
  // Written down first: an end that was asked for here is no news, even if the app ends before the answer comes.
  await store.run('raw-reports/mark', { account, reports: [report], cancelled: true })
  try {
    const words = await askToCancel(store, accounts, { account, report })
    // One that was asked for before may still come about, or has.
    if (words.refused && stored?.cancelledHere !== true) {
      await store.run('raw-reports/mark', { account, reports: [report], cancelled: false })
    }
    return done(words.words)
  } finally {
    refreshing.changed(account)
  }
}

/** Null words say that it was cancelled; what was refused for certain is not going to be cancelled later either. */
async function askToCancel(
  store: Store,
  accounts: RawAccounts,
  { account, report }: Cancelled,
): Promise<{ readonly words: string | null; readonly refused: boolean }> {
  try {
    const client = await accounts.clientFor(account)
    const { answer } = await client.call('raw/cancel', { raw: report })
    const words = outcomesOf(answer, [report]).get(report) ?? null
    return { words, refused: words !== null }
  } catch (error) {
    const { said, message } = failureOf(error)
    if (!isInDoubt(error)) return { words: said ?? message, refused: true }
    return {
      words: await lookAtRecord(store, accounts, { account, report }, said ?? message),
      refused: false,
    }
  }
}

async function lookAtRecord(
  store: Store,
  accounts: RawAccounts,
  params: Cancelled,
  otherwise: string,
): Promise<string | null> {
  try {
    const { state, words } = lifeOf(await fetchRecord(store, accounts, { ...params, priority: 'person' }))
    return state === 'cancelled' ? null : `The answer was lost. The report is: ${words}.`
  } catch {
    return otherwise
  }
}
