import type { Account } from '#shared/accounts/account.ts'
import { comparedLengths, isPerDay } from '#shared/reports/change.ts'
import type { ComparedDays, ComparedPeriods } from '#shared/reports/change.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import type { Provenance, ReportAnswer } from '#shared/reports/answer.ts'
import { figureFacts, inFiles, warningsOf } from '#shared/reports/figure-facts.ts'
import type { FigureFact, KnownFigures } from '#shared/reports/figure-facts.ts'
import { keyText } from '#shared/reports/rows.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { nameOf } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import { commonParameters } from '#shared/api/endpoints.ts'
import type { Day, DayRange } from '#shared/values/day.ts'

export type TableReport = Extract<ReportAnswer, { kind: 'table' }>

/** What has to be known of an account for what is to be known of its figures. */
export type NamedAccount = Pick<Account, 'name' | 'dayZone'>

/** Figures, and which they are, in words. */
export type FiguresOf = KnownFigures & { readonly title: string }

/** What is to be known of exported figures: it stands in every file that has a place for it. */
export type Facts = {
  readonly account: string
  readonly report: string
  readonly path: string
  readonly range: DayRange
  /** Names in words, and values. */
  readonly filters: readonly { readonly name: string; readonly value: string }[]
  readonly sort: TableQuery['sort']
  /** The figures, and what is known of them: several where several reports stand in one table. */
  readonly figures: readonly [FiguresOf, ...FiguresOf[]]
  readonly ratesBy: TableReport['ratesBy']
  /** Rows that the query finds, whether or not all of them are in the file. */
  readonly results: number
  readonly all: TableRow | null
  /** The days compared with; null where nothing is. */
  readonly compared: ComparedFact | null
}

/** The days compared with, what is known of their figures, and what else has to be known of the comparison. */
export type ComparedFact = {
  readonly range: DayRange
  readonly missing: readonly Day[]
  /** What is known of the figures of those days; null where nothing is compared. */
  readonly provenance: Provenance | null
  readonly periods: ComparedPeriods
  /** How many days are compared, where some are missing. */
  readonly days: ComparedDays | null
  /** Whether the figures to compare are of another moment than those in the file. */
  readonly isOfOtherMoment?: boolean
}

/** @param account whose figures they are */
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

/** What is known of the figures of a file, each once; whose it is, where it is not the same of all of them. */
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

/** What has to be known of the days compared with. */
function knownBefore(compared: ComparedFact | null, zone: string): readonly FigureFact[] {
  if (!compared?.provenance) return []
  const { provenance, range } = compared
  return warningsOf(figureFacts({ provenance, range, zone }, inFiles)).map((fact) => ({
    ...fact,
    name: `${fact.name} (${inFiles.days(range)})`,
    // What was restated is compared as it is now.
    mark: fact.key === 'restated' ? null : `comparison ${fact.mark}`,
  }))
}

/** When the oldest figures of a file were fetched. */
export const oldestOf = ({ figures }: Pick<Facts, 'figures'>): number =>
  Math.min(...figures.map(({ provenance }) => provenance.fetchedAt))

/** What has to be said of a comparison that is not of all days of two periods of one length. */
export const notesOn = ({ periods, days, isOfOtherMoment = false }: ComparedFact): readonly string[] =>
  comparedSentences({ periods, compared: days, isOfOtherMoment }, inFiles)

/** With what figures are compared, in words: `2026-11-06 to 2026-11-12. Compares 6 of 7 days: those saved for both periods.` */
export function comparedFact(fact: ComparedFact): string {
  const notes = notesOn(fact)
  const days = inFiles.days(fact.range)
  return notes.length === 0 ? days : `${days}. ${notes.join(' ')}`
}

/** What headers of changes add to say what has to be known of them: ` per day`, ` until 2026-11-25`. */
type ChangeMarks = { readonly count: string; readonly rate: string; readonly isDaily: boolean }

/** @param days how many days are compared, where some are missing */
export function changeMarks(
  periods: Extract<ComparedPeriods, { kind: 'periods' }>,
  days: ComparedDays | null,
): ChangeMarks {
  const isDaily = isPerDay(comparedLengths(periods, days))
  const rate = periods.leftOut.length === 0 ? '' : ` until ${periods.now.end}`
  return { count: isDaily ? ` per day${rate}` : rate, rate, isDaily }
}

/** What narrows the figures of any view, in words. */
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

/** Everything that narrows a table, in words. */
export function filtersOf(query: TableQuery): Facts['filters'] {
  const { filters } = dimensionEntry(query.dimension)
  const own: Found[] = [
    ...Object.entries(filters).map(([name, { words }]) => ({ name: words, value: query.filters[name] })),
    { name: query.startsWith ? 'Starts with' : 'Search', value: query.search },
    ...(query.where ?? []).map(({ header, is, value }) => ({
      name: 'Filter',
      value: `${header} ${limitWords[is]} ${value}`,
    })),
    ...(query.without ?? []).map((key) => ({ name: 'Without', value: keyText(key) || '(blank)' })),
  ]
  return [...commonFiltersOf(query), ...present(own)]
}
