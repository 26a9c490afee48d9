import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { accountDayOf } from '#shared/reports/answer.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { AccountId, DataScopeId } from '#shared/values/ids.ts'
import type { Alert, FindingId } from '#shared/watch/alerts.ts'
import type { WatchState, WatchedEpisode } from '#main/database/state/alerts-repository.ts'
import type { NewFinding, WithdrawnEpisode } from '#main/database/state/findings-repository.ts'
import type { WatchNews, WithdrawnNews } from '../judging/judge-mornings.ts'
import { totalLabel } from '../judging/rule.ts'
import type { Judged, JudgeTask } from '../judging/task.ts'
import { queryOfAlert } from './alert-query.ts'
import { leftOutDays } from './left-out-days.ts'
import type { WatchContext } from './watch-context.ts'

/** `void`: the alert or the account's data scope changed meanwhile. `failed`: the store refused. */
export type Evaluated = 'recorded' | 'nothing-new' | 'void' | 'failed'

/**
 * Judges alerts on the same figures, which are read once. What an alert found is stored with its episodes in one
 * transaction. A second evaluation of the same figures stores nothing.
 * @param alerts of one family and view
 * @returns what became of each, in their order
 * @throws DeskFailure if the engine fails, or the store before anything was judged; nothing is stored then
 */
export async function evaluateAlerts(
  context: WatchContext,
  account: AccountId,
  alerts: readonly Alert[],
): Promise<readonly Evaluated[]> {
  const { accounts, clock, reports, store } = context
  const today = accountDayOf(clock.now(), accounts.account(account))
  const current = accounts.dataScopeOf(account)
  const [first] = alerts
  const query = first ? queryOfAlert(first, today) : null
  if (!first || !query) return []
  const watched = await Promise.all(
    alerts.map(async (alert): Promise<Watched> => {
      const state = await store.run('watch/state', { account, alert: alert.id })
      // Episodes of other instances say nothing of these.
      const known = state.dataScope === current ? state : { ...state, morning: null, episodes: [] }
      return { account, alert, known }
    }),
  )
  const leftOut = await leftOutDays(store, account, first.view, today)
  const tasks = watched.map(({ alert, known }): JudgeTask => ({
    ...{ kind: 'mornings', rule: alert, today, leftOut, row: alert.row, since: known.morning },
    episodes: known.episodes.filter(({ condition }) => condition === alert.condition.kind),
  }))
  const { dataScope, judged } = await reports.judge({ account, query }, tasks)
  if (dataScope !== current) return ['void']
  const outcomes: Evaluated[] = []
  for (const [nth, each] of watched.entries()) {
    if (accounts.dataScopeOf(account) !== dataScope) return [...outcomes, 'void']
    const found = judged?.[nth]
    outcomes.push(await record(context, each, dataScope, found).catch(() => 'failed'))
  }
  return outcomes
}

/** An alert, and what it knows of its data scope. */
type Watched = { readonly account: AccountId; readonly alert: Alert; readonly known: WatchState }

/** Stores what was found. @throws DeskFailure if the store fails; nothing is stored then */
async function record(
  { clock, store }: WatchContext,
  { account, alert, known }: Watched,
  dataScope: DataScopeId,
  judged: Judged | undefined,
): Promise<Evaluated> {
  if (judged?.kind !== 'mornings') return 'nothing-new'
  const last = judged.mornings.at(-1)
  if (!last) return 'nothing-new'
  const episodes = judged.episodes.map((episode): WatchedEpisode => ({
    ...episode,
    condition: alert.condition.kind,
  }))
  const news = judged.mornings.flatMap((morning) => morning.news)
  const withdrawn = judged.mornings.flatMap((morning) => morning.withdrawn)
  const isNew = last.morning !== known.morning || !isDeepStrictEqual(episodes, known.episodes)
  if (!isNew && news.length === 0 && withdrawn.length === 0) return 'nothing-new'
  const isStored = await store.run('watch/record', {
    ...{ account, alert: alert.id, dataScope, revision: known.revision, morning: last.morning, episodes },
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
