import type { Day } from '#shared/values/day.ts'
import { brokenRules, ruleSetsInForce } from './catalogue/rules.ts'
import type { Generated } from './generate.ts'
import { hash32 } from './random.ts'
import { isBroken, restatedVerdict } from './verdicts.ts'

const SECONDS_OF_A_WEEK = 604_800

/** How events are judged: as they were made, or anew on days that were restated. */
export type Judge = {
  readonly verdict: (event: number) => number
  /** A bit for each broken rule set. */
  readonly rules: (event: number) => number
}

/** Which events lie on restated days; undefined where none do, so that nobody looks. */
function restatedEvents({ days, dayStarts, columns }: Generated, restated: readonly Day[]) {
  const places = restated.map((day) => days.indexOf(day)).filter((place) => place >= 0)
  if (places.length === 0) return undefined
  const marks = new Uint8Array(columns.time.length)
  for (const place of places) marks.fill(1, dayStarts[place], dayStarts[place + 1])
  return marks
}

/** The judge of a moment at which these days had been restated. */
export function createJudge(made: Generated, restated: readonly Day[]): Judge {
  const { time, verdict, rules } = made.columns
  const marks = restatedEvents(made, restated)
  const original = (event: number) => verdict[event] as number
  if (marks === undefined) return { verdict: original, rules: (event) => rules[event] as number }
  const judged = (event: number) =>
    marks[event] === 1 ? restatedVerdict(original(event), event) : original(event)
  return {
    verdict: judged,
    rules: (event) => {
      if (!isBroken(judged(event))) return 0
      if (isBroken(original(event))) return rules[event] as number
      return brokenRules(
        ruleSetsInForce(Math.floor((time[event] as number) / SECONDS_OF_A_WEEK)),
        hash32(event, 9),
      )
    },
  }
}
