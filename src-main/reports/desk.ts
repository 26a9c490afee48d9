import { DeskFailure, failureOf } from '../../src-shared/desk/desk-failure.ts'
import type { Provenance, ReportAnswer } from '../../src-shared/reports/answer.ts'
import { isOffered } from '../../src-shared/reports/query.ts'
import type { ReportQuery } from '../../src-shared/reports/query.ts'
import type { Failure } from '../../src-shared/service/failure.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { AnsweringParts } from './answering.ts'
import { Flights } from './flights.ts'
import { isReportFresh } from './freshness.ts'
import { questionFor } from './question.ts'
import type { Question, Reply, Show } from './question.ts'
import { Recent } from './recent.ts'

export type Asked = { readonly account: AccountId; readonly query: ReportQuery; readonly byHand: boolean }

type Kept = { readonly fetchedAt: Instant; readonly show: Show }

/** Answers report queries from what is kept and from what the service says. */
export class ReportDesk {
  readonly #parts: AnsweringParts
  readonly #flights = new Flights<Reply>()
  /** What is being looked for among what is kept: cancelled before it is found, it is not asked for either. */
  readonly #readings = new Flights<Kept | null>()
  readonly #recent: Recent
  /** What is being asked behind a kept answer, and will end with an event. */
  readonly #refreshing = new Set<string>()

  constructor(parts: AnsweringParts) {
    this.#parts = parts
    this.#recent = new Recent(parts.clock)
  }

  /**
   * Answers from what is kept, at once; `provenance.refreshing` says that the service is being asked behind it, and
   * `reports/changed` follows. What is not kept waits for the service.
   * @param byHand asks the service in any case
   * @throws DeskFailure or ServiceFailure where nothing is kept and the service does not answer
   */
  async ask({ account, query, byHand }: Asked): Promise<ReportAnswer> {
    const { dayZone } = this.#parts.book.account(account)
    const question = questionOrRefusal(query)
    const id = idOf(account, question.key)
    this.#recent.asked(account, question.key)
    if (byHand) this.#recent.forgive(id)

    const kept = await this.#readings.fly(id, () => this.#kept(account, question))
    if (kept === null) return this.#fromService(account, question)
    if (!byHand && this.#isFresh(account, question, kept, dayZone)) {
      return kept.show(this.#provenance(kept, this.#refreshing.has(id), this.#recent.failure(id)))
    }
    const reason = byHand ? null : (this.#parts.connections.obstacle(account) ?? this.#recent.failure(id))
    if (reason === null) void this.#refresh(account, question, byHand)
    return kept.show(this.#provenance(kept, reason === null, reason))
  }

  /** Gives up waiting for a query. Whoever waits hears `cancelled`. */
  cancel(account: AccountId, key: string): void {
    const id = idOf(account, key)
    this.#readings.cancel(id)
    this.#flights.cancel(id)
  }

  /** The account's service can be asked again: whatever was asked lately is worth asking anew. */
  serviceIsBack(account: AccountId): void {
    for (const key of this.#recent.keys(account)) {
      this.#recent.forgive(idOf(account, key))
      this.#parts.emit('reports/changed', { account, key })
    }
  }

  /** The account has gone: nothing of it is asked any more. */
  forget(account: AccountId): void {
    this.#recent.forget(account)
    this.#readings.cancelAll(idOf(account, ''))
    this.#flights.cancelAll(idOf(account, ''))
  }

  async #kept(account: AccountId, { key, read }: Question): Promise<Kept | null> {
    const kept = await this.#parts.shelf.read(account, key)
    if (kept === null) return null
    try {
      return { fetchedAt: kept.fetchedAt, show: read(this.#parts.decode, kept.text) }
    } catch {
      // What cannot be read is as good as not kept: the service is asked, and its answer takes the place.
      return null
    }
  }

  #isFresh(account: AccountId, { range }: Question, { fetchedAt }: Kept, zone: string): boolean {
    const { clock, connections } = this.#parts
    const circumstances = { now: clock.now(), onlineAgainAt: connections.onlineAgainAt(account) }
    return isReportFresh(fetchedAt, range, zone, circumstances)
  }

  async #fromService(account: AccountId, question: Question): Promise<ReportAnswer> {
    const { show, fetchedAt } = await this.#fly(account, question, 'person')
    return show({ from: 'service', fetchedAt, refreshing: false, failure: null, missing: [] })
  }

  /** Asks behind a kept answer. It ends with `reports/changed`, well or ill. */
  async #refresh(account: AccountId, question: Question, byHand: boolean): Promise<void> {
    const id = idOf(account, question.key)
    if (this.#refreshing.has(id)) return
    this.#refreshing.add(id)
    try {
      await this.#fly(account, question, byHand ? 'person' : 'background')
      this.#recent.forgive(id)
    } catch (error) {
      this.#recent.failed(id, failureOf(error))
    } finally {
      this.#refreshing.delete(id)
    }
    this.#parts.emit('reports/changed', { account, key: question.key })
  }

  #fly(account: AccountId, question: Question, priority: 'person' | 'background'): Promise<Reply> {
    const { book, shelf, connections } = this.#parts
    return this.#flights.fly(idOf(account, question.key), async (signal) => {
      try {
        const client = await book.clientFor(account)
        const reply = await question.ask(client, { signal, priority })
        // Who cancelled may have asked anew: this one is late, whatever it says.
        if (signal.aborted) return reply
        const { key, path, range } = question
        await shelf.keep({ account, key, path, range, fetchedAt: reply.fetchedAt, text: reply.text })
        connections.noteSuccess(account, reply.fetchedAt)
        return reply
      } catch (error) {
        if (!signal.aborted) connections.noteFailure(account, failureOf(error))
        throw error
      }
    })
  }

  #provenance({ fetchedAt }: Kept, refreshing: boolean, failure: Failure | null): Provenance {
    return { from: 'kept', fetchedAt, refreshing, failure, missing: [] }
  }
}

const idOf = (account: AccountId, key: string) => `${account} ${key}`

function questionOrRefusal(query: ReportQuery): Question {
  if (isOffered(query)) return questionFor(query)
  throw new DeskFailure({ kind: 'invalid', message: 'This family has no such table.', field: 'query' })
}
