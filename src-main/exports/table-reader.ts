import { rm } from 'node:fs/promises'
import type { BeforeAnswer, ReportAnswer } from '#shared/reports/answer.ts'
import { comparedPeriods } from '#shared/reports/change.ts'
import type { ComparedPeriods } from '#shared/reports/change.ts'
import { answerKey, beforeKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { areWhole } from '#shared/reports/answer.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { limits } from '#shared/api/parameters.ts'
import type { SnapshotAnswer, SnapshotRequest } from '#main/reports/resolver/snapshot-of-query.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import { withSignal } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import type { Reports } from '#main/reports/figures.ts'
import { agree } from '#main/reports/one-scope.ts'
import type { TableReport } from './facts.ts'

/** What tables are read from. */
export type ReadReports = Pick<Reports, 'ask' | 'before' | 'paired' | 'snapshot' | 'confirm'>
export type ReadAccounts = Pick<AccountStore, 'account' | 'standingOf'>

/** Reads tables for one export, one at a time, and stops when the export is cancelled. */
export class TableReader {
  #key: string | null = null
  /** How often something was read, and as what the account's figures stood before the first time. */
  #reads = 0
  #standing = ''
  readonly #accounts: ReadAccounts
  readonly #reports: ReadReports
  readonly #clock: Pick<Clock, 'now'>
  readonly #account: AccountId
  readonly #signal: AbortSignal

  constructor(
    accounts: ReadAccounts,
    reports: ReadReports,
    clock: Pick<Clock, 'now'>,
    account: AccountId,
    signal: AbortSignal,
  ) {
    this.#accounts = accounts
    this.#reports = reports
    this.#clock = clock
    this.#account = account
    this.#signal = signal
  }

  /** @throws DeskFailure `cancelled` at once where the export is; else what `ask` of the reports throws */
  readonly read = (query: ReportQuery): Promise<ReportAnswer> =>
    this.#during(answerKey(query), () =>
      this.#reports.ask({ account: this.#account, query, force: false }, this.#signal),
    )

  /** Every row that a query finds, in a file; throws as `read` does. What comes too late is removed. */
  readonly snapshot = async (request: Omit<SnapshotRequest, 'account'>): Promise<SnapshotAnswer> => {
    this.#note()
    this.#key = answerKey({ ...request.query, whole: true, page: 1, limit: limits.rowsPerPage })
    try {
      return await withSignal(this.#signal, async () => {
        const answer = await this.#reports.snapshot({ account: this.#account, ...request }, this.#signal)
        if (this.#signal.aborted && answer.kind === 'file') await rm(answer.file.path, { force: true })
        return answer
      })
    } finally {
      this.#key = null
    }
  }

  /** The rows of a page over the days that they are compared with; throws as `read` does. */
  readonly before = async (
    { query, provenance }: TableReport,
    range: DayRange,
    labels: readonly string[],
  ): Promise<BeforeAnswer> => {
    const account = this.#account
    const isWhole = areWhole(provenance, query.range, this.zone)
    return this.#during(beforeKey(query, range), () =>
      this.#reports.before(
        { ...{ account, query, before: range, labels: [...labels], isWhole, force: false } },
        this.#signal,
      ),
    )
  }

  /** What can be compared of two ranges of which days are missing; throws as `read` does. */
  readonly paired = (query: ReportQuery, before: DayRange) => {
    this.#note()
    return withSignal(this.#signal, () =>
      this.#reports.paired({ account: this.#account, query, before }, this.#signal),
    )
  }

  /** What is read from now on is another attempt. */
  begin(): void {
    this.#reads = 0
  }

  /**
   * Whatever was read may stand beside each other: it is of one scope. What came without a check is checked for that. One thing
   * alone is of one scope as it is.
   * @throws as `agree` of the figures does
   */
  readonly agree = async (): Promise<void> => {
    if (this.#reads < 2) return
    await withSignal(this.#signal, () =>
      agree({ accounts: this.#accounts, reports: this.#reports }, this.#account, this.#standing),
    )
  }

  /** What somebody else reads of the account for this export, who knows how much; throws as `work` does. */
  readonly elsewhere = <T>(work: () => Promise<T>): Promise<T> => {
    this.#note()
    this.#reads += 1
    return withSignal(this.#signal, work)
  }

  /** What is compared of two periods now: their days that are over. */
  readonly periods = (now: DayRange, before: DayRange): ComparedPeriods =>
    comparedPeriods(now, before, dayAt(this.#clock.now(), this.zone))

  /** The zone in which the account's days begin. */
  get zone(): string {
    return this.#accounts.account(this.#account).dayZone
  }

  readonly bases = (family: Family): RateBases | null =>
    this.#accounts.account(this.#account).rateBases?.[family] ?? null

  /** Whether what is heard of is what this export waits for. */
  isAbout({ account, key }: { readonly account: AccountId; readonly key: string }): boolean {
    return account === this.#account && key === this.#key
  }

  #note(): void {
    if (this.#reads === 0) this.#standing = this.#accounts.standingOf(this.#account)
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
