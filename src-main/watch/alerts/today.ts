import type { LiveAccount } from '#shared/accounts/account.ts'
import type { Family } from '#shared/api/dimensions.ts'
import { accountDayOf, settledAfterDays } from '#shared/reports/answer.ts'
import { rateOf } from '#shared/reports/rows.ts'
import { addDays } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { plainOverview } from '#shared/views/address.ts'
import { isStanding, mutedUntilOf, weekdays } from '#shared/watch/alerts.ts'
import type { Finding, TodayAccount, TodayFigures } from '#shared/watch/alerts.ts'
import { noteView } from '#shared/watch/notes.ts'
import { withLeftOut } from '../judging/left-out.ts'
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

/** Returns an account on Today, from stored figures and findings alone. */
export async function todayOf(context: WatchContext, account: LiveAccount): Promise<TodayAccount> {
  const { clock, store } = context
  const { id } = account
  const today = accountDayOf(clock.now(), account)
  const [alerts, stored, mutes, ...figures] = await Promise.all([
    store.run('alerts/list', id),
    store.run('findings/list', { account: id }),
    store.run('mutes/list', { account: id }),
    ...shownFamilies.map((family) => figuresOf(context, account, family, today)),
  ])
  const findings = stored
    .filter(({ dismissed }) => dismissed === null)
    .map((finding): Finding => ({ ...finding, mutedUntil: mutedUntilOf(finding, mutes, today) }))
  return {
    ...{ account: id, day: addDays(today, -1), hasAlerts: alerts.length > 0 },
    figures: figures.flatMap((each) => each ?? []),
    standing: findings.filter(isStanding),
    ended: findings.filter((finding) => hasJustEnded(finding, today)),
  }
}

function hasJustEnded({ state, to, day }: Finding, today: Day): boolean {
  if (state === 'withdrawn') return day >= addDays(today, -withdrawnFor)
  return (state === 'over' || state === 'usual') && to !== null && to >= addDays(today, -endKnownAfter)
}

/** Yesterday's totals; null if they are not stored. */
async function figuresOf(
  context: WatchContext,
  { id }: LiveAccount,
  family: Family,
  today: Day,
): Promise<TodayFigures | null> {
  const stored = await context.reports.watchedTotals({ account: id, query: totalsQuery(family, today) })
  const totals = stored && withLeftOut(stored, await leftOutDays(context, id, noteView(plainOverview), today))
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
