import type { ComparedDays, ReportAnswer } from '../../src-shared/reports/answer.ts'
import type { Doubt } from '../../src-shared/reports/doubt.ts'
import { keyText } from '../../src-shared/reports/rows.ts'
import type { TableQuery } from '../../src-shared/reports/query.ts'
import { nameOf } from '../../src-shared/reports/query.ts'
import { restatedWords } from '../../src-shared/reports/restated.ts'
import type { RestatedDays } from '../../src-shared/reports/restated.ts'
import type { TableRow } from '../../src-shared/service/answers.ts'
import { dimensionEntry } from '../../src-shared/service/dimensions.ts'
import { commonParameters } from '../../src-shared/service/endpoints.ts'
import { daysBetween } from '../../src-shared/values/day.ts'
import type { Day, DayRange } from '../../src-shared/values/day.ts'

export type TableReport = Extract<ReportAnswer, { kind: 'table' }>

/** What is to be known of exported figures: it stands in every file that has a place for it. */
export type Facts = {
  readonly account: string
  readonly report: string
  readonly path: string
  readonly range: DayRange
  /** Names in words, and values. */
  readonly filters: readonly { readonly name: string; readonly value: string }[]
  readonly sort: TableQuery['sort']
  /** Milliseconds since 1970. */
  readonly fetchedAt: number
  readonly from: TableReport['provenance']['from']
  readonly missing: readonly Day[]
  /** Why the rows do not add up, as the service gives them. */
  readonly doubt: Doubt | null
  /** How many of its days the service restated since they were first kept. */
  readonly restated: RestatedDays | null
  readonly days: number
  /** Why newer figures could not be had, in words. */
  readonly notRenewed: string | null
  readonly ratesBy: TableReport['ratesBy']
  /** Rows that the query finds, whether or not all of them are in the file. */
  readonly results: number
  readonly all: TableRow | null
  /** The days compared with; null where nothing is. */
  readonly compared: ComparedFact | null
}

/** The days compared with, those of them that are missing, and how many days are compared where some are. */
export type ComparedFact = {
  readonly range: DayRange
  readonly missing: readonly Day[]
  readonly days: ComparedDays | null
}

/** @param account the account's name */
export function factsOf(account: string, { query, figures, provenance, ratesBy }: TableReport): Facts {
  const { range } = query
  return {
    account,
    report: nameOf(query),
    path: `${query.family}/${query.dimension}`,
    range,
    filters: filtersOf(query),
    sort: query.sort,
    fetchedAt: provenance.fetchedAt,
    from: provenance.from,
    missing: provenance.missing,
    doubt: provenance.doubt,
    restated: provenance.restated,
    days: daysBetween(range.start, range.end) + 1,
    notRenewed: provenance.failure?.message ?? null,
    ratesBy,
    results: figures.query.results,
    all: figures.table.all,
    compared: null,
  }
}

/** With what figures are compared, in words: `2026-11-06 to 2026-11-12, 6 of 7 days that both periods have`. */
export function comparedFact({ range, days }: ComparedFact): string {
  const words = range.start === range.end ? range.start : `${range.start} to ${range.end}`
  return days === null ? words : `${words}, ${days.days} of ${days.of} days that both periods have`
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
      name: 'Limit',
      value: `${header} ${limitWords[is]} ${value}`,
    })),
    ...(query.without ?? []).map((key) => ({ name: 'Without', value: keyText(key) || '(blank)' })),
  ]
  return [...commonFiltersOf(query), ...present(own)]
}

/** Which days the figures lack, in words: `27 of 31 days. Missing: 2026-11-03, 2026-11-04`. */
export function missingWords({ missing, days }: Pick<Facts, 'missing' | 'days'>): string | null {
  if (missing.length === 0) return null
  return `${days - missing.length} of ${days} days. Missing: ${missing.join(', ')}`
}

/** How many days were restated, in words: `2 days, the last on 2026-11-19 10:12 (UTC)`. */
export function restatedFact({ restated }: Pick<Facts, 'restated'>): string | null {
  if (restated === null) return null
  const latest = new Date(restated.latest).toISOString().slice(0, 16).replace('T', ' ')
  return `${restatedWords(restated)}, the last on ${latest} (UTC)`
}

export const isPartial = ({ missing }: Pick<Facts, 'missing'>): boolean => missing.length > 0
