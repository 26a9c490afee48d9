import type { AskProgress } from '../../src-shared/bridge/calls.ts'
import type { ReportAnswer } from '../../src-shared/reports/answer.ts'
import { answerKey } from '../../src-shared/reports/query.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import type { AccountId } from '../../src-shared/values/ids.ts'
import type { Reports } from '../figures/figures.ts'
import { withSignal } from '../lib/waiting.ts'

/** Reads the pages of tables for one export, one at a time, and stops when the export is cancelled. */
export class PageReader {
  #key: string | null = null
  readonly #reports: Pick<Reports, 'ask' | 'cancel'>
  readonly #account: AccountId
  readonly #signal: AbortSignal

  constructor(reports: Pick<Reports, 'ask' | 'cancel'>, account: AccountId, signal: AbortSignal) {
    this.#reports = reports
    this.#account = account
    this.#signal = signal
  }

  /** @throws DeskFailure `cancelled` at once where the export is; else what `ask` of the reports throws */
  readonly read = async (query: TableQuery): Promise<ReportAnswer> => {
    const account = this.#account
    const key = answerKey(query)
    this.#key = key
    try {
      return await withSignal(this.#signal, () => this.#reports.ask({ account, query, byHand: false }))
    } catch (error) {
      if (this.#signal.aborted) this.#reports.cancel(account, key)
      throw error
    } finally {
      this.#key = null
    }
  }

  /** Whether what is heard of is what this export waits for. */
  isAbout({ account, key }: AskProgress): boolean {
    return account === this.#account && key === this.#key
  }
}
