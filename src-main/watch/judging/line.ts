import { daysBetween, weekdayOf } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { flappingDays, isRemembered, isStanding, withAge } from '../detector/episodes.ts'
import type { Episode } from '../detector/episodes.ts'
import { knownOn } from '../detector/figures.ts'
import type { KnownDays } from '../detector/figures.ts'
import { figureOver, measureOfRule } from './rule.ts'
import type { NamedFigures, NamedRow, WatchRule } from './rule.ts'

/** Settled days in a row that have to be back before an episode is over. */
const calmDays = 3

/** A day, the figure that it is compared with, and whether it is beyond the alert's line. Null where unknown. */
type JudgedDay = {
  readonly now: number
  readonly usual: number
  readonly isBeyond: boolean
  readonly requests: number
}

export type LineOutcome = {
  readonly episodes: readonly Episode[]
  readonly begun: readonly Episode[]
  readonly withdrawn: readonly Episode[]
}

/**
 * Judges a day by a line: a value, or the days before it. Like the detector, it asks for yesterday and for the newest
 * settled day, tells an episode once, and takes no figures for nothing.
 */
export function judgeLine(
  figures: NamedFigures,
  episodes: readonly Episode[],
  morning: Day,
  rule: WatchRule,
): LineOutcome {
  const known = knownOn(figures, morning)
  const rows = new Map(figures.rows.map((row) => [row.label, row]))
  const withdrawn: Episode[] = []
  const kept = episodes.flatMap((episode) => {
    const row = rows.get(episode.label ?? '')
    if (!isStanding(episode)) return [episode]
    const next = row ? nextState(known, row, episode, rule) : aged(episode, known)
    if (next === null) withdrawn.push(episode)
    return next ?? []
  })
  const begun: Episode[] = []
  const settledDay = known.dayAt(known.lastSettled)
  const current = figures.rows.reduce<readonly Episode[]>((others, row) => {
    const own = others.filter(({ label }) => label === row.label)
    if (own.some(isStanding) || own.some(({ ended }) => ended === morning)) return others
    if (withdrawn.some(({ label }) => label === row.label)) return others
    const episode = beginning(known, row, own, rule)
    if (!episode) return others
    const before = own.find(({ to }) => to !== null && daysBetween(to, episode.from) <= flappingDays)
    if (!before) {
      begun.push(episode)
      return [...others, episode]
    }
    const reopened: Episode = { ...before, state: 'standing', to: null, ended: null }
    return others.map((other) => (other === before ? reopened : other))
  }, kept)
  return {
    episodes: current.filter((episode) => isRemembered(episode, settledDay)),
    ...{ begun, withdrawn },
  }
}

const aged = (episode: Episode, { dayAt, lastSettled, morning }: KnownDays): Episode =>
  lastSettled < 0 ? episode : withAge(episode, dayAt(lastSettled), morning)

/** Figures that a day is compared with. @param since index of the first day of the episode, which is no part of them */
export function judgeDay(row: NamedRow, index: number, since: number, rule: WatchRule): JudgedDay | null {
  const measure = measureOfRule(rule)
  const { figure, requests } = figureOver(row, measure, index, index)
  if (figure === null) return null
  const { condition } = rule
  if (condition.kind === 'above' || condition.kind === 'below') {
    const usual = measure === 'bad-rate' ? condition.value / 100 : condition.value
    const isBeyond = condition.kind === 'above' ? figure > usual : figure < usual
    return { now: figure, usual, isBeyond, requests }
  }
  if (condition.kind !== 'rose' && condition.kind !== 'fell') return null
  const before = figureOver(row, measure, since - condition.days, since - 1, row.leftOut)
  // Nothing can be said in percent of zero, nor of a few of the days.
  if (before.figure === null || before.figure <= 0 || before.days * 2 < condition.days) return null
  const change = (figure / before.figure - 1) * 100
  const isBeyond = condition.kind === 'rose' ? change >= condition.percent : -change >= condition.percent
  return { now: figure, usual: before.figure, isBeyond, requests }
}

/** Whether a day's requests and weekday make it news. Few requests are measured before a fall. */
function isNews(judged: JudgedDay, day: Day, rule: WatchRule): boolean {
  const isFall = rule.condition.kind === 'fell' && rule.measure === 'requests'
  const requests = isFall ? judged.usual : judged.requests
  return judged.isBeyond && requests >= rule.leastRequests && rule.weekdays.includes(weekdayOf(day))
}

function beginning(
  known: KnownDays,
  row: NamedRow,
  earlier: readonly Episode[],
  rule: WatchRule,
): Episode | undefined {
  const { lastSettled, last, dayAt } = known
  for (const index of new Set([lastSettled, last])) {
    if (index < 0) continue
    const day = dayAt(index)
    if (earlier.some(({ to }) => to !== null && day < to)) continue
    const judged = judgeDay(row, index, index, rule)
    if (!judged || !isNews(judged, day, rule) || isStillUsual(known, row, earlier, rule)) continue
    return {
      ...{ kind: measureOfRule(rule), label: row.label, from: day, told: dayAt(last) },
      ...{ usual: judged.usual, now: judged.now, z: 0 },
      ...{ state: index === lastSettled ? 'standing' : 'so-far', to: null, ended: null },
    }
  }
  return undefined
}

/** Whether the row has been beyond the line ever since that became the new usual. */
function isStillUsual(
  { indexOf, last }: KnownDays,
  row: NamedRow,
  earlier: readonly Episode[],
  rule: WatchRule,
): boolean {
  const usual = earlier.findLast(({ state }) => state === 'usual')
  if (!usual?.to) return false
  for (let index = indexOf(usual.to); index <= last; index += 1)
    if (judgeDay(row, index, indexOf(usual.from), rule)?.isBeyond === false) return false
  return true
}

/** A standing episode as it is now; null if it is withdrawn. */
function nextState(known: KnownDays, row: NamedRow, episode: Episode, rule: WatchRule): Episode | null {
  const { last, lastSettled, indexOf, dayAt, morning } = known
  const from = indexOf(episode.from)
  let current = episode
  if (episode.state === 'so-far' && lastSettled >= from) {
    const judged = judgeDay(row, from, from, rule)
    if (judged && !judged.isBeyond) return null
    if (judged) current = { ...episode, state: 'standing' }
  }
  const days = Array.from({ length: last - lastSettled + calmDays }, (_, nth) =>
    judgeDay(row, last - nth, from, rule),
  )
  // Days that are not settled can only keep it standing.
  const settled = days.slice(-calmDays)
  const isOver =
    lastSettled - calmDays >= from &&
    settled.every((judged) => judged?.isBeyond === false) &&
    !days.some((judged) => judged?.isBeyond)
  if (current.state === 'standing' && isOver)
    return { ...current, state: 'over', to: dayAt(lastSettled - calmDays + 1), ended: morning }
  return aged(current, known)
}
