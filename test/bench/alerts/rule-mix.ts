import { judgeMornings } from '#main/watch/judging/judge-mornings.ts'
import type { NamedFigures } from '#main/watch/judging/rule.ts'
import { firstDay, morningAfter, ruleOf } from '#test/src-main/watch/judging/made-alerts.ts'
import { madeMix } from '#test/src-main/watch/judging/made-mix.ts'
import type { Target } from '../measure/target.ts'
import { daysBetween } from '#shared/values/day.ts'

/** Rows of a world; each has five rule sets. */
const rows = 60
const days = 180
/** Mornings before are too close to the first day to judge. */
const warmUp = 75
/** The day on which mixes turn, and the rows in which they do: one in five. */
const turnsOn = 120
const turnsIn = (row: number) => row % 5 === 0
const maxDelay = 7

/** Finding of a row's mix: the row, and the index of the morning. */
type ToldMix = { readonly row: string; readonly morning: number }

function toldOf(figures: NamedFigures, last: number): ToldMix[] {
  const rule = ruleOf({ kind: 'unusual' }, { measure: 'rule-mix' })
  const mornings = judgeMornings(
    figures,
    [],
    { since: morningAfter(warmUp), today: morningAfter(last) },
    rule,
  )
  return [...mornings].flatMap(({ morning, news }) =>
    news.flatMap(({ keys }) => keys.map((row) => ({ row, morning: daysBetween(firstDay, morning) }))),
  )
}

/** How often an alert on a rule mix is wrong where mixes only swing, and how soon it tells one that turned. */
export function ruleMixTargets(): Target[] {
  const quiet = [701, 702, 703].map((seed) => toldOf(madeMix({ rows, days, seed }), days - 1).length)
  const weeks = (days - 1 - warmUp) / 7
  const alarms = quiet.reduce((sum, count) => sum + count, 0) / (quiet.length * weeks)
  const turned = [801, 802].map((seed) => {
    const change = (row: number, code: string, index: number) =>
      code === 'UE' && index >= turnsOn && turnsIn(row) ? 3 : 1
    const told = toldOf(madeMix({ rows, days: turnsOn + 10, seed, change }), turnsOn + maxDelay)
    const late = told.filter(({ morning }) => morning > turnsOn)
    const found = Array.from({ length: rows }, (_, row) => row).filter(
      (row) => turnsIn(row) && late.some((each) => each.row === `text row-${row}`),
    )
    return found.length / Math.ceil(rows / 5)
  })
  const recall = turned.reduce((sum, each) => sum + each, 0) / turned.length
  return [
    {
      ...{ what: 'Rule mix: false alarms a week', figure: alarms, against: 'quiet mixes' },
      measured: quiet.map((count) => (count / weeks).toFixed(2)).join(', '),
      reach: { kind: 'most', value: 0.5, unit: '' },
    },
    {
      ...{ what: 'Rule mix: from 18 to 40 % told in 7 days', figure: recall, against: '400 broken a day' },
      measured: `${(100 * recall).toFixed(0)} %`,
      reach: { kind: 'least', value: 0.9, unit: '' },
    },
  ]
}
