import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, RawReportId, Instant } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'

/** Undo period in milliseconds, as long as the window offers it. */
export const undoFor = 12_000

type Batch = {
  readonly account: AccountId
  readonly reports: Set<RawReportId>
  readonly until: Instant
  readonly stop: AbortController
}

/** Removals that can still be undone. Sent after the undo period, or when the app closes. */
export class PendingRemovals {
  readonly #clock: Clock
  readonly #ask: (account: AccountId, reports: readonly RawReportId[]) => Promise<void>
  readonly #onChange: (account: AccountId) => void
  readonly #batches = new Set<Batch>()
  readonly #sending = new Set<Promise<void>>()
  #isClosed = false

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
    this.#onChange = changed
  }

  /** Schedules a removal. Reports already scheduled keep their time. */
  remove(account: AccountId, reports: readonly RawReportId[]): void {
    const more = reports.filter((id) => this.undoUntil(account, id) === null)
    if (more.length === 0) return
    const clock = this.#clock
    const until = instantOf(clock.now() + undoFor)
    const batch = { account, reports: new Set(more), until, stop: new AbortController() }
    this.#batches.add(batch)
    if (this.#isClosed) this.#send(batch)
    else
      clock.wait(undoFor, batch.stop.signal).then(
        () => this.#send(batch),
        () => undefined,
      )
    this.#onChange(account)
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
    this.#onChange(account)
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
    this.#isClosed = true
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
