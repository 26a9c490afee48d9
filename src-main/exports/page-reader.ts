import type { AskProgress } from '../../src-shared/bridge/calls.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import { answerKey, beforeKey } from '../../src-shared/reports/query.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { RateBases } from '../../src-shared/reports/rates.ts'
import type { Family } from '../../src-shared/service/families.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import { withSignal } from '../lib/waiting.ts'
import type { ExportsParts } from './exports-parts.ts'
import type { TableReport } from './facts.ts'
import type { Earlier } from './shown.ts'

type Parts = Pick<ExportsParts, 'book' | 'reports'>

/** Reads the pages of tables for one export, one at a time, and stops when the export is cancelled. */
export class PageReader {
  #key: string | null = null
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
      this.#parts.reports.ask({ account: this.#account, query, byHand: false }),
    )

  /** What stood in rows of a page over other days; throws as `read` does. */
  readonly before = async (
    { query, provenance }: TableReport,
    range: DayRange,
    labels: readonly string[],
  ): Promise<Earlier> => {
    const { reports } = this.#parts
    const [account, asked] = [this.#account, { ...query, range }]
    const before = await this.#during(beforeKey(asked), () =>
      reports.before({ account, query: asked, labels: [...labels], byHand: false }),
    )
    if (provenance.missing.length + before.provenance.missing.length === 0) return { before, paired: null }
    return { before, paired: await this.paired(query, range, labels) }
  }

  /** What can be compared of two ranges of which days are missing; throws as `read` does. */
  readonly paired = (query: ReportQuery, before: DayRange, labels: readonly string[]) =>
    withSignal(this.#signal, () =>
      this.#parts.reports.paired({ account: this.#account, query, before, labels: [...labels] }),
    )

  readonly bases = (family: Family): RateBases | null =>
    this.#parts.book.account(this.#account).rateBases?.[family] ?? null

  /** Whether what is heard of is what this export waits for. */
  isAbout({ account, key }: AskProgress): boolean {
    return account === this.#account && key === this.#key
  }

  async #during<T>(key: string, work: () => Promise<T>): Promise<T> {
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
