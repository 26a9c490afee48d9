import type { StoredLookup } from '#shared/bridge/calls.ts'
import { failureOf } from '#shared/app/desk-failure.ts'
import type { AnswerFor } from '#shared/api/endpoints.ts'
import type { AccountId, Instant, DataScopeId } from '#shared/values/ids.ts'
import type { StoredText } from '#main/database/cache/answers-repository.ts'
import { isStillDataScope, provisionalBy } from '../pages/answer-cache.ts'
import type { AnsweringParts } from '../figures-parts.ts'
import { SingleFlight, Cancellations, cancelled, throwIfCancelled } from '#main/lib/async.ts'
import { isLookupFresh } from '../coverage/freshness.ts'
import { fromStored } from './stored-lookup.ts'
import type { StoredPage } from './stored-lookup.ts'
import { lookupKey } from './lookup-kinds.ts'
import type { LookupParams, LookupKind, LookupPath } from './lookup-kinds.ts'
import { RecentlyParams } from '../resolver/recently-asked.ts'

/** More pages than are ever typed for. */
const maxPages = 200

type Priority = 'person' | 'background'

/** Whether a kept page will do, by when it was fetched. */
export type Stands = (fetchedAt: Instant) => boolean

/** One of the look-up lists that fill the filters, kept like reports. */
export class Lookup<P extends LookupPath> {
  readonly #kind: LookupKind<P>
  readonly #parts: AnsweringParts
  readonly #asking = new SingleFlight<StoredPage<P>>()
  readonly #waits = new Cancellations()
  readonly #recent: RecentlyParams

  constructor(kind: LookupKind<P>, parts: AnsweringParts) {
    this.#kind = kind
    this.#parts = parts
    this.#recent = new RecentlyParams(parts.clock)
  }

  /**
   * A page of the list. A kept page comes at once and is renewed behind it when it is a day old; where the service
   * cannot be asked, every kept page helps to answer.
   * @param stands whether a kept page will do; where it does not, the service is waited for
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async list(
    account: AccountId,
    params: LookupParams<P>,
    stands: Stands = () => true,
  ): Promise<StoredLookup<AnswerFor<P>>> {
    const owner = this.#parts.accounts.dataScopeOf(account)
    const key = lookupKey(this.#kind, params)
    const stored = this.#page(await this.#parts.answers.read(owner, key))
    if (stored === null || !stands(stored.fetchedAt))
      return (await this.#despite(account, params)) ?? this.#fromService(account, params)
    if (this.#isFresh(account, stored)) return shown(stored, null)
    const reason =
      this.#parts.connections.obstacle(account) ?? this.#recent.failure(idOf(account, owner, key))
    if (reason === null) void this.#refresh(account, params)
    return shown(stored, reason)
  }

  /** The kept page of exactly this; null where there is none. */
  async stored(account: AccountId, params: LookupParams<P>): Promise<StoredPage<P> | null> {
    const owner = this.#parts.accounts.dataScopeOf(account)
    return this.#page(await this.#parts.answers.read(owner, lookupKey(this.#kind, params)))
  }

  /** Asks the service for a page and keeps it. */
  async ask(
    account: AccountId,
    params: LookupParams<P>,
    options: { readonly signal: AbortSignal; readonly priority: Priority },
  ): Promise<StoredPage<P>> {
    const { path, argumentsFor } = this.#kind
    const { accounts, answers } = this.#parts
    const owner = accounts.dataScopeOf(account)
    const client = await accounts.dataScopeClient(account, owner)
    const { answer, text, receivedAt } = await client.call(path, argumentsFor(params), options)
    // The account may have gone in the meantime, or see others: then nothing of it is kept any more.
    throwIfCancelled(options.signal)
    if (!isStillDataScope(accounts, account, owner)) throw cancelled()
    const key = lookupKey(this.#kind, params)
    await answers.keep({
      owner,
      key,
      path,
      range: null,
      fetchedAt: receivedAt,
      text,
      madeOf: '',
      ...provisionalBy(client),
    })
    return { key, answer, fetchedAt: receivedAt }
  }

  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#waits.cancelAll(`${account} `)
  }

  async #fromService(account: AccountId, params: LookupParams<P>): Promise<StoredLookup<AnswerFor<P>>> {
    try {
      return shown(await this.#askOnce(account, params, 'person'), null)
    } catch (error) {
      const found = await this.#fromKept(account, params)
      if (found === null) throw error
      return shown(found, failureOf(error))
    }
  }

  /** What is kept, where the service is known to be away: nobody waits then for an attempt to reach it. */
  async #despite(account: AccountId, params: LookupParams<P>): Promise<StoredLookup<AnswerFor<P>> | null> {
    const obstacle = this.#parts.connections.obstacle(account)
    const found = obstacle && (await this.#fromKept(account, params))
    return found && shown(found, obstacle)
  }

  async #fromKept(account: AccountId, params: LookupParams<P>): Promise<StoredPage<P> | null> {
    const texts = await this.#parts.answers.newest(
      this.#parts.accounts.dataScopeOf(account),
      this.#kind.path,
      maxPages,
    )
    return fromStored(
      this.#kind,
      texts.flatMap((text) => this.#page(text) ?? []),
      params,
    )
  }

  async #refresh(account: AccountId, params: LookupParams<P>): Promise<void> {
    const key = lookupKey(this.#kind, params)
    const id = idOf(account, this.#parts.accounts.dataScopeOf(account), key)
    try {
      await this.#askOnce(account, params, 'background')
      this.#recent.forgive(id)
    } catch (error) {
      this.#recent.failed(id, failureOf(error))
    }
    this.#parts.events.emit({ kind: 'reports/changed', account, key })
  }

  #askOnce(account: AccountId, params: LookupParams<P>, priority: Priority): Promise<StoredPage<P>> {
    const { connections } = this.#parts
    const id = idOf(account, this.#parts.accounts.dataScopeOf(account), lookupKey(this.#kind, params))
    const ask = async (signal: AbortSignal) => {
      try {
        const page = await this.ask(account, params, { signal, priority })
        connections.noteSuccess(account, page.fetchedAt)
        return page
      } catch (error) {
        if (!signal.aborted) connections.noteFailure(account, failureOf(error))
        throw error
      }
    }
    return this.#waits.run(id, (signal) => this.#asking.join(id, { signal }, ask))
  }

  #page(stored: StoredText | null): StoredPage<P> | null {
    if (stored === null) return null
    try {
      const { key, fetchedAt } = stored
      return { key, answer: this.#parts.decode(this.#kind.path, stored.text), fetchedAt }
    } catch {
      // What cannot be read is as good as not kept.
      return null
    }
  }

  #isFresh(account: AccountId, { fetchedAt }: StoredPage<P>): boolean {
    const { clock, connections } = this.#parts
    return isLookupFresh(fetchedAt, { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) })
  }
}

const shown = <P extends LookupPath>(
  { answer, fetchedAt }: StoredPage<P>,
  failure: StoredLookup<unknown>['failure'],
): StoredLookup<AnswerFor<P>> => ({ answer, fetchedAt, failure, narrowed: null })

const idOf = (account: AccountId, owner: DataScopeId, key: string) => `${account} ${owner} ${key}`
