import { rm } from 'node:fs/promises'
import type { AskProgress } from '#shared/bridge/calls.ts'
import type { BeforeAnswer, ReportAnswer } from '#shared/reports/answer.ts'
import { comparedPeriods } from '#shared/reports/compared-periods.ts'
import type { ComparedPeriods } from '#shared/reports/compared-periods.ts'
import { answerKey, beforeKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { RateBases } from '#shared/reports/rates.ts'
import type { Family } from '#shared/api/families.ts'
import { areWhole } from '#shared/reports/settled.ts'
import { dayAt } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { limits } from '#shared/api/limits.ts'
import type { SnapshotAnswer, SnapshotRequest } from '#main/reports/resolver/snapshot-of-query.ts'
import { withSignal } from '#main/lib/async.ts'
import { agree } from '#main/reports/one-scope.ts'
import type { ExportsParts } from './exports-parts.ts'
import type { TableReport } from './facts.ts'

type Parts = Pick<ExportsParts, 'accounts' | 'clock' | 'reports'>

/** Reads tables for one export, one at a time, and stops when the export is cancelled. */
export class TableReader {
  #key: string | null = null
  /** How often something was read, and as what the account's figures stood before the first time. */
  #reads = 0
  #standing = ''
  readonly #parts: Parts
  readonly #account: AccountId
  readonly #signal: AbortSignal

  constructor(parts: Parts, account: AccountId, signal: AbortSignal) {
    this.#parts = parts
    this.#account = account
    this.#signal = signal
  }

  /** @throws DeskFailure `cancelled` at once where the export is; else what `ask` of the reports throws */
  readonly read = (query: ReportQuery): Promise<ReportAnswer> =>
    this.#during(answerKey(query), () =>
      this.#parts.reports.ask({ account: this.#account, query, force: false }),
    )

  /** Every row that a query finds, in a file; throws as `read` does. What comes too late is removed. */
  readonly snapshot = async (asked: Omit<SnapshotRequest, 'account'>): Promise<SnapshotAnswer> => {
    this.#note()
    this.#key = answerKey({ ...asked.query, whole: true, page: 1, limit: limits.rowsPerPage })
    try {
      return await withSignal(this.#signal, async () => {
        const answer = await this.#parts.reports.snapshot({ account: this.#account, ...asked }, this.#signal)
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
      this.#parts.reports.before({
        ...{ account, query, before: range, labels: [...labels], isWhole, force: false },
      }),
    )
  }

  /** What can be compared of two ranges of which days are missing; throws as `read` does. */
  readonly paired = (query: ReportQuery, before: DayRange) => {
    this.#note()
    return withSignal(this.#signal, () =>
      this.#parts.reports.paired({ account: this.#account, query, before }),
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
    await withSignal(this.#signal, () => agree(this.#parts, this.#account, this.#standing))
  }

  /** What somebody else reads of the account for this export, who knows how much; throws as `work` does. */
  readonly elsewhere = <T>(work: () => Promise<T>): Promise<T> => {
    this.#note()
    this.#reads += 1
    return withSignal(this.#signal, work)
  }

  /** What is compared of two periods now: their days that are over. */
  readonly periods = (now: DayRange, before: DayRange): ComparedPeriods =>
    comparedPeriods(now, before, dayAt(this.#parts.clock.now(), this.zone))

  /** The zone in which the account's days begin. */
  get zone(): string {
    return this.#parts.accounts.account(this.#account).dayZone
  }

  readonly bases = (family: Family): RateBases | null =>
    this.#parts.accounts.account(this.#account).rateBases?.[family] ?? null

  /** Whether what is heard of is what this export waits for. */
  isAbout({ account, key }: AskProgress): boolean {
    return account === this.#account && key === this.#key
  }

  #note(): void {
    if (this.#reads === 0) this.#standing = this.#parts.accounts.standingOf(this.#account)
    this.#reads += 1
  }

  async #during<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.#note()
    this.#key = key
    try {
      return await withSignal(this.#signal, work)
    } catch (error) {
      if (this.#signal.aborted) this.#parts.reports.cancel(this.#account, key)
      throw error
    } finally {
      this.#key = null
    }
  }
}
