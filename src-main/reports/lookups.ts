import type { KeptLookup } from '../../src-shared/bridge/calls.ts'
import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { InstancesAnswer } from '../../src-shared/service/answers.ts'
import type { ArgumentsFor } from '../../src-shared/service/endpoints.ts'
import { limits } from '../../src-shared/service/limits.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { KeptText } from '../store/answers-repository.ts'
import type { AnsweringParts } from './answering.ts'
import { Flights } from './flights.ts'
import { isLookupFresh } from './freshness.ts'
import { instancesFromKept } from './kept-instances.ts'
import type { InstancesAsked, KeptPage } from './kept-instances.ts'
import { Recent } from './recent.ts'

const path = 'interface/instances'

/** More pages than are ever typed for. */
const mostPages = 200

/** The look-up lists that fill the filters, kept like reports. */
export class Lookups {
  readonly #parts: AnsweringParts
  readonly #flights = new Flights<KeptPage>()
  readonly #recent: Recent

  constructor(parts: AnsweringParts) {
    this.#parts = parts
    this.#recent = new Recent(parts.clock)
  }

  /**
   * A page of the instances that the token may see. A kept page comes at once and is renewed behind it when it is a day
   * old; where the service cannot be asked, every kept page helps to answer.
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async instances(account: AccountId, asked: InstancesAsked): Promise<KeptLookup<InstancesAnswer>> {
    this.#parts.book.account(account)
    const plain = { ...asked, name: asked.name === '' ? null : asked.name }
    const key = instancesKey(plain)
    const kept = this.#page(await this.#parts.shelf.read(account, key))
    if (kept === null) return (await this.#despite(account, plain)) ?? this.#fromService(account, plain)
    if (this.#isFresh(account, kept)) return { ...kept, failure: null }
    const reason = this.#parts.connections.obstacle(account) ?? this.#recent.failure(idOf(account, key))
    if (reason === null) void this.#refresh(account, plain)
    return { ...kept, failure: reason }
  }

  /**
   * Asks for the first instances, as many as a page can have: the smallest question there is, and the list by which a
   * name is found offline. Says so where the list is another one than was kept: a new token may see others.
   */
  async probe(account: AccountId, signal: AbortSignal): Promise<Instant> {
    const first = { name: null, page: 1, limit: limits.rowsPerPage }
    const key = instancesKey(first)
    const before = this.#page(await this.#parts.shelf.read(account, key))
    const page = await this.#ask(account, first, signal, 'background')
    if (before && !sameInstances(before, page)) this.#parts.emit('reports/changed', { account, key })
    return page.fetchedAt
  }

  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#flights.cancelAll(idOf(account, ''))
  }

  async #fromService(account: AccountId, asked: InstancesAsked): Promise<KeptLookup<InstancesAnswer>> {
    try {
      return { ...(await this.#fly(account, asked, 'person')), failure: null }
    } catch (error) {
      const found = await this.#fromKept(account, asked)
      if (found === null) throw error
      return { ...found, failure: failureOf(error) }
    }
  }

  /** What is kept, where the service is known to be away: nobody waits then for an attempt to reach it. */
  async #despite(account: AccountId, asked: InstancesAsked): Promise<KeptLookup<InstancesAnswer> | null> {
    const obstacle = this.#parts.connections.obstacle(account)
    const found = obstacle && (await this.#fromKept(account, asked))
    return found && { ...found, failure: obstacle }
  }

  async #fromKept(account: AccountId, asked: InstancesAsked): Promise<KeptPage | null> {
    const texts = await this.#parts.shelf.newest(account, path, mostPages)
    return instancesFromKept(
      texts.flatMap((each) => this.#page(each) ?? []),
      asked,
    )
  }

  async #refresh(account: AccountId, asked: InstancesAsked): Promise<void> {
    const key = instancesKey(asked)
    const id = idOf(account, key)
    try {
      await this.#fly(account, asked, 'background')
      this.#recent.forgive(id)
    } catch (error) {
      this.#recent.failed(id, failureOf(error))
    }
    this.#parts.emit('reports/changed', { account, key })
  }

  #fly(account: AccountId, asked: InstancesAsked, priority: 'person' | 'background'): Promise<KeptPage> {
    const { connections } = this.#parts
    return this.#flights.fly(idOf(account, instancesKey(asked)), async (signal) => {
      try {
        const page = await this.#ask(account, asked, signal, priority)
        connections.noteSuccess(account, page.fetchedAt)
        return page
      } catch (error) {
        if (!signal.aborted) connections.noteFailure(account, failureOf(error))
        throw error
      }
    })
  }

  async #ask(
    account: AccountId,
    asked: InstancesAsked,
    signal: AbortSignal,
    priority: 'person' | 'background',
  ): Promise<KeptPage> {
    const { book, shelf } = this.#parts
    const client = await book.clientFor(account)
    const { answer, text, receivedAt } = await client.call(path, argumentsFor(asked), { signal, priority })
    const key = instancesKey(asked)
    await shelf.keep({ account, key, path, range: null, fetchedAt: receivedAt, text })
    return { answer, fetchedAt: receivedAt }
  }

  #page(kept: KeptText | null): KeptPage | null {
    if (kept === null) return null
    try {
      return { answer: this.#parts.decode(path, kept.text), fetchedAt: kept.fetchedAt }
    } catch {
      // What cannot be read is as good as not kept.
      return null
    }
  }

  #isFresh(account: AccountId, { fetchedAt }: KeptPage): boolean {
    const { clock, connections } = this.#parts
    return isLookupFresh(fetchedAt, { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) })
  }
}

const sameInstances = (one: KeptPage, other: KeptPage): boolean =>
  JSON.stringify(one.answer.instances) === JSON.stringify(other.answer.instances)

function argumentsFor({ name, page, limit }: InstancesAsked): ArgumentsFor<typeof path> {
  return { ...(name !== null && { name }), page, limit }
}

/** The name under which a page of instances is kept. */
function instancesKey(asked: InstancesAsked): string {
  const given = new URLSearchParams()
  for (const [name, value] of Object.entries(argumentsFor(asked))) given.set(name, String(value))
  return `${path}?${given}`
}

const idOf = (account: AccountId, key: string) => `${account} ${key}`
