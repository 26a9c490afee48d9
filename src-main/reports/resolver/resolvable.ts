import type { Failure } from '#shared/api/failure.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import { isSameRange } from '#shared/reports/compared-periods.ts'
import { minAsked } from '#shared/reports/composed.ts'
import type { ComposedPart } from '#shared/reports/composed.ts'
import { firstDoubt } from '#shared/reports/doubt.ts'
import type { Doubt } from '#shared/reports/doubt.ts'
import type { RestatedDays } from '#shared/reports/restated.ts'
import { daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { isSettledFor } from '../coverage/freshness.ts'
import { agesOf, oldestTables, spansOf } from '../coverage/plan.ts'
import type { Plan } from '../coverage/plan.ts'
import type { Compute, Need } from '../coverage/stored-tables.ts'
import type { FiguresParts } from '../figures-parts.ts'
import { readHead } from '../../analytics/head.ts'
import type { AskOptions } from '../pages/pages.ts'
import { isDaily } from '../sync/table-catalogue.ts'

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
  readonly separate?: readonly Need[]
  readonly compute: Compute<F>
  /** Null where only whole tables know the answer. */
  readonly page: PageSource<Page<F>> | null
  readonly show: (figures: F, provenance: Provenance) => A
}

/** Where figures come from. */
export type ComputedFrom = Pick<Provenance, 'from' | 'fetchedAt' | 'ages' | 'spans' | 'doubt' | 'composed'>

type Planned = { readonly need: Need; readonly plan: Plan }

type Needed = Pick<Resolvable<unknown, unknown>, 'needs' | 'shows' | 'separate'>

/**
 * Where figures come from that are computed from these tables. One table alone is shown as it came.
 * Ages are of the days that are shown; doubts are of all that figures hang on.
 * @param plans one for each need
 */
export function computedFrom(
  { accounts, clock }: Pick<FiguresParts, 'accounts' | 'clock'>,
  account: AccountId,
  { needs, shows, separate = [] }: Needed,
  plans: readonly Plan[],
): ComputedFrom {
  const planned = needs.flatMap((need, place) => {
    const plan = plans[place]
    return plan ? [{ need, plan }] : []
  })
  const shown = planned.flatMap(({ need, plan }) => (isOfShown(need, shows) ? [plan] : []))
  const own = planned.filter(({ need }) => !separate.includes(need))
  const composed = leastComposed(own)
  const tables = shown.flatMap((plan) => plan.tables)
  const isOne = tables.length === 1 && shown.every(({ missing }) => missing.length === 0)
  const spans = isOne ? [] : spansOf(tables)
  const ages = agesOf(oldestTables(shown), isSettledFor(accounts.account(account), clock.now()))
  return {
    ...(composed && { composed }),
    ...(ages.length > 1 && { ages }),
    ...(spans.length > 0 && { spans }),
    from: isOne ? 'stored' : 'computed',
    fetchedAt: oldestOf(tables.length > 0 ? shown : plans),
    doubt: doubtOf(own),
  }
}

const isOfShown = (need: Need, shows: DayRange | undefined): boolean =>
  shows === undefined || isSameRange(need.range, shows)

/** What was restated of the days that are shown. */
export async function restatedIn({ needs, shows }: Needed): Promise<RestatedDays | null> {
  const shown = needs.filter((need) => isOfShown(need, shows))
  const ranges = await Promise.all(shown.map(({ catalogued, range }) => catalogued.restated(range)))
  const found = ranges.flatMap((restated) => restated ?? [])
  if (found.length === 0) return null
  const days = found.reduce((sum, restated) => sum + restated.days, 0)
  return { days, latest: Math.max(...found.map(({ latest }) => latest)) as Instant }
}

/** Of composed tables, the one of which least was asked; undefined where all of each was. */
function leastComposed(planned: readonly Planned[]): ComposedPart | undefined {
  const unit = planned[0]?.need.catalogued.composed?.unit
  if (unit === undefined) return undefined
  const heads = planned.flatMap(({ plan }) => plan.tables.map(({ head }) => head))
  const min = minAsked(heads.flatMap((head) => readHead(head)?.composed ?? []))
  return min && { ...min, unit }
}

/** When the oldest of the figures was fetched; the beginning of time where there are none. */
function oldestOf(plans: readonly Plan[]): Instant {
  const known = plans.flatMap(({ fetchedAt }) => fetchedAt ?? [])
  return (known.length > 0 ? Math.min(...known) : 0) as Instant
}

/** Why the tables that rows are made of do not add up. Totals do not depend on their rows. */
const doubtOf = (planned: readonly Planned[]): Doubt | null =>
  firstDoubt(
    planned.flatMap(({ need, plan }) =>
      need.catalogued.kind.startsWith('whole') ? plan.tables.map(({ doubt }) => doubt) : [],
    ),
  )

/** Why a question has no answer, and what would have to be kept for one: nothing is kept of any of the needs. */
export function nothingOf(needs: readonly Need[], failure: Failure | null): Failure {
  const why: Failure = failure ?? {
    kind: 'disk',
    message: 'The figures arrived but could not be saved. Only saved days can be combined.',
  }
  return lacksSomething(why) ? { ...why, message: `${why.message} ${wordsFor(needs)}` } : why
}

/**
 * Why days are missing.
 * @param unreadable how many of them are saved in files that cannot be read for now
 */
export function missingFor(needs: readonly Need[], failure: Failure | null, unreadable: number): Failure {
  if (unreadable === 0) return failure ?? nothingOf(needs, null)
  const days = unreadable === 1 ? 'one day' : `${unreadable} days`
  const words = `The saved figures of ${days} cannot be read at the moment. They are still in the profile folder: check that its disk is connected and may be read.`
  return failure ? { ...failure, message: `${failure.message} ${words}` } : { kind: 'disk', message: words }
}

/** Where the service cannot be asked, only what is kept could answer: that is worth saying. */
const lacksSomething = ({ kind }: Failure): boolean =>
  kind === 'offline' || kind === 'refused-token' || kind === 'no-token' || kind === 'proxy-sign-in'

function wordsFor(needs: readonly Need[]): string {
  const days = new Set(needs.flatMap(({ range }) => daysOf(range))).size
  // They may be saved as one.
  if (days > 1 && needs.every(({ catalogued }) => isDaily(catalogued.kind)))
    return `These ${days} days are not saved day by day.`
  return days === 1 ? 'Nothing of this day is saved.' : `Nothing of these ${days} days is saved.`
}
