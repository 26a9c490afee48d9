import { rm } from 'node:fs/promises'
import type { CallArgument, CallName } from '#shared/bridge/calls.ts'
import type {
  BeforeAnswer,
  MoversAnswer,
  ReportAnswer,
  TableReport,
  TrendAnswer,
} from '#shared/reports/answer.ts'
import type { ExplainAnswer, ExplainQuery } from '#shared/reports/explain-answer.ts'
import { comparedPeriods } from '#shared/reports/change.ts'
import type { ComparedPeriods } from '#shared/reports/change.ts'
import { answerKey, beforeKey, trendKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { areWhole } from '#shared/reports/answer.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { limits } from '#shared/api/parameters.ts'
import type { SnapshotAnswer, SnapshotRequest } from '#main/reports/resolver/snapshot-of-query.ts'
import { withSignal } from '#main/lib/async.ts'
import { agree } from '#main/reports/one-scope.ts'
import type { DayNote } from '#shared/watch/notes.ts'
import type { ExportsContext } from './exports-context.ts'

type ForAccount<N extends CallName> = Omit<CallArgument<N>, 'account'>

/** Reads tables for one export, one at a time, until the export is cancelled. */
export class TableReader {
  #key: string | null = null
  /** Number of reads in this attempt, and the account's standing before the first read. */
  #reads = 0
  #standing = ''
  readonly #context: ExportsContext
  readonly #account: AccountId
  readonly #signal: AbortSignal

  constructor(context: ExportsContext, account: AccountId, signal: AbortSignal) {
    this.#context = context
    this.#account = account
    this.#signal = signal
  }

  /** @throws DeskFailure `cancelled` at once if the export is cancelled; failures of the query */
  readonly read = (query: ReportQuery): Promise<ReportAnswer> =>
    this.#during(answerKey(query), () =>
      this.#context.reports.ask({ account: this.#account, query, force: false }, this.#signal),
    )

  /** Writes every row of a query into a file; throws as `read`. A file that is ready after a cancellation is deleted. */
  readonly snapshot = async (request: Omit<SnapshotRequest, 'account'>): Promise<SnapshotAnswer> => {
    this.#key = answerKey({ ...request.query, whole: true, page: 1, limit: limits.rowsPerPage })
    try {
      return await this.#file(() =>
        this.#context.reports.snapshot({ account: this.#account, ...request }, this.#signal),
      )
    } finally {
      this.#key = null
    }
  }

  /** Like `snapshot`, from stored tables and without a request for rows. Returns null if no day is stored. */
  readonly storedSnapshot = (request: Omit<SnapshotRequest, 'account'>): Promise<SnapshotAnswer | null> =>
    this.#file(() =>
      this.#context.reports.storedSnapshot({ account: this.#account, ...request }, this.#signal),
    )

  /** Reads the largest changes from stored tables; null if no day is stored. Throws as `read`. */
  readonly storedMovers = (request: ForAccount<'reports/movers'>): Promise<MoversAnswer | null> => {
    this.#note()
    return withSignal(this.#signal, () =>
      this.#context.reports.storedMovers({ account: this.#account, ...request }, this.#signal),
    )
  }

  /** Explains a change from stored tables; throws as `read`. */
  readonly explain = (query: ExplainQuery): Promise<ExplainAnswer> => {
    this.#note()
    return withSignal(this.#signal, () =>
      this.#context.reports.explain({ account: this.#account, ...query, load: [] }, this.#signal),
    )
  }

  /** Reads the figures of each day of a query; throws as `read`. */
  readonly trend = (query: ReportQuery): Promise<TrendAnswer> =>
    this.#during(trendKey(query), () =>
      this.#context.reports.trend({ account: this.#account, query, force: false }, this.#signal),
    )

  /** Reads the user's notes on days. */
  readonly notes = (): Promise<readonly DayNote[]> => this.#context.notesOf(this.#account)

  /** Reads the rows of a page over the days that they are compared with; throws as `read`. */
  readonly before = async (
    { query, provenance }: TableReport,
    range: DayRange,
    labels: readonly string[],
  ): Promise<BeforeAnswer> => {
    const account = this.#account
    const isWhole = areWhole(provenance, query.range, this.zone)
    return this.#during(beforeKey(query, range), () =>
      this.#context.reports.before(
        { ...{ account, query, before: range, labels: [...labels], isWhole, force: false } },
        this.#signal,
      ),
    )
  }

  /** Reads the common days of two ranges of which days are missing; throws as `read`. */
  readonly paired = (query: ReportQuery, before: DayRange) => {
    this.#note()
    return withSignal(this.#signal, () =>
      this.#context.reports.paired({ account: this.#account, query, before }, this.#signal),
    )
  }

  /** Starts another attempt. */
  begin(): void {
    this.#reads = 0
  }

  /**
   * Checks that all results of this attempt are of one data scope. A single result needs no check.
   * @throws as `agree` of the reports module
   */
  readonly assertOneScope = async (): Promise<void> => {
    if (this.#reads < 2) return
    await withSignal(this.#signal, () => agree(this.#context, this.#account, this.#standing))
  }

  /** Runs work that reads any number of this account's figures for the export; throws as `work`. */
  readonly runExternalRead = <T>(work: () => Promise<T>): Promise<T> => {
    this.#note()
    this.#reads += 1
    return withSignal(this.#signal, work)
  }

  /** Returns the days of two periods that are compared now: those that are over. */
  readonly periods = (now: DayRange, before: DayRange): ComparedPeriods =>
    comparedPeriods(now, before, dayAt(this.#context.clock.now(), this.zone))

  /** Zone of the account's days. */
  get zone(): string {
    return this.#context.accounts.account(this.#account).dayZone
  }

  readonly bases = (family: Family): RateBases | null =>
    this.#context.accounts.account(this.#account).rateBases?.[family] ?? null

  /** Whether a progress event belongs to the query that this export waits for. */
  isAbout({ account, key }: { readonly account: AccountId; readonly key: string }): boolean {
    return account === this.#account && key === this.#key
  }

  async #file<A extends SnapshotAnswer | null>(read: () => Promise<A>): Promise<A> {
    this.#note()
    return await withSignal(this.#signal, async () => {
      const answer = await read()
      if (this.#signal.aborted && answer?.kind === 'file') await rm(answer.file.path, { force: true })
      return answer
    })
  }

  #note(): void {
    if (this.#reads === 0) this.#standing = this.#context.accounts.standingOf(this.#account)
    this.#reads += 1
  }

  async #during<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#note()
    this.#key = key
    try {
      return await withSignal(this.#signal, work)
    } finally {
      this.#key = null
    }
  }
}
