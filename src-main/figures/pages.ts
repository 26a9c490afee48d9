import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import { isSortOfService } from '../../src-shared/reports/call.ts'
import type { FirstColumn } from '../../src-shared/reports/call.ts'
import type { ReportQuery, TableQuery } from '../../src-shared/reports/query.ts'
import { subjectOf } from '../../src-shared/reports/subject.ts'
import { headersOf } from '../../src-shared/service/dimensions.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { CallOptions } from '../service/client.ts'
import { firstColumnOf } from './first-column.ts'
import { packFirstPage } from './sync/snapshot.ts'
import { countsOf } from './holdings.ts'
import { packTotals } from './packing.ts'
import { lengthOf } from './coverage/plan.ts'
import { questionFor } from './question.ts'
import type { Figures, Reply } from './question.ts'
import { SharedWork } from './shared-work.ts'
import { idOf } from './tabling.ts'
import type { TablingParts } from './tabling.ts'

/** An answer as the service gave it to this very question. */
export type ServiceAnswer = { readonly figures: Figures; readonly fetchedAt: Instant }

export type AskOptions = {
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
}

/** The service's own answers, one for each question: asked for, kept and found again. */
export class Pages {
  readonly #parts: TablingParts
  readonly #asking = new SharedWork<ServiceAnswer>()

  constructor(parts: TablingParts) {
    this.#parts = parts
  }

  /** The kept answer to a question; null where there is none, or none that can be read. */
  async kept(account: AccountId, query: ReportQuery): Promise<ServiceAnswer | null> {
    if (!canBeAsked(query)) return null
    const { key, read } = questionFor(query, this.#first(account))
    const kept = await this.#parts.shelf.read(account, key)
    if (kept === null) return null
    try {
      return { figures: read(this.#parts.decode, kept.text), fetchedAt: kept.fetchedAt }
    } catch {
      // The service is asked, and its answer takes the place.
      return null
    }
  }

  /** Asks the service and keeps what it answers. @throws what the client throws, and `cancelled` */
  ask(account: AccountId, query: ReportQuery, { signal, priority }: AskOptions): Promise<ServiceAnswer> {
    const { key } = questionFor(query, this.#first(account))
    return this.#asking.join(idOf(account, key), { signal }, (shared) =>
      this.#ask(account, query, { signal: shared, priority }),
    )
  }

  async #ask(account: AccountId, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { connections } = this.#parts
    try {
      const reply = await this.#inItsOrder(account, query, options)
      // Who cancelled may have asked anew: this one is late, whatever it says.
      if (options.signal.aborted) return reply
      await this.#keep(account, query, reply)
      connections.noteSuccess(account, reply.fetchedAt)
      return reply
    } catch (error) {
      if (!options.signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    }
  }

  /** The answer in the order that was asked for, whatever the service turns out to count columns from. */
  async #inItsOrder(account: AccountId, query: ReportQuery, options: AskOptions): Promise<Reply> {
    const first = this.#first(account)
    if (query.kind === 'overview') return this.#call(account, query, first, options)
    try {
      const reply = await this.#call(account, query, first, options)
      const told = orderTold(query, first, reply)
      if (told === null) return reply
      await this.#learn(account, told)
      return told === first ? reply : await this.#call(account, query, told, options)
    } catch (error) {
      const found = await this.#counting(account, query, other(first), options, failureOf(error).kind)
      if (found === null) throw error
      return found
    }
  }

  /** A sort that is refused may be counted from the other number: then the answer shows it. */
  async #counting(
    account: AccountId,
    query: TableQuery,
    first: FirstColumn,
    options: AskOptions,
    kind: string,
  ): Promise<Reply | null> {
    if (kind !== 'bad-request' || query.sort.length === 0) return null
    const reply = await this.#call(account, query, first, options).catch(() => null)
    if (reply === null || orderTold(query, first, reply) !== first) return null
    await this.#learn(account, first)
    return reply
  }

  async #call(
    account: AccountId,
    query: ReportQuery,
    first: FirstColumn,
    options: AskOptions,
  ): Promise<Reply> {
    const client = await this.#parts.book.clientFor(account)
    return questionFor(query, first).ask(client, options)
  }

  /** What was kept of tables was asked for by other numbers, and stands in another order than it seems to. */
  async #learn(account: AccountId, told: FirstColumn): Promise<void> {
    const { book, shelf } = this.#parts
    const before = book.account(account).firstColumn
    if (before === told) return
    await book.learn(account, { firstColumn: told })
    if ((before ?? 0) !== told) await shelf.forgetTables(account)
  }

  async #keep(account: AccountId, query: ReportQuery, { text, fetchedAt, figures }: Reply): Promise<void> {
    const { book, shelf, store } = this.#parts
    const { key, path, range } = questionFor(query, this.#first(account))
    await shelf.keep({ account, key, path, range, fetchedAt, text })
    const packed = tableIn(query, figures, fetchedAt)
    // Where that is refused, the answer itself is kept all the same.
    if (packed) {
      await store
        .run('tables/keep', { owner: book.ownerOf(account), subject: subjectOf(query), range, ...packed })
        .catch(() => null)
    }
  }

  #first(account: AccountId): FirstColumn {
    return this.#parts.book.account(account).firstColumn ?? 0
  }
}

/** Whether the service can be asked so: it sorts by its own columns alone, and gives a page at a time. */
export const canBeAsked = (query: ReportQuery): boolean =>
  query.kind === 'overview' || (!query.whole && isSortOfService(query))

const other = (first: FirstColumn): FirstColumn => (first === 0 ? 1 : 0)

/** What an answer's order tells of the number that columns are counted from; null where it tells nothing. */
function orderTold(query: TableQuery, first: FirstColumn, { figures }: Reply): FirstColumn | null {
  if (figures.kind === 'overview') return null
  const { sort } = questionFor(query, first)
  return firstColumnOf(figures.answer.table, headersOf(query.family, query.dimension), sort)
}

/** The table that an answer is all of, or the totals that it has for any part of it. */
function tableIn(query: ReportQuery, figures: Figures, fetchedAt: Instant) {
  if (figures.kind === 'overview') return packTotals(figures.answer, fetchedAt)
  if (query.kind === 'overview') return null
  const packed =
    query.search === null && query.page === 1
      ? packFirstPage({ answer: figures.answer, fetchedAt }, countsOf(query))
      : packTotals(figures.answer, fetchedAt)
  // Totals of a table are for its days one by one; of several together nothing is made.
  return packed.whole || lengthOf(query.range) === 1 ? packed : null
}
