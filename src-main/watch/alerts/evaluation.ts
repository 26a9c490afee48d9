import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { accountDayOf } from '#shared/reports/answer.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Alert, FindingId } from '#shared/watch/alerts.ts'
import type { WatchedEpisode } from '#main/database/state/alerts-repository.ts'
import type { NewFinding, WithdrawnEpisode } from '#main/database/state/findings-repository.ts'
import type { WatchNews, WithdrawnNews } from '../judging/judge-mornings.ts'
import { totalLabel } from '../judging/rule.ts'
import { queryOfAlert } from './alert-query.ts'
import type { WatchContext } from './watch-context.ts'

/** `void`: the alert or the account's data scope changed meanwhile. */
export type Evaluated = 'recorded' | 'nothing-new' | 'void'

/**
 * Judges an alert's figures, and stores what was found with its episodes in one transaction. A second evaluation of the
 * same figures stores nothing.
 * @throws DeskFailure if the store or the engine fails; nothing is stored then
 */
export async function evaluateAlert(
  { accounts, clock, reports, store }: WatchContext,
  account: AccountId,
  alert: Alert,
): Promise<Evaluated> {
  const today = accountDayOf(clock.now(), accounts.account(account))
  const current = accounts.dataScopeOf(account)
  const query = queryOfAlert(alert, today)
  if (!query) return 'nothing-new'
  const state = await store.run('watch/state', { account, alert: alert.id })
  // Episodes of other instances say nothing of these.
  const known = state.dataScope === current ? state : { ...state, morning: null, episodes: [] }
  const { condition } = alert
  const { dataScope, judged } = await reports.judge(
    { account, query, row: alert.row },
    {
      ...{ kind: 'mornings', rule: alert, today, since: known.morning },
      episodes: known.episodes.filter((episode) => episode.condition === condition.kind),
    },
  )
  if (dataScope !== current || accounts.dataScopeOf(account) !== dataScope) return 'void'
  if (judged?.kind !== 'mornings') return 'nothing-new'
  const last = judged.mornings.at(-1)
  if (!last) return 'nothing-new'
  const episodes = judged.episodes.map((episode): WatchedEpisode => ({
    ...episode,
    condition: condition.kind,
  }))
  const news = judged.mornings.flatMap((morning) => morning.news)
  const withdrawn = judged.mornings.flatMap((morning) => morning.withdrawn)
  const isNew = last.morning !== known.morning || !isDeepStrictEqual(episodes, known.episodes)
  if (!isNew && news.length === 0 && withdrawn.length === 0) return 'nothing-new'
  const isStored = await store.run('watch/record', {
    ...{ account, alert: alert.id, dataScope, revision: state.revision, morning: last.morning, episodes },
    news: news.map((each) => newFinding(alert, each, clock.now())),
    withdrawn: withdrawn.map((each) => withdrawnEpisode(alert, each)),
  })
  return isStored ? 'recorded' : 'void'
}

/** A finding to be stored, of the alert as it is now. @param now milliseconds since 1970 */
function newFinding(alert: Alert, news: WatchNews, now: number): NewFinding {
  const { keys, texts, isShared, kind, from, day, usual, soFar, rule } = news
  const [key, ...others] = keys
  const row =
    key === undefined || key === totalLabel || others.length > 0 ? null : { key, text: texts[0] ?? key }
  const { view, family, measure, condition } = alert
  return {
    ...{ id: randomUUID() as FindingId, view, family, measure, condition: condition.kind },
    ...{ row, rows: others.length > 0 ? keys : [], rule, isShared, isStopped: kind === 'stopped' },
    ...{ from, day, usual, now: news.now, z: condition.kind === 'unusual' ? news.z : null },
    ...{ state: soFar ? 'so-far' : 'standing', to: null, settled: null, foundAt: instantOf(now) },
    isWorse: news.isWorse,
  }
}

const withdrawnEpisode = (alert: Alert, { episode, settled }: WithdrawnNews): WithdrawnEpisode => ({
  ...{ ...episode, condition: alert.condition.kind, settled },
})
