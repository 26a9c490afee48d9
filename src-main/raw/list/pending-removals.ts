import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { Clock } from '#main/lib/async.ts'

/** How long a removal can be undone, in milliseconds: for as long as the window offers it. */
export const undoFor = 12_000

type Batch = {
  readonly account: AccountId
  readonly reports: Set<RawReportId>
  readonly until: Instant
  readonly stop: AbortController
}

export type RemovalsParts = {
  readonly clock: Clock
  /** Asks the service to remove them. Never rejects. */
  readonly send: (account: AccountId, reports: readonly RawReportId[]) => Promise<void>
  /** What is going to be removed has changed. */
  readonly changed: (account: AccountId) => void
}

/** Removals that can still be undone. They are sent after a few seconds, or when the app closes. */
export class Removals {
  readonly #parts: RemovalsParts
  readonly #batches = new Set<Batch>()
  readonly #sending = new Set<Promise<void>>()
  #closed = false

  constructor(parts: RemovalsParts) {
    this.#parts = parts
  }

  /** Removes reports in a few seconds. Those that are going to be removed already stay with their own time. */
  remove(account: AccountId, reports: readonly RawReportId[]): void {
    const more = reports.filter((id) => this.undoUntil(account, id) === null)
    if (more.length === 0) return
    const { clock, changed } = this.#parts
    const until = (clock.now() + undoFor) as Instant
    const batch = { account, reports: new Set(more), until, stop: new AbortController() }
    this.#batches.add(batch)
    if (this.#closed) this.#send(batch)
    else
      clock.wait(undoFor, batch.stop.signal).then(
        () => this.#send(batch),
        () => undefined,
      )
    changed(account)
  }

  /** Keeps reports whose removal was not sent yet, and answers with these. */
  undo(account: AccountId, reports: readonly RawReportId[]): readonly RawReportId[] {
    const stored: RawReportId[] = []
    for (const batch of this.#of(account)) {
      stored.push(...reports.filter((id) => batch.reports.delete(id)))
      if (batch.reports.size > 0) continue
      batch.stop.abort()
      this.#batches.delete(batch)
    }
    this.#parts.changed(account)
    return stored
  }

  /** Until when a report's removal can be undone; null where it is not going to be removed. */
  undoUntil(account: AccountId, report: RawReportId): Instant | null {
    return this.#of(account).find(({ reports }) => reports.has(report))?.until ?? null
  }

  /** The account has gone, and its reports with it, as far as this desk is concerned. */
  forget(account: AccountId): void {
    for (const batch of this.#of(account)) {
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

  #of(account: AccountId): Batch[] {
    return [...this.#batches].filter((batch) => batch.account === account)
  }

  #send(batch: Batch): void {
    if (!this.#batches.delete(batch)) return
    batch.stop.abort()
    const sending = this.#parts.send(batch.account, [...batch.reports]).finally(() => {
      this.#sending.delete(sending)
    })
    this.#sending.add(sending)
  }
}
