import type { RawReport } from '../api/answers.ts'
import { composedOf, dimensionEntry } from '../api/dimensions.ts'
import type { Family } from '../api/dimensions.ts'
import { limits } from '../api/parameters.ts'
import type { RawFilter } from '../api/parameters.ts'
import {
  operatorNames,
  operatorsWithoutValue,
  rawStandardColumns,
  rawTypes,
  rawFilterRule,
} from '../api/raw-columns.ts'
import type { RawOperator, RawType } from '../api/raw-columns.ts'
import { keyText } from '../reports/rows.ts'
import { addDays } from '../values/day.ts'
import type { Day, DayRange } from '../values/day.ts'
import { rangeOf } from '../views/period.ts'
import type { OverviewAddress, ReportAddress } from '../views/view-address.ts'
import { checkDraft, columnWords } from './draft.ts'
import type { RawRules, RawDraft, RawDraftFilter } from './draft.ts'

/** A draft, and texts about the parts that could not be copied. */
type PrefilledDraft = { readonly draft: RawDraft; readonly left: readonly string[] }

const unique = <T>(values: readonly T[]): T[] => [...new Set(values)]

/**
 * Returns a draft that repeats a report, including its days, which may be too old by now. Unavailable parts and the
 * email are left out and listed.
 */
export function draftFrom(record: RawReport, rules: RawRules): PrefilledDraft {
  const type = rawTypes.find((rawType) => rawType === record.type.toLowerCase())
  const offered = rawStandardColumns[type ?? 'response']
  const standard = unique(record.columns.standard)
  const additional = unique(record.columns.additional ?? [])
  const isOne = (column: number) => column >= 1 && column <= rules.additional
  const bare: RawDraft = {
    type: type ?? 'response',
    instance: record.instance_id,
    start: record.start ?? rules.today,
    end: record.end ?? record.start ?? rules.today,
    name: record.name,
    standard: standard.filter((column) => offered.includes(column)),
    additional: additional.filter(isOne),
    filters: [],
    // Off by default, because the service's default may have set it (field notes: raw reports).
    email: false,
  }
  const filters = (record.filters ?? []).map(draftFilter)
  const draft = filters.reduce((all, filter) => withFilter(all, filter, rules), bare)
  const lost = [
    ...standard.filter((column) => !offered.includes(column)).map(columnWords),
    ...additional.filter((column) => !isOne(column)).map((column) => columnWords(String(column))),
    ...filters
      .filter((filter) => !draft.filters.includes(filter))
      .map(({ column }) => `the filter on ${columnWords(column)}`),
  ]
  return {
    draft,
    left: [
      ...(type ? [] : [`Unknown type ${record.type}. Choose another.`]),
      ...(record.start ? [] : ['The report does not list its days. Choose them.']),
      ...(record.send_email ? ['Email is off this time. Traffic Desk notifies you.'] : []),
      ...(lost.length > 0 ? [`Left out because not available: ${lost.join(', ')}.`] : []),
    ],
  }
}

function draftFilter({ column, operator, value = '' }: RawFilter): RawDraftFilter {
  const known = operatorNames.find((operatorName) => operatorName === operator) ?? null
  return { column, operator: known, value: known && operatorsWithoutValue.includes(known) ? '' : value }
}

/** Adds a filter if the draft stays valid. */
function withFilter(draft: RawDraft, filter: RawDraftFilter, rules: RawRules): RawDraft {
  const more = { ...draft, filters: [...draft.filters, filter] }
  const checked = checkDraft(more, rules)
  const isWrong =
    checked.kind === 'troubles' &&
    checked.troubles.some(({ filter: place }) => place === draft.filters.length)
  return isWrong ? draft : more
}

/** A view with figures. */
type FiguresView = OverviewAddress | ReportAddress

/** Column of raw reports for a table's filter. */
const columnOf: Readonly<Record<string, string>> = {
  source: 'source',
  campaign: 'campaign',
  browser: 'browser_name',
  browser_version: 'browser_version',
  os: 'os_name',
  os_version: 'os_version',
  manufacturer: 'device_manufacturer',
  model: 'device_model',
  type: 'device_type',
  country: 'country',
  region: 'region',
  city: 'city',
  network: 'network',
  connection: 'connection',
}

/** Type and result of raw reports for a table's count. */
const outcomes: Readonly<Record<Family, Readonly<Record<string, readonly [RawType, string]>>>> = {
  script: {
    Good: ['response', 'good'],
    Warning: ['response', 'warning'],
    Bad: ['response', 'bad'],
    Drops: ['request', 'drops'],
  },
  direct: { 'Non-Suspect': ['direct', 'non-suspect'], Suspect: ['direct', 'suspect'] },
}

