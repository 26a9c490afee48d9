import type { Provenance } from '#shared/reports/answer.ts'
import type { Doubt } from '#shared/reports/doubt.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Compute, Need } from '../coverage/stored-tables.ts'
import type { AskOptions } from '../pages/pages.ts'

/** Figures that the service answered to one question. */
export type Page<F> = {
  readonly figures: F
  readonly fetchedAt: Instant
  readonly range: DayRange
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
}

/** The service's own answer to a question: one page of its table, or an overview. */
export type PageSource<P> = {
  /** Whether it is shown rather than what kept tables tell: it has figures that cannot be computed. */
  readonly first: boolean
  /** The kept one; null where there is none. */
  readonly stored: () => Promise<P | null>
  /**
   * Asks the service; null where it turns out that it does not answer such a question.
   * @throws what the client throws
   */
  readonly ask: (options: AskOptions) => Promise<P | null>
}

/** One question, and how it can be answered: from kept tables, or by the service's own page. */
export type Resolvable<F, A> = {
  readonly account: AccountId
  /** Of the question (src-shared/reports/query.ts). */
  readonly key: string
  /** Whether the service is asked in any case. */
  readonly force: boolean
  /** Tables from which it can be computed, and how. */
  readonly needs: readonly Need[]
  /** The days that are shown, where some needs are for other days: what is known of those is not said of these. */
  readonly shows?: DayRange
  /** Needs of which the answer says what is known by itself: their doubts are not said of the others. */
  readonly apart?: readonly Need[]
  readonly compute: Compute<F>
  /** Null where only whole tables know the answer. */
  readonly page: PageSource<Page<F>> | null
  readonly show: (figures: F, provenance: Provenance) => A
}
