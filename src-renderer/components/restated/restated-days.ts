import { labelText } from '#shared/reports/rows.ts'
import { restatedWords, totalAt } from '#shared/reports/answer.ts'
import type { CountChange, RestatedDays, Restatement } from '#shared/reports/answer.ts'
import type { Count } from '#shared/api/answers.ts'
import { totalWords } from '#shared/api/dimensions.ts'
import type { DayRange } from '#shared/values/day.ts'
import { count, dayBriefly, days, momentBriefly, NOTHING, signedCount } from '../formats.ts'

/** Restatements of a day, or of days that were fetched together, the newest first. */
export type RestatedGroup = { readonly range: DayRange; readonly restatements: readonly Restatement[] }

/** A formatted table; each row starts with its name. */
type WordTable = { readonly head: readonly string[]; readonly rows: readonly (readonly string[])[] }

/** Returns the label of a view's button for restated days: `Restated: 3 days`; null if there are none. */
export const restatedLabel = (restated: RestatedDays | null): string | null =>
  restated && `Restated: ${restatedWords(restated)}`

/** Groups restatements by their days; the latest restated day comes first. */
export function groupsOf(found: readonly Restatement[]): readonly RestatedGroup[] {
  const groups = new Map<string, Restatement[]>()
  for (const restatement of found) {
    const key = `${restatement.range.start} ${restatement.range.end}`
    groups.set(key, [...(groups.get(key) ?? []), restatement])
  }
  return [...groups.values()].flatMap((restatements) =>
    restatements[0] ? [{ range: restatements[0].range, restatements }] : [],
  )
}

const differenceOf = (before: Count | undefined, after: Count | undefined): number | null =>
  typeof before === 'number' && typeof after === 'number' ? after - before : null

const wordsOf = (name: string): string =>
  new Map<string, string>(Object.entries(totalWords)).get(name) ?? name

/** First and current value of each total. */
function totalsOf({ restatements }: RestatedGroup): readonly CountChange[] {
  const names = new Set(restatements.flatMap(({ totals }) => totals.map(({ name }) => name)))
  return [...names].map((name) => ({
    name,
    before: totalAt(restatements, name, 0) ?? null,
    after: totalAt(restatements, name, Infinity) ?? null,
  }))
}

/** Summary of a group: `18 Nov: +192 bad since 19 Nov, 10:12`, with the total that changed most. */
export function headlineOf(group: RestatedGroup, now: number): string {
  const { range, restatements } = group
  const named = range.start === range.end ? dayBriefly(range.start) : days(range)
  const since = momentBriefly(restatements[0]?.afterFetchedAt ?? 0, now)
  const [first] = totalsOf(group)
    .map(({ name, before, after }) => ({ name, change: differenceOf(before, after) }))
    .sort((one, other) => Math.abs(other.change ?? 0) - Math.abs(one.change ?? 0))
  if (!first) return `${named}: totals unchanged, rows changed since ${since}`
  const name = wordsOf(first.name).toLowerCase()
  return first.change === null
    ? `${named}: ${name} changed since ${since}`
    : `${named}: ${signedCount(first.change)} ${name} since ${since}`
}

/** Totals that changed, with their values over time. */
export function totalsTable(group: RestatedGroup, now: number): WordTable {
  const times = group.restatements
    .map(({ afterFetchedAt }) => afterFetchedAt)
    .sort((one, other) => one - other)
  const last = times.at(-1) ?? 0
  return {
    head: [
      'Total',
      ...times.map((time) => `Until ${momentBriefly(time, now)}`),
      `Since ${momentBriefly(last, now)}`,
      'Change',
    ],
    rows: totalsOf(group).map(({ name, before, after }) => [
      wordsOf(name),
      ...times.map((time) => count(totalAt(group.restatements, name, time - 1))),
      count(after),
      signedCount(differenceOf(before, after)),
    ]),
  }
}

/** Rows of one restatement, with one line per changed count. A missing row has a dash. */
export function rowsTable({ rows }: Restatement): WordTable {
  return {
    head: ['Row', 'Column', 'Before', 'After', 'Change'],
    rows: rows.flatMap(({ label, changes }) =>
      changes.map(({ name, before, after }) => [
        labelText(label) || NOTHING,
        name,
        count(before),
        count(after),
        signedCount(differenceOf(before, after)),
      ]),
    ),
  }
}

/** States how many rows changed if not all are listed, else null. */
export function notListed({ rows, differing }: Restatement): string | null {
  const listed = rows.filter(({ label }) => label.kind !== 'all').length
  if (differing === null) return "Only totals were saved for these days, so rows can't be compared."
  return differing > listed
    ? `${count(listed)} of ${count(differing)} changed rows, the largest changes.`
    : null
}