/** Returns the type of raw report for a view, or for one of its counts. */
export function typeOfView(view: FiguresView, header: string | null): RawType {
  const family = view.kind === 'reports' ? view.family : 'script'
  return outcomes[family][header ?? '']?.[0] ?? (family === 'direct' ? 'direct' : 'response')
}

/** Limits days to those of which the service still has rows. */
function daysWithin({ start, end }: DayRange, today: Day): DayRange {
  const earliest = addDays(today, -limits.rawDaysBack)
  return { start: start < earliest ? earliest : start, end: end < earliest ? earliest : end }
}

/**
 * Returns a draft for the raw rows behind a view's figures, with the view's filters.
 * @param base draft of the view's type (typeOfView); columns of the filters are added to its columns
 * @param header additional filter by a count of the view, if raw reports support it
 */
export function draftOfView(
  view: FiguresView,
  header: string | null,
  base: RawDraft,
  today: Day,
): PrefilledDraft {
  const range = rangeOf(view.period, today)
  const days = daysWithin(range, today)
  const wanted = filtersOf(view, header)
  const filters = wanted.filter(({ column, operator }) => {
    const rule = rawFilterRule(base.type, column)
    return rule !== undefined && (operator === null || rule.operators.includes(operator))
  })
  const lost = wanted
    .filter((rawDraftFilter) => !filters.includes(rawDraftFilter))
    .map(({ column }) => columnWords(column))
  const needed = filters.filter(({ operator }) => operator !== null).map(({ column }) => column)
  return {
    draft: {
      ...base,
      ...days,
      instance: view.instance,
      standard: [...base.standard, ...needed.filter((column) => !base.standard.includes(column))],
      filters,
    },
    left: [
      ...(days.start === range.start
        ? []
        : [`The service has rows of the last ${limits.rawDaysBack} days. Earlier days are left out.`]),
      ...(lost.length > 0 ? [`Left out because raw reports have no such filter: ${lost.join(', ')}.`] : []),
      ...(view.kind === 'reports' && (view.where?.length ?? 0) > 0
        ? ["Filters on figures don't apply to raw rows."]
        : []),
      ...(view.kind === 'reports' && (view.without?.length ?? 0) > 0 && !filters.some(isLeavingOut)
        ? ['Rows left out of the table stay in the raw rows.']
        : []),
    ],
  }
}

const isLeavingOut = ({ operator }: RawDraftFilter): boolean =>
  operator === 'not_equals' || operator === 'not_contains'

/** Returns a view's filters as filters of raw reports. Only the first filter of each column is used. */
function filtersOf(view: FiguresView, header: string | null): RawDraftFilter[] {
  const is = (column: string, value: string | null | undefined, operator: RawOperator | null = 'equals') =>
    value ? [{ column, operator, value }] : []
  const common = [...is('source', view.source), ...is('campaign', view.campaign)]
  const own = view.kind === 'reports' ? ownFilters(view) : []
  const family = view.kind === 'reports' ? view.family : 'script'
  const [type, outcome] = outcomes[family][header ?? ''] ?? []
  const resultFilter = is('result', outcome, type === 'request' ? null : 'equals')
  const all = [...common, ...own, ...resultFilter]
  return all.filter(
    ({ column }, place) => all.findIndex((rawDraftFilter) => rawDraftFilter.column === column) === place,
  )
}

/** Returns the filters of a table's dimension, and its search as a filter of the label's column. */
function ownFilters({ dimension, filters, search, without }: ReportAddress): RawDraftFilter[] {
  const names = Object.keys(dimensionEntry(dimension).filters)
  // A column has only one filter, so only one row can be left out.
  const [leftOut, ...more] = without ?? []
  const named = names.flatMap((name): RawDraftFilter[] => {
    const value = filters[name] ?? ''
    const column = columnOf[name]
    return column && value !== '' ? [{ column, operator: 'equals', value }] : []
  })
  // In raw rows, the referrer is the host followed by the path.
  const referrer = `${filters['host'] ?? ''}${filters['path'] ?? ''}`
  const labels =
    composedOf(dimension) ?? columnOf[names[0] ?? ''] ?? (names[0] === 'host' ? 'referrer' : null)
  return [
    ...named,
    ...(referrer === '' ? [] : [{ column: 'referrer', operator: 'contains', value: referrer } as const]),
    ...(labels && leftOut !== undefined && more.length === 0
      ? [
          {
            column: labels,
            operator: labels === 'referrer' ? 'not_contains' : 'not_equals',
            value: keyText(leftOut),
          } as const,
        ]
      : []),
    ...(labels && search !== null ? [{ column: labels, operator: 'contains', value: search } as const] : []),
  ]
}
