import type { RawRequestId, RawRequestState } from '#shared/raw/asking.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { isSearching } from './lost-request-search.ts'
import type { Reason } from './next-to-send.ts'
import type { RawAskingParts } from './raw-asking-parts.ts'

type Parts = Pick<RawAskingParts, 'store' | 'clock' | 'events' | 'stuck'>

/** What stands in an account's queue, as it is kept; windows are told of every change. */
export class QueueRows {
  readonly #parts: Parts
  readonly #account: AccountId
  readonly #isWaitedFor: (id: RawRequestId) => boolean

  /** @param isWaitedFor whether somebody waits in a form to hear what becomes of a request */
  constructor(parts: Parts, account: AccountId, isWaitedFor: (id: RawRequestId) => boolean) {
    this.#parts = parts
    this.#account = account
    this.#isWaitedFor = isWaitedFor
  }

  /** All of them, in the person's order. One that was being sent when its answer could not be written down is looked for. */
  async open(): Promise<readonly StoredRequest[]> {
    const { store, clock } = this.#parts
    const now = clock.now() as Instant
    const open = await store.run('raw-requests/open', this.#account)
    // A clock that was set back would have the lists wait for a moment that is far off.
    const isAdrift = (request: StoredRequest) => isSearching(request) && request.state.since > now
    const adrift = open.filter((request) => request.state.kind === 'sending' || isAdrift(request))
    if (adrift.length === 0) return open
    for (const { id } of adrift) await this.change(id, { kind: 'looking', since: now })
    return await store.run('raw-requests/open', this.#account)
  }

  /** It stands otherwise now, unless it has left the queue. */
  async change(id: RawRequestId, state: RawRequestState): Promise<void> {
    const from = ['waiting', 'sending', 'looking'] as const
    if (!(await this.#parts.store.run('raw-requests/state', { id, state, from }))) return
    this.notify()
    const isStuck = state.kind === 'refused' || state.kind === 'unclear'
    if (isStuck && !this.#isWaitedFor(id)) await this.#notifyStuck(id)
  }

  async #notifyStuck(id: RawRequestId): Promise<void> {
    const all = await this.#parts.store.run('raw-requests/stuck', undefined)
    const found = all.find(({ request }) => request === id)
    if (found) this.#parts.stuck(found)
  }

  async waitFor({ id, state }: Pick<StoredRequest, 'id' | 'state'>, reason: Reason): Promise<void> {
    if (state.kind === 'waiting' && state.for === reason) return
    await this.change(id, { kind: 'waiting', for: reason })
  }

  async done(id: RawRequestId, report: RawReportId): Promise<void> {
    await this.#parts.store.run('raw-requests/done', { id, report })
    this.notify()
  }

  async drop(id: RawRequestId): Promise<void> {
    await this.#parts.store.run('raw-requests/drop', { account: this.#account, id })
  }

  /** Reports that are known to be those of other requests. */
  taken(): Promise<readonly RawReportId[]> {
    return this.#parts.store.run('raw-requests/reports', this.#account)
  }

  notify(): void {
    this.#parts.events.emit({ kind: 'raw/changed', account: this.#account })
  }
}
