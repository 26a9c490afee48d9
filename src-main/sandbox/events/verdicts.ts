import type { Family } from '#shared/api/families.ts'
import { hash32 } from './random.ts'

/** How one event was judged; an event holds the index. Script has drops (never answered) and three grades, Direct two. */
export const verdicts = ['drop', 'good', 'warning', 'bad', 'non-suspect', 'suspect'] as const

export type Verdict = (typeof verdicts)[number]

export const DROP = 0
export const GOOD = 1
export const WARNING = 2
export const BAD = 3
export const NON_SUSPECT = 4
export const SUSPECT = 5

export const familyOf = (verdict: number): Family => (verdict >= NON_SUSPECT ? 'direct' : 'script')

/** Whether traffic judged so broke rule sets. */
export const isBroken = (verdict: number): boolean =>
  verdict === WARNING || verdict === BAD || verdict === SUSPECT

/** What each verdict becomes when a day is restated. Drops stay: nothing came that could be judged anew. */
const becomes = [DROP, BAD, GOOD, WARNING, SUSPECT, NON_SUSPECT]

/** The verdict after its day was restated: one event in eight is judged anew. */
export function restatedVerdict(verdict: number, event: number): number {
  return hash32(event, 8) % 8 === 0 ? (becomes[verdict] as number) : verdict
}
