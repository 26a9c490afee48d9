import { failureOf } from '../../src-shared/desk/desk-failure.ts'
import { isSortOfService } from '../../src-shared/reports/call.ts'
import type { FirstColumn } from '../../src-shared/reports/call.ts'
import type { ReportQuery, TableQuery } from '../../src-shared/reports/query.ts'
import { subjectOf } from '../../src-shared/reports/subject.ts'
import { headersOf } from '../../src-shared/service/dimensions.ts'
import type { AccountId, Instant, OwnerId } from '../../src-shared/values/ids.ts'
import type { CallOptions } from '../service/client.ts'
import { firstColumnOf } from './first-column.ts'
import { packFirstPage } from './sync/snapshot.ts'
import { countsOf } from './holdings.ts'
import { packTotals } from './packing.ts'
import { lengthOf } from './coverage/plan.ts'
import { questionFor } from './question.ts'
import type { Figures, Reply } from './question.ts'
import { SharedWork } from './shared-work.ts'
import { idOf, isOwnerStill } from './tabling.ts'
import type { TablingParts } from './tabling.ts'

/** An answer as the service gave it to this very question. */
export type ServiceAnswer = { readonly figures: Figures; readonly fetchedAt: Instant }

export type AskOptions = {
  readonly signal: AbortSignal
  readonly priority: NonNullable<CallOptions['priority']>
}

/** An account, and whose its figures were when it was asked for. */
type Whose = { readonly account: AccountId; readonly owner: OwnerId }

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
    const kept = await this.#parts.shelf.read(this.#parts.book.ownerOf(account), key)
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
    const owner = this.#parts.book.ownerOf(account)
    return this.#asking.join(idOf(owner, key), { signal }, (shared) =>
      this.#ask({ account, owner }, query, { signal: shared, priority }),
    )
  }

  async #ask(whose: Whose, query: ReportQuery, options: AskOptions): Promise<ServiceAnswer> {
    const { connections, book } = this.#parts
    const { account, owner } = whose
    try {
      const reply = await this.#inItsOrder(whose, query, options)
      // Who cancelled may have asked anew: this one is late, whatever it says.
      if (options.signal.aborted) return reply
      if (isOwnerStill(book, account, owner)) await this.#keep(whose, query, reply)
      connections.noteSuccess(account, reply.fetchedAt)
      return reply
    } catch (error) {
      if (!options.signal.aborted) connections.noteFailure(account, failureOf(error))
      throw error
    }
  }

  /** The answer in the order that was asked for, whatever the service turns out to count columns from. */
  async #inItsOrder(whose: Whose, query: ReportQuery, options: AskOptions): Promise<Reply> {
    const first = this.#first(whose.account)
    if (query.kind === 'overview') return this.#call(whose, query, first, options)
    try {
      const reply = await this.#call(whose, query, first, options)
      const told = orderTold(query, first, reply)
      if (told === null) return reply
      await this.#learn(whose, told)
      return told === first ? reply : await this.#call(whose, query, told, options)
    } catch (error) {
      const found = await this.#counting(whose, query, other(first), options, failureOf(error).kind)
      if (found === null) throw error
      return found
    }
  }

  /** A sort that is refused may be counted from the other number: then the answer shows it. */
  async #counting(
    whose: Whose,
    query: TableQuery,
    first: FirstColumn,
    options: AskOptions,
    kind: string,
  ): Promise<Reply | null> {
    if (kind !== 'bad-request' || query.sort.length === 0) return null
    const reply = await this.#call(whose, query, first, options).catch(() => null)
    if (reply === null || orderTold(query, first, reply) !== first) return null
    await this.#learn(whose, first)
    return reply
  }

  async #call(
    { account, owner }: Whose,
    query: ReportQuery,
    first: FirstColumn,
    options: AskOptions,
  ): Promise<Reply> {
    const client = await this.#parts.book.clientFor(account, owner)
    return questionFor(query, first).ask(client, options)
  }

  /** What was kept of tables was asked for by other numbers, and stands in another order than it seems to. */
  async #learn({ account, owner }: Whose, told: FirstColumn): Promise<void> {
    const { book, shelf } = this.#parts
    const before = book.account(account).firstColumn
    if (before === told) return
    await book.learn(account, { firstColumn: told })
    if ((before ?? 0) !== told) await shelf.forgetTables(owner)
  }

  async #keep(
    { account, owner }: Whose,
    query: ReportQuery,
    { text, fetchedAt, figures }: Reply,
  ): Promise<void> {
    const { shelf, store } = this.#parts
    const { key, path, range } = questionFor(query, this.#first(account))
    await shelf.keep({ account: owner, key, path, range, fetchedAt, text })
    const packed = tableIn(query, figures, fetchedAt)
    // Where that is refused, the answer itself is kept all the same.
    if (packed) {
      await store
        .run('tables/keep', { account: owner, subject: subjectOf(query), range, ...packed })
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
