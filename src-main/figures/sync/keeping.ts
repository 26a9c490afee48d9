import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { KeptSize } from '../../../src-shared/desk/settings.ts'
import type { ReportQuery } from '../../../src-shared/reports/query.ts'
import { subjectOf } from '../../../src-shared/reports/subject.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import type { KeptView } from '../../../src-shared/views/saved.ts'
import type { Answerer } from '../answerer.ts'
import { gather } from './gathering.ts'
import type { Holdings } from '../holdings.ts'
import { planOf } from '../coverage/kept-tables.ts'
import type { Need } from '../coverage/kept-tables.ts'
import { nothingOf } from '../lacking.ts'
import { lengthOf } from '../coverage/plan.ts'
import type { KeepAsked, PinnedQuery } from './keep-asked.ts'
import type { TablingParts } from '../tabling.ts'

/** Keeps what queries are about for reading offline, and keeps it within its size. */
export class Keeping {
  readonly #parts: TablingParts
  readonly #holdings: Holdings
  readonly #answerer: Answerer

  constructor(parts: TablingParts, holdings: Holdings, answerer: Answerer) {
    this.#parts = parts
    this.#holdings = holdings
    this.#answerer = answerer
  }

  /**
   * Fetches what a query is about day by day, the newest first, as far as it is not kept or too old.
   * @throws DeskFailure where a day could not be had; those that could are kept
   */
  keepWhole({ account, query, signal, progress }: KeepAsked): Promise<void> {
    const need = this.#needOf(account, query)
    return this.#answerer.during(account, `keep ${need.holding.subject}`, async (ending) => {
      const failure = await gather(this.#parts, need, {
        byHand: false,
        dayByDay: true,
        signal: AbortSignal.any([signal, ending]),
        priority: 'background',
        tell: ({ done, of, unit }) => {
          if (unit === 'days') progress(done, of)
        },
      })
      if (failure !== null) throw new DeskFailure(failure)
      const { missing } = await planOf(this.#parts, need)
      if (missing.length > 0) throw new DeskFailure(nothingOf([need], null))
      progress(lengthOf(query.range), lengthOf(query.range))
    })
  }

  /** What of a query's days is kept. */
  async keptOf(account: AccountId, query: ReportQuery): Promise<KeptView> {
    const need = this.#needOf(account, query)
    const { blocks, missing, fetchedAt } = await planOf(this.#parts, need)
    const of = lengthOf(need.range)
    const bytes = blocks.reduce((sum, block) => sum + block.bytes, 0)
    return { days: of - missing.length, of, oldest: fetchedAt, bytes }
  }

  async keptSize(): Promise<KeptSize> {
    const { tables, answers, days } = await this.#parts.store.run('tables/sizes', undefined)
    return { bytes: tables + answers, days }
  }

  /** Lets the oldest go until no more than so many bytes are kept; days of pinned queries stay. */
  async keepWithin(bytes: number, pinned: readonly PinnedQuery[]): Promise<void> {
    const { store, book } = this.#parts
    const { tables, answers } = await store.run('tables/sizes', undefined)
    if (tables + answers <= bytes) return
    // Single answers go first: tables answer for more than they take.
    await store.run('answers/let-oldest-go', { bytes: Math.max(bytes - tables, Math.floor(bytes / 4)) })
    const left = await store.run('tables/sizes', undefined)
    const spare = pinned.map(({ account, query }) => ({
      owner: book.ownerOf(account),
      subject: subjectOf(query),
      range: query.range,
    }))
    const asked = { bytes: Math.max(0, bytes - left.answers), spare }
    // A few at a time, so that nothing else waits long for the store.
    while ((await store.run('tables/let-oldest-go', asked)) > 0) continue
  }

  #needOf(account: AccountId, query: ReportQuery): Need {
    this.#parts.book.account(account)
    // A table of several days tells nothing of fewer of them, and of no chart.
    const kind = query.kind === 'overview' ? 'daily totals' : 'whole days'
    return { holding: this.#holdings.of(account, query, kind), range: query.range }
  }
}
