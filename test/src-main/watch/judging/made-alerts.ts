import { addDays, day } from '#shared/values/day.ts'
import { weekdays } from '#shared/watch/alerts.ts'
import type { Episode } from '#main/watch/detector/episodes.ts'
import { judgeMornings } from '#main/watch/judging/judge-mornings.ts'
import type { AlertMorning } from '#main/watch/judging/judge-mornings.ts'
import type { NamedFigures, NamedRow, WatchRule } from '#main/watch/judging/rule.ts'

/** A Monday. */
export const firstDay = day('2026-01-05')

export const ruleOf = (condition: WatchRule['condition'], changes: Partial<WatchRule> = {}): WatchRule => ({
  ...{ measure: 'bad-rate', condition, leastRequests: 0, leastChange: 0, weekdays },
  ...changes,
})

/** A row of requests and bad ones by day. */
export const rowOf = (
  text: string,
  days: readonly (readonly [number | null, number | null])[],
): NamedRow => ({
  ...{ label: `text ${text}`, text, group: null },
  requests: days.map(([requests]) => requests),
  bad: days.map(([, bad]) => bad),
})

/** Figures that are settled three days after, as they are from then on. */
export const figuresOf = (rows: readonly NamedRow[], settled = true): NamedFigures => ({
  ...{ firstDay, settlesAfter: 3, rows },
  settled: (rows[0]?.requests ?? []).map(() => settled),
})

/** Steady days of 1,000 requests, 80 of them bad, with what a test changes. */
export const steady = (
  days: number,
  change: (index: number) => readonly [number | null, number | null] | null = () => null,
) =>
  Array.from(
    { length: days },
    (_, index) => change(index) ?? ([1000 + (index % 5), 80 + (index % 3)] as const),
  )

export const morningAfter = (index: number) => addDays(firstDay, index + 1)

/** Judges the mornings after the days from one to another. */
export function mornings(
  figures: NamedFigures,
  rule: WatchRule,
  [from, to]: readonly [number, number],
  episodes: readonly Episode[] = [],
): AlertMorning[] {
  const days = { since: morningAfter(from), today: morningAfter(to) }
  return [...judgeMornings(figures, episodes, days, rule)]
}

/** News by the index of the newest day. */
export const newsIn = (judged: readonly AlertMorning[]) =>
  judged.flatMap(({ morning, news }) => news.map((each) => ({ morning, ...each })))
