import type { AccountId } from '#shared/values/ids.ts'
import type { RawReportList, RequestsContext } from './requests-context.ts'
import { failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'

/** A list (null if the token may never see one), or the condition for fetching one. */
export type Listed =
  | { readonly kind: 'listed'; readonly list: RawReportList | null }
  | { readonly kind: 'missing'; readonly for: 'connection' | 'token' }

/** Maximum age in milliseconds of a list from which free limits are read. */
const freshFor = 60_000

/** Lists of one account, fetched again when they are too old. */
export class RecentLists {
  readonly #context: RequestsContext
  readonly #account: AccountId
  /** Arrival of the last list. Not its request, so that a slow service is not queried again at once. */
  #listedAt = 0

  constructor(context: RequestsContext, account: AccountId) {
    this.#context = context
    this.#account = account
  }

  /**
   * Returns a list requested at or after `moment`; 0 accepts any list, or none.
   * @param forLimits whether the list must show the current limits
   */
  async from(moment: number, forLimits: boolean): Promise<Listed> {
    const now = this.#context.clock.now()
    const known = await this.#context.lists.known(this.#account)
    const isRecent = [this.#listedAt, known?.requestedAt ?? 0].some(
      (time) => time <= now && now - time <= freshFor,
    )
    // An incomplete list also becomes outdated.
    const isOld = (forLimits || (moment > 0 && known?.complete === false)) && !isRecent
    if (moment === 0 && !isOld) return { kind: 'listed', list: known }
    if (known && !isOld && known.requestedAt >= moment && known.requestedAt <= now)
      return { kind: 'listed', list: known }
    return await this.#refreshed(moment)
  }

  async #refreshed(moment: number): Promise<Listed> {
    try {
      const list = await this.#context.lists.refresh(this.#account)
      // The first list may have been requested before `moment`.
      const later = list.requestedAt >= moment ? list : await this.#context.lists.refresh(this.#account)
      this.#listedAt = this.#context.clock.now()
      return { kind: 'listed', list: later }
    } catch (error) {
      return withoutList(error)
    }
  }
}

/** Meaning of a failed fetch. A list that the token may never see blocks no request. */
function withoutList(error: unknown): Listed {
  const { remedy } = failureMeanings[failureOf(error).kind]
  if (remedy === 'none') return { kind: 'listed', list: null }
  return { kind: 'missing', for: remedy === 'token' ? 'token' : 'connection' }
}
