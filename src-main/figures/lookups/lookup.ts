import type { KeptLookup } from '../../../src-shared/bridge/calls.ts'
import { DeskFailure, failureOf } from '../../../src-shared/desk/desk-failure.ts'
import type { AnswerFor } from '../../../src-shared/service/endpoints.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import type { KeptText } from '../cache/answers-repository.ts'
import type { AnsweringParts } from '../answering.ts'
import { Flights } from '../flights.ts'
import { isLookupFresh } from '../coverage/freshness.ts'
import { fromKept } from './lookup-kept.ts'
import type { KeptPage } from './lookup-kept.ts'
import { lookupKey } from './lookup-kinds.ts'
import type { LookupAsked, LookupKind, LookupPath } from './lookup-kinds.ts'
import { Recent } from '../recent.ts'

/** More pages than are ever typed for. */
const mostPages = 200

type Priority = 'person' | 'background'

/** One of the look-up lists that fill the filters, kept like reports. */
export class Lookup<P extends LookupPath> {
  readonly #kind: LookupKind<P>
  readonly #parts: AnsweringParts
  readonly #flights = new Flights<KeptPage<P>>()
  readonly #recent: Recent

  constructor(kind: LookupKind<P>, parts: AnsweringParts) {
    this.#kind = kind
    this.#parts = parts
    this.#recent = new Recent(parts.clock)
  }

  /**
   * A page of the list. A kept page comes at once and is renewed behind it when it is a day old; where the service
   * cannot be asked, every kept page helps to answer.
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async list(account: AccountId, asked: LookupAsked<P>): Promise<KeptLookup<AnswerFor<P>>> {
    this.#parts.book.account(account)
    const key = lookupKey(this.#kind, asked)
    const kept = this.#page(await this.#parts.shelf.read(account, key))
    if (kept === null) return (await this.#despite(account, asked)) ?? this.#fromService(account, asked)
    if (this.#isFresh(account, kept)) return shown(kept, null)
    const reason = this.#parts.connections.obstacle(account) ?? this.#recent.failure(idOf(account, key))
    if (reason === null) void this.#refresh(account, asked)
    return shown(kept, reason)
  }

  /** The kept page of exactly this; null where there is none. */
  async kept(account: AccountId, asked: LookupAsked<P>): Promise<KeptPage<P> | null> {
    return this.#page(await this.#parts.shelf.read(account, lookupKey(this.#kind, asked)))
  }

  /** Asks the service for a page and keeps it. */
  async ask(
    account: AccountId,
    asked: LookupAsked<P>,
    options: { readonly signal: AbortSignal; readonly priority: Priority },
  ): Promise<KeptPage<P>> {
    const { path, argumentsFor } = this.#kind
    const client = await this.#parts.book.clientFor(account)
    const { answer, text, receivedAt } = await client.call(path, argumentsFor(asked), options)
    // The account may have gone in the meantime: then nothing of it is kept any more.
    if (options.signal.aborted) throw new DeskFailure({ kind: 'cancelled', message: 'Cancelled.' })
    const key = lookupKey(this.#kind, asked)
    await this.#parts.shelf.keep({ account, key, path, range: null, fetchedAt: receivedAt, text })
    return { key, answer, fetchedAt: receivedAt }
  }

  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#flights.cancelAll(idOf(account, ''))
  }

  async #fromService(account: AccountId, asked: LookupAsked<P>): Promise<KeptLookup<AnswerFor<P>>> {
    try {
      return shown(await this.#fly(account, asked, 'person'), null)
    } catch (error) {
      const found = await this.#fromKept(account, asked)
      if (found === null) throw error
      return shown(found, failureOf(error))
    }
  }

  /** What is kept, where the service is known to be away: nobody waits then for an attempt to reach it. */
  async #despite(account: AccountId, asked: LookupAsked<P>): Promise<KeptLookup<AnswerFor<P>> | null> {
    const obstacle = this.#parts.connections.obstacle(account)
    const found = obstacle && (await this.#fromKept(account, asked))
    return found && shown(found, obstacle)
  }

  async #fromKept(account: AccountId, asked: LookupAsked<P>): Promise<KeptPage<P> | null> {
    const texts = await this.#parts.shelf.newest(account, this.#kind.path, mostPages)
    return fromKept(
      this.#kind,
      texts.flatMap((each) => this.#page(each) ?? []),
      asked,
    )
  }

  async #refresh(account: AccountId, asked: LookupAsked<P>): Promise<void> {
    const key = lookupKey(this.#kind, asked)
    const id = idOf(account, key)
    try {
      await this.#fly(account, asked, 'background')
      this.#recent.forgive(id)
    } catch (error) {
      this.#recent.failed(id, failureOf(error))
    }
    this.#parts.emit('reports/changed', { account, key })
  }

  #fly(account: AccountId, asked: LookupAsked<P>, priority: Priority): Promise<KeptPage<P>> {
    const { connections } = this.#parts
    return this.#flights.fly(idOf(account, lookupKey(this.#kind, asked)), async (signal) => {
      try {
        const page = await this.ask(account, asked, { signal, priority })
        connections.noteSuccess(account, page.fetchedAt)
        return page
      } catch (error) {
        if (!signal.aborted) connections.noteFailure(account, failureOf(error))
        throw error
      }
    })
  }

  #page(kept: KeptText | null): KeptPage<P> | null {
    if (kept === null) return null
    try {
      const { key, fetchedAt } = kept
      return { key, answer: this.#parts.decode(this.#kind.path, kept.text), fetchedAt }
    } catch {
      // What cannot be read is as good as not kept.
      return null
    }
  }

  #isFresh(account: AccountId, { fetchedAt }: KeptPage<P>): boolean {
    const { clock, connections } = this.#parts
    return isLookupFresh(fetchedAt, { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) })
  }
}

const shown = <P extends LookupPath>(
  { answer, fetchedAt }: KeptPage<P>,
  failure: KeptLookup<unknown>['failure'],
): KeptLookup<AnswerFor<P>> => ({ answer, fetchedAt, failure, narrowed: null })

const idOf = (account: AccountId, key: string) => `${account} ${key}`
