import type { RawRequestId } from '#shared/raw/asking.ts'
import type { AccountId, Instant, RawReportId } from '#shared/values/ids.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { LostRequestSearch, hasLeft, isSearching } from './lost-request-search.ts'
import type { Found } from './lost-request-search.ts'
import type { KnownList, RawAskingParts } from './raw-asking-parts.ts'
import type { QueueRows } from './queue-rows.ts'

/** What was found out about the requests that have left. */
export type SearchOutcome = {
  /** The reports that requests became. */
  readonly found: Found['found']
  /** What is left of the queue, and may be sent as far as anybody knows; null where that cannot be told yet. */
  readonly left: readonly StoredRequest[] | null
  /** Whether to ask for another list soon: this one did not tell everything. */
  readonly again: boolean
  /** When a list tells more of what is looked for; null where nothing is. */
  readonly nextAt: number | null
}

const isWaiting = ({ state }: StoredRequest) => state.kind === 'waiting'

/** Looks for requests whose answers were lost, and writes down those that are for the person to decide. */
export class UnansweredSubmissions {
  readonly #parts: Pick<RawAskingParts, 'accounts' | 'clock'>
  readonly #account: AccountId
  readonly #rows: QueueRows
  readonly #signal: AbortSignal
  readonly #search = new LostRequestSearch()

  constructor(
    parts: Pick<RawAskingParts, 'accounts' | 'clock'>,
    account: AccountId,
    rows: QueueRows,
    signal: AbortSignal,
  ) {
    this.#parts = parts
    this.#account = account
    this.#rows = rows
    this.#signal = signal
  }

  /** From when on a list has to be asked for that tells more than those before; 0 where any does. */
  listFrom(open: readonly StoredRequest[]): number {
    return this.#search.listFrom(open, this.#parts.clock.now())
  }

  forget(id: RawRequestId): void {
    this.#search.forget(id)
  }

  /** @param isDecided what the person wants sent, whatever is in doubt about it */
  async matchAgainstList(
    open: readonly StoredRequest[],
    list: KnownList,
    isDecided: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const none = { found: new Map(), nextAt: null }
    const sent = open.filter(hasLeft).filter(({ state }) => state.kind !== 'refused')
    if (sent.length === 0) return { ...none, left: open, again: false }
    const looked = await this.#find(sent, list)
    if (!looked) return { ...none, left: null, again: true }
    const { found, doubtful } = looked
    const left = open.filter(({ id }) => !found.has(id))
    // It was turned away, but the service may have made it all the same: then it is not for the desk to send it again.
    const isDoubtful = (request: StoredRequest) =>
      isWaiting(request) && doubtful.has(request.id) && !isDecided(request.id)
    const since = this.#parts.clock.now() as Instant
    for (const { id } of left.filter(isDoubtful)) await this.#rows.change(id, { kind: 'unclear', since })
    for (const { id, state } of left
      .filter(isSearching)
      .filter((searching) => this.#search.isOver(searching, list)))
      await this.#rows.change(id, { kind: 'unclear', since: state.since })
    const nextAt = this.#search.nextAt(left, this.#parts.clock.now())
    if (list.complete)
      return { found, left: left.filter((storedRequest) => !isDoubtful(storedRequest)), again: false, nextAt }
    // What has left once may be among what the list does not tell.
    return { found, left: left.filter((request) => !hasLeft(request)), again: true, nextAt }
  }

  /**
   * No list can be had from this service: what was lost is for the person to decide.
   * @param stays what was turned away by the limits, or is decided
   */
  async withoutList(
    open: readonly StoredRequest[],
    stays: (id: RawRequestId) => boolean,
  ): Promise<SearchOutcome> {
    const now = this.#parts.clock.now() as Instant
    for (const { id, state } of open
      .filter(isSearching)
      .filter((searching) => this.#search.isHopeless(searching, now)))
      await this.#rows.change(id, { kind: 'unclear', since: state.since })
    const mayBeMade = (request: StoredRequest) => isWaiting(request) && hasLeft(request) && !stays(request.id)
    for (const { id } of open.filter(mayBeMade)) await this.#rows.change(id, { kind: 'unclear', since: now })
    const left = open.filter((request) => !mayBeMade(request))
    return { found: new Map(), left, again: false, nextAt: this.#search.nextAt(open, now) }
  }

  async #find(sent: Parameters<LostRequestSearch['find']>[0], list: KnownList): Promise<Found | null> {
    const taken = await this.#rows.taken()
    const recordOf = async (raw: RawReportId) => {
      const client = await this.#parts.accounts.clientFor(this.#account)
      const options = { signal: this.#signal, priority: 'background' } as const
      return (await client.call('raw/report', { raw }, options)).answer
    }
    try {
      return await this.#search.find(sent, list, taken, recordOf)
    } catch {
      return null
    }
  }
}
