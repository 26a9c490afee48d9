import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { AcceptedReport, RawReports } from '../polling/raw-reports.ts'
import type { RawContext } from '../raw-context.ts'
import type { RawReportList, RawLists } from './requests-context.ts'

/** Lists stored by the polling, for requests. */
export class StoredLists implements RawLists {
  readonly #context: RawContext
  readonly #reports: RawReports
  /** Facts of the last list fetched for requests. A newer stored list is treated as that list. */
  readonly #fetchedLists = new Map<AccountId, Pick<RawReportList, 'requestedAt' | 'complete'>>()

  constructor(context: RawContext, reports: RawReports) {
    this.#context = context
    this.#reports = reports
  }

  async known(account: AccountId): Promise<RawReportList | null> {
    const seen = await this.#context.store.run('raw-requests/seen-list', account)
    const never = { requestedAt: instantOf(0), complete: false }
    return seen && { ...seen, ...(this.#fetchedLists.get(account) ?? never) }
  }

  async refresh(account: AccountId): Promise<RawReportList> {
    const requestedAt = instantOf(this.#context.clock.now())
    const { complete } = await this.#reports.fresh(account)
    this.#fetchedLists.set(account, { requestedAt, complete })
    const list = await this.known(account)
    if (!list) throw new TypeError('A list that was fetched is kept')
    return list
  }

  accepted(report: AcceptedReport): Promise<void> {
    return this.#reports.accepted(report)
  }
}
