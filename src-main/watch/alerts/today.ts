import type { LiveAccount } from '#shared/accounts/account.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { accountDayOf, settledAfterDays } from '#shared/reports/answer.ts'
import { isRunning } from '#shared/raw/list.ts'
import { subjectOf } from '#shared/reports/query.ts'
import { rateOf } from '#shared/reports/rows.ts'
import { isNearExpiry } from '#shared/texts/raw.ts'
import { addDays, daysOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { plainOverview } from '#shared/views/address.ts'
import { isStanding, mutedUntilOf, weekdays } from '#shared/watch/alerts.ts'
import type { ExpiringReport, Finding, TodayAccount, TodayFigures } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'
import { withLeftOut } from '../judging/left-out.ts'
import type { KnownReport } from '#main/database/state/raw-reports-repository.ts'
import { chartBand } from '../judging/preview.ts'
import type { WatchRule } from '../judging/rule.ts'
import { totalsQuery } from './alert-query.ts'
import { leftOutDays } from './left-out-days.ts'
import type { WatchContext } from './watch-context.ts'

/** In the order of Overview. */
const shownFamilies: readonly Family[] = ['script', 'direct']
/** Days after its last day on which an end is known: three settled mornings. */
const endKnownAfter = 8
/** Days for which a withdrawal is shown, which settled figures bring. */
const withdrawnFor = settledAfterDays + 2

const unusual = (measure: WatchRule['measure']): WatchRule => ({
  ...{ measure, condition: { kind: 'unusual' }, leastRequests: 0, leastChange: 0, weekdays },
})

/**
 * Returns an account on Today, from stored figures and findings alone.
 * @param since the last look at Today; null if there was none
 */
export async function todayOf(
  context: WatchContext,
  account: LiveAccount,
  since: Instant | null,
): Promise<TodayAccount> {
  const { clock, store } = context
  const { id } = account
  const today = accountDayOf(clock.now(), account)
  const [alerts, stored, mutes, restated, { reports }, ...figures] = await Promise.all([
    store.run('alerts/list', id),
    store.run('findings/since', { account: id, day: addDays(today, -endKnownAfter) }),
    store.run('mutes/list', { account: id }),
    since === null ? [] : restatedSince(context, id, since, today),
    store.run('raw-reports/known', { account: id }),
    ...shownFamilies.map((family) => figuresOf(context, account, family, today)),
  ])
  const findings = stored
    .filter(({ dismissed }) => dismissed === null)
    .map((finding): Finding => ({ ...finding, mutedUntil: mutedUntilOf(finding, mutes, today) }))
  return {
    ...{ account: id, day: addDays(today, -1), hasAlerts: alerts.length > 0, restated },
    inProgress: reports.filter((report) => isListed(report) && isRunning(report.state)).length,
    expiring: reports.flatMap((report) => (isListed(report) ? expiringOf(report, clock.now()) : [])),
    figures: figures.flatMap((each) => each ?? []),
    standing: findings.filter(isStanding),
    ended: findings.filter((finding) => hasJustEnded(finding, today)),
  }
}

function hasJustEnded({ state, to, day }: Finding, today: Day): boolean {
  if (state === 'withdrawn') return day >= addDays(today, -withdrawnFor)
  return (state === 'over' || state === 'usual') && to !== null && to >= addDays(today, -endKnownAfter)
}

const isListed = ({ listsWithout, removedHere }: KnownReport): boolean => listsWithout === 0 && !removedHere

const expiringOf = ({ id: report, name, state, expires }: KnownReport, now: number): ExpiringReport[] =>
  state === 'ready' && expires !== null && isNearExpiry(expires, now) ? [{ report, name, expires }] : []

/** Days of Overview that were restated since a moment, in order: its chart marks them. */
async function restatedSince(
  { accounts, clock, store }: WatchContext,
  account: AccountId,
  since: Instant,
  today: Day,
): Promise<readonly Day[]> {
  const subjects = new Set(shownFamilies.map((family) => subjectOf(totalsQuery(family, today))))
  const marks = await store.run('restatements/marks', accounts.dataScopeOf(account))
  // A time in the future was recorded before the clock was set back.
  const isNew = (at: Instant) => at > since && at <= clock.now()
  const days = marks.flatMap(({ subject, afterFetchedAt, range }) =>
    subjects.has(subject) && isNew(afterFetchedAt) ? daysOf(range) : [],
  )
  return [...new Set(days)].toSorted()
}

/** Yesterday's totals; null if they are not stored. */
async function figuresOf(
  context: WatchContext,
  { id }: LiveAccount,
  family: Family,
  today: Day,
): Promise<TodayFigures | null> {
  const stored = await context.reports.watchedTotals({ account: id, query: totalsQuery(family, today) })
  const totals =
    stored && withLeftOut(stored, await leftOutDays(context.store, id, noteView(plainOverview), today))
  const [row] = totals?.rows ?? []
  const requests = row?.requests.at(-1) ?? null
  const bad = row?.bad.at(-1) ?? null
  if (!totals || !row || requests === null || bad === null) return null
  const usualOf = (measure: WatchRule['measure']) => {
    const band = chartBand(totals, row, { morning: today, days: 1 }, unusual(measure)).at(-1)
    const { usual = null, low = null, high = null } = band ?? {}
    return usual === null || low === null || high === null ? null : { usual, low, high }
  }
  return {
    ...{ family, requests, bad, rate: rateOf(bad, requests), soFar: totals.settled.at(-1) !== true },
    ...{ usualRate: usualOf('bad-rate'), usualRequests: usualOf('requests') },
  }
}
