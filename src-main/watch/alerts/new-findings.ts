import { randomUUID } from 'node:crypto'
import { instantOf } from '#shared/values/ids.ts'
import type { Alert, FindingId } from '#shared/watch/alerts.ts'
import type { NewFinding, WithdrawnEpisode } from '#main/database/state/findings-repository.ts'
import type { WatchNews, WithdrawnNews } from '../judging/judge-mornings.ts'
import { totalLabel } from '../judging/rule.ts'

/** A finding to be stored, of the alert as it is now. @param now milliseconds since 1970 */
export function newFinding(alert: Alert, news: WatchNews, now: number): NewFinding {
  const { labels, texts, isShared, kind, from, day, usual, soFar } = news
  const [key, ...others] = labels
  const row =
    key === undefined || key === totalLabel || others.length > 0 ? null : { key, text: texts[0] ?? key }
  const { view, family, measure, condition } = alert
  return {
    ...{ id: randomUUID() as FindingId, view, family, measure, condition: condition.kind },
    ...{ row, rows: others.length > 0 ? labels : [], isShared, isStopped: kind === 'stopped' },
    ...{ from, day, usual, now: news.now, z: condition.kind === 'unusual' ? news.z : null },
    ...{ state: soFar ? 'so-far' : 'standing', to: null, settled: null, foundAt: instantOf(now) },
    isWorse: news.isWorse,
  }
}

export const withdrawnEpisode = (alert: Alert, { episode, settled }: WithdrawnNews): WithdrawnEpisode => ({
  ...{ ...episode, condition: alert.condition.kind, settled },
})
