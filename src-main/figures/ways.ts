import type { Provenance } from '../../src-shared/reports/answer.ts'
import type { Doubt } from '../../src-shared/reports/doubt.ts'
import type { DayRange } from '../../src-shared/values/day.ts'
import type { AccountId, Instant } from '../../src-shared/values/ids.ts'
import type { Compute, Need } from './coverage/kept-tables.ts'
import type { AskOptions } from './pages.ts'

/** Figures that were answered as they are, in one. */
export type InOne<F> = {
  readonly figures: F
  readonly fetchedAt: Instant
  /** Why they do not add up, as far as they themselves tell. */
  readonly doubt: Doubt | null
}

/** One question, and the ways in which it can be answered. */
export type Ways<F, A> = {
  readonly account: AccountId
  /** Of the question (src-shared/reports/asking.ts). */
  readonly key: string
  /** Whether the service is asked in any case. */
  readonly byHand: boolean
  /** The kept answer to this very question; `complete` where asking again renews all that tables could tell. */
  readonly kept: (InOne<F> & { readonly range: DayRange; readonly complete: boolean }) | null
  /**
   * Asks the service in one; null where it does not answer so. It resolves with null where that turns out on the way.
   * @throws what the client throws
   */
  readonly direct: ((options: AskOptions) => Promise<InOne<F> | null>) | null
  /** Whether the service tells more in one than tables do: rates of its own. */
  readonly tellsMore: boolean
  /** Tables from which it can be computed, and how. */
  readonly needs: readonly Need[]
  readonly compute: Compute<F>
  /** What else is kept that can stand in where the service cannot be asked. */
  readonly instead: () => Promise<InOne<F> | null>
  readonly show: (figures: F, provenance: Provenance) => A
}

/** For a question that nothing else can stand in for. */
export const nothingInstead = (): Promise<null> => Promise.resolve(null)
