import { addDays, daysBetween } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { daysRead } from '#shared/watch/alerts.ts'
import type { AlertPreview, BandedDay, PreviewedTelling } from '#shared/watch/alerts.ts'
import type { Episode } from '../detector/episodes.ts'
import { bandOf } from '../detector/evaluate.ts'
import { judgeDay } from './line.ts'
import { judgeMorning, newestDay } from './judge-mornings.ts'
import type { WatchNews } from './judge-mornings.ts'
import { figureOver, measureOfRule, shown } from './rule.ts'
import type { NamedFigures, NamedRow, WatchRule } from './rule.ts'

const maxTellings = 100
/** Lasting factors that are tried, and the rows that they are tried with: the chance that all rows take is theirs. */
const factors = [1.25, 1.33, 1.5, 2, 3, 5]
const triedRows = 200
const triedDays = 7

/** Days of a row's chart, and the limits of what is not news. Rates are in percent. */
export function chartBand(
  figures: NamedFigures,
  row: NamedRow,
  { morning, days }: { readonly morning: Day; readonly days: number },
  rule: WatchRule,
): BandedDay[] {
  const measure = measureOfRule(rule)
  const { kind } = rule.condition
  const isLearnt = kind === 'unusual' || kind === 'stopped'
  const learnt = new Map(
    (isLearnt ? bandOf(figures, [], { label: row.label, morning, days }, measure) : []).map((each) => [
      each.day,
      each,
    ]),
  )
  return Array.from({ length: days }, (_, nth): BandedDay => {
    const day = addDays(morning, nth - days)
    const index = daysBetween(figures.firstDay, day)
    const figure = figureOver(row, measure, index, index).figure
    const value = figure === null ? null : shown(figure, measure)
    const band = isLearnt ? learnt.get(day) : lineAt(row, index, rule)
    const part = (limit: number | null | undefined) =>
      limit === null || limit === undefined || !Number.isFinite(limit) ? null : shown(limit, measure)
    return { day, value, usual: part(band?.usual), low: part(band?.low), high: part(band?.high) }
  })
}

type Limits = { readonly usual: number | null; readonly low: number | null; readonly high: number | null }

function lineAt(row: NamedRow, index: number, rule: WatchRule): Limits | undefined {
  const usual = judgeDay(row, index, index, rule)?.usual
  const { condition } = rule
  if (usual === undefined) return undefined
  if (condition.kind === 'above') return { usual: null, low: null, high: usual }
  if (condition.kind === 'below') return { usual: null, low: usual, high: null }
  if (condition.kind === 'rose') return { usual, low: null, high: usual * (1 + condition.percent / 100) }
  if (condition.kind !== 'fell') return undefined
  return { usual, low: Math.max(0, usual * (1 - condition.percent / 100)), high: null }
}

/**
 * Judges the stored mornings as if the alert had been on. Yields after each morning, so that others are not held up.
 * @returns the preview, without the number of stored days
 */
export function* previewOf(
  figures: NamedFigures,
  today: Day,
  rule: WatchRule,
  code?: string,
): Generator<undefined, Omit<AlertPreview, 'storedDays'>> {
  const newest = newestDay(figures)
  const after = newest === null ? figures.firstDay : addDays(newest, 1)
  const end = after < today ? after : today
  let episodes: readonly Episode[] = []
  let mornings = 0
  const news: WatchNews[] = []
  for (let morning = addDays(figures.firstDay, 1); morning <= end; morning = addDays(morning, 1)) {
    const outcome = judgeMorning(figures, episodes, morning, rule)
    episodes = outcome.episodes
    news.push(...outcome.news)
    if (outcome.judged > 0) mornings += 1
    yield
  }
  const row = figures.rows.find(({ rule }) => code !== undefined && rule?.code === code) ?? figures.rows[0]
  const isLearnt = rule.measure !== 'rule-mix' && ['unusual', 'stopped'].includes(rule.condition.kind)
  const band = row && mornings > 0 ? chartBand(figures, row, { morning: end, days: daysRead }, rule) : []
  return {
    ...{ mornings, told: news.length, band, bandLabel: row && row.text !== '' ? row.text : null },
    bandRule: row?.rule?.code ?? null,
    tellings: news.toReversed().slice(0, maxTellings).map(tellingOf),
    noticeable: row && mornings > 0 && isLearnt ? yield* noticeable(figures, end, rule) : null,
  }
}

const tellingOf = ({
  day,
  from,
  usual,
  now,
  texts,
  labels,
  isShared,
  rule,
}: WatchNews): PreviewedTelling => ({
  ...{ day, from, usual, now, rule },
  label: labels.length === 1 && texts[0] !== '' ? (texts[0] ?? null) : null,
  rows: isShared ? 0 : Math.max(1, labels.length),
})

/** Smallest factor that would be noticed within a week in the first row, found by trying. */
function* noticeable(figures: NamedFigures, end: Day, rule: WatchRule): Generator<undefined, number | null> {
  const measure = measureOfRule(rule)
  const last = daysBetween(figures.firstDay, end) - 1
  const rows = figures.rows.slice(0, triedRows)
  const [row] = rows
  if (!row) return null
  const isTried = (index: number) => index > last - triedDays && index <= last
  for (const factor of factors) {
    const change = (counts: NamedRow['bad'], by: number, max?: NamedRow['bad']) =>
      counts.map((count, index) =>
        count === null || !isTried(index)
          ? count
          : Math.min(Math.round(count * by), max?.[index] ?? Infinity),
      )
    const changed: NamedRow =
      measure === 'bad-rate'
        ? { ...row, bad: change(row.bad, factor, row.requests) }
        : { ...row, requests: change(row.requests, 1 / factor), bad: change(row.bad, 1 / factor) }
    const tried = { ...figures, rows: [changed, ...rows.slice(1)] }
    let episodes: readonly Episode[] = []
    for (let nth = triedDays - 1; nth >= 0; nth -= 1) {
      const outcome = judgeMorning(tried, episodes, addDays(end, -nth), {
        ...rule,
        condition: { kind: 'unusual' },
      })
      if (outcome.news.some(({ labels }) => labels.includes(row.label))) return factor
      episodes = outcome.episodes
      yield
    }
  }
  return null
}
