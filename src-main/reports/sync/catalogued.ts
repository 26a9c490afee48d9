import type { WindowName } from '#shared/accounts/account.ts'
import type { RestatedDays } from '#shared/reports/restated.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Waiting } from '#main/lib/async.ts'
import type { CallOptions } from '#main/api/client.ts'
import type { StoredTable } from '#main/database/cache/catalogue-repository.ts'
import type { Agreed } from '../composing/cost.ts'
import type { Plan } from '../coverage/plan.ts'
import type { PagesDone } from './snapshot.ts'

/** Which tables of a subject help: whole ones, those of one day alone, any with totals, or those of one day. */
export type Kind = 'whole' | 'whole days' | 'totals' | 'daily totals'

/** What is kept of a subject as tables, and how more of it comes. */
export type Catalogued = {
  readonly account: AccountId
  readonly subject: string
  readonly kind: Kind
  /** The window that its requests are under. */
  readonly window: WindowName
  readonly list: () => Promise<readonly StoredTable[]>
  /** What waits for a check of its owner's instances: added up with nothing, and not asked for again. */
  readonly provisional: () => Promise<readonly StoredTable[]>
  /** How many days of a range were restated; null where none was. */
  readonly restated: (range: DayRange) => Promise<RestatedDays | null>
  /** How many tables have been fetched so far, of whatever: who begins to fetch remembers it (`FetchOptions.since`). */
  readonly sofar: () => number
  /** How it is composed by the desk, where the service has no such table; else null. */
  readonly composed: ComposedFetching | null
  /**
   * Fetches a range as one table and keeps it; of a composed table each day that is due.
   * @throws what the client or the store throws
   */
  readonly fetch: (range: DayRange, options: FetchOptions) => Promise<void>
  /** Asks for as little as can be of a range. @throws what the client throws */
  readonly probe: (range: DayRange, options: CallOptions) => Promise<unknown>
}

/** How far a table is: pages that have come of it; then that all of it has, and is being written into its file. */
export type FetchProgress =
  ({ readonly kind: 'pages' } & PagesDone) | { readonly kind: 'fetched'; readonly rows: number }

export type FetchOptions = Waiting<FetchProgress> &
  Pick<CallOptions, 'priority'> & {
    /**
     * Whether a table that was fetched and kept meanwhile, for somebody else, will do: one after so many tables had been. Left out,
     * only one that is being fetched now.
     */
    readonly since?: number
    /** Days of the range that are due; all of them where left out. Of a composed table alone. */
    readonly days?: readonly Day[]
    /** To what of its cost the person has agreed; to nothing where left out. Of a composed table alone. */
    readonly agreed?: Agreed
    /** Whether all of it is asked for, known or not. Of a composed table alone. */
    readonly anew?: boolean
  }

export type ComposedFetching = {
  /** What is counted while it is fetched. */
  readonly unit: 'sources' | 'campaigns'
  /** Which days are due by hand, and whether all of them is asked for anew. */
  readonly dueForced: (plan: Plan) => { readonly days: readonly Day[]; readonly anew: boolean }
}
