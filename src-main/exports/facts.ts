import type { Account } from '#shared/accounts/account.ts'
import { comparedLengths, isPerDay } from '#shared/reports/change.ts'
import type { ComparedDays, ComparedPeriods } from '#shared/reports/change.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import type { Provenance, TableReport } from '#shared/reports/answer.ts'
import { figureFacts, inFiles, warningsOf } from '#shared/reports/figure-facts.ts'
import type { FigureFact, KnownFigures } from '#shared/reports/figure-facts.ts'
import { keyText } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { nameOf } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { commonParameters } from '#shared/api/endpoints.ts'
import type { Day, DayRange } from '#shared/values/day.ts'

/** Properties of an account that facts about its figures need. */
export type NamedAccount = Pick<Account, 'name' | 'dayZone'>

/** Figures with a title. */
export type FiguresOf = KnownFigures & { readonly title: string }

/** Facts about exported figures, written into every file that has room for them. */
export type Facts = {
  readonly account: string
  readonly report: string
  readonly path: string
  readonly range: DayRange
  /** Display names, and values. */
  readonly filters: readonly { readonly name: string; readonly value: string }[]
  readonly sort: TableQuery['sort']
  /** Figures with their provenance; several if the table combines reports. */
  readonly figures: readonly [FiguresOf, ...FiguresOf[]]
  readonly ratesBy: TableReport['ratesBy']
  /** Rows that match the query, in the file or not. */
  readonly results: number
  readonly all: TableRow | null
  /** The comparison; null if there is none. */
  readonly compared: ComparedFact | null
}

/** Facts about a comparison: its days, the provenance of their figures, and notes. */
export type ComparedFact = {
  readonly range: DayRange
  readonly missing: readonly Day[]
  /** Provenance of the figures before; null if nothing is compared. */
  readonly provenance: Provenance | null
  readonly periods: ComparedPeriods
  /** Number of compared days, if some are missing. */
  readonly days: ComparedDays | null
  /** Whether the compared figures are of another time than the figures in the file. */
  readonly isOfOtherMoment?: boolean
}

/** Returns the facts about a table. */
export function factsOf(account: NamedAccount, { query, figures, provenance, ratesBy }: TableReport): Facts {
  const { range } = query
  return {
    account: account.name,
    report: nameOf(query),
    path: `${query.family}/${query.dimension}`,
    range,
    filters: filtersOf(query),
    sort: query.sort,
    figures: [{ title: nameOf(query), provenance, range, zone: account.dayZone }],
    ratesBy,
    results: figures.query.results,
    all: figures.table.all,
    compared: null,
  }
}

/** Facts about the figures of a file, without duplicates. A fact that applies to only some figures names them. */
export function knownOf({
  figures,
  compared = null,
}: Pick<Facts, 'figures'> & Partial<Pick<Facts, 'compared'>>): readonly FigureFact[] {
  const all = figures.flatMap((figure) =>
    figureFacts(figure, inFiles).map((fact) => ({ ...fact, of: figure.title })),
  )
  const own = all.flatMap((fact, place): FigureFact[] => {
    const same = all.filter(({ key, words }) => key === fact.key && words === fact.words)
    if (same.length === figures.length) return all.indexOf(same[0] ?? fact) === place ? [fact] : []
    return [{ ...fact, name: `${fact.name} (${fact.of})` }]
  })
  return [...own, ...knownBefore(compared, figures[0].zone)]
}

/** Warnings about the figures of the days before. */
function knownBefore(compared: ComparedFact | null, zone: string): readonly FigureFact[] {
  if (!compared?.provenance) return []
  const { provenance, range } = compared
  return warningsOf(figureFacts({ provenance, range, zone }, inFiles)).map((fact) => ({
    ...fact,
    name: `${fact.name} (${inFiles.days(range)})`,
    // Restated figures are compared as they are now.
    mark: fact.key === 'restated' ? null : `comparison ${fact.mark}`,
  }))
}

/** Time at which the oldest figures of a file were fetched. */
export const oldestOf = ({ figures }: Pick<Facts, 'figures'>): number =>
  Math.min(...figures.map(({ provenance }) => provenance.fetchedAt))

/** Notes on a comparison with missing days or periods of different lengths. */
export const notesOn = ({ periods, days, isOfOtherMoment = false }: ComparedFact): readonly string[] =>
  comparedSentences({ periods, compared: days, isOfOtherMoment }, inFiles)

/** Describes a comparison: `2026-11-06 to 2026-11-12. Compares 6 of 7 days: those saved for both periods.` */
export function comparedFact(fact: ComparedFact): string {
  const notes = notesOn(fact)
  const days = inFiles.days(fact.range)
  return notes.length === 0 ? days : `${days}. ${notes.join(' ')}`
}

/** Suffixes in the headers of changes: ` per day`, ` until 2026-11-25`. */
type ChangeMarks = { readonly count: string; readonly rate: string; readonly isDaily: boolean }

/** @param days number of compared days, if some are missing */
export function changeMarks(
  periods: Extract<ComparedPeriods, { kind: 'periods' }>,
  days: ComparedDays | null,
): ChangeMarks {
  const isDaily = isPerDay(comparedLengths(periods, days))
  const rate = periods.leftOut.length === 0 ? '' : ` until ${periods.now.end}`
  return { count: isDaily ? ` per day${rate}` : rate, rate, isDaily }
}

/** Filters that any view can have, with display names. */
export function commonFiltersOf({
  instance,
  source,
  campaign,
}: Pick<TableQuery, 'instance' | 'source' | 'campaign'>): Facts['filters'] {
  return present([
    { name: `${commonParameters.instance.words} (id)`, value: instance },
    { name: commonParameters.source.words, value: source },
    { name: commonParameters.campaign.words, value: campaign },
  ])
}

type Found = { readonly name: string; readonly value: string | null | undefined }

const present = (found: readonly Found[]): Facts['filters'] =>
  found.flatMap(({ name, value }) => (value ? [{ name, value }] : []))

const limitWords = { 'at-least': 'at least', 'at-most': 'at most' } as const

/** All filters of a table, with display names. */
export function filtersOf(query: TableQuery): Facts['filters'] {
  const { filters } = dimensionEntry(query.dimension)
  const own: Found[] = [
    ...Object.entries(filters).map(([name, { words }]) => ({ name: words, value: query.filters[name] })),
    { name: query.startsWith ? 'Starts with' : 'Search', value: query.search },
    ...(query.where ?? []).map(({ header, is, value }) => ({
      name: 'Filter',
      value: `${header} ${limitWords[is]} ${value}`,
    })),
    ...(query.without ?? []).map((key) => ({ name: 'Without', value: keyText(key) || '(empty)' })),
  ]
  return [...commonFiltersOf(query), ...present(own)]
}
