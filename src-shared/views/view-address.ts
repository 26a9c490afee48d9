import type { CaseId } from '../cases/case.ts'
import type { RawRequestId, RawTemplateId } from '../raw/requests.ts'
import type { RawListQuery } from '../raw/list.ts'
import type { OverviewQuery, TableQuery } from '../reports/query.ts'
import type { GroupKey, GroupSort, RowsCondition, RowsSortKey } from '../archives/rows.ts'
import type { RowsFileId } from '../archives/rows-file.ts'
import type { Dimension } from '../api/dimensions.ts'
import type { RawReportId } from '../values/ids.ts'
import type { FindingId } from '../watch/alerts.ts'
import type { ComparedWith, Period } from './period.ts'

/** Charts of days: rates over volume, stacked counts or shares, or counts as lines. */
export const daysKinds = ['rate', 'stacked', 'share', 'lines'] as const
export type DaysKind = (typeof daysKinds)[number]

/** Charts of a report: its days, shares of broken rule sets by day, or its first rows as bars. */
export const chartKinds = [...daysKinds, 'rules', 'top'] as const
export type ChartKind = (typeof chartKinds)[number]

/** The chart above a table. */
export type ReportChart = {
  readonly kind: ChartKind
  /** Headers of counts; empty means the family's default. */
  readonly measures: readonly string[]
}

export const usualChart: ReportChart = { kind: 'rate', measures: [] }

/** State that every view of figures has in its address. */
export type SharedAddress = {
  readonly period: Period
  readonly compare: ComparedWith
} & Pick<OverviewQuery, 'instance' | 'source' | 'campaign'>

/** State of All accounts: the overviews of all accounts over the same days. */
export type AccountsAddress = { readonly kind: 'accounts' } & Pick<SharedAddress, 'period' | 'compare'>

/** State of Overview: both families over the same days. */
export type OverviewAddress = SharedAddress & {
  readonly kind: 'overview'
  /** Dimension of the movers; undefined means one that the stored tables suggest. */
  readonly movers?: Dimension
  /** Criterion of the movers; undefined means by rate. */
  readonly moved?: 'count' | 'rate'
  /** Minimum number of requests of a mover; undefined means a share of all. */
  readonly min?: number
  /** Chart of days; undefined means `rate`. */
  readonly chart?: Exclude<DaysKind, 'rate'> | undefined
}

/** State of Reports: a table query with a period in place of its days. */
export type ReportAddress = SharedAddress & {
  readonly kind: 'reports'
  /** Null if no chart is shown. */
  readonly chart: ReportChart | null
} & Omit<TableQuery, 'kind' | 'range' | 'before' | 'chart' | 'instance' | 'source' | 'campaign'>

/** Source of the prefill of a new raw report's form. */
export type RawForm =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'template'; readonly template: RawTemplateId }
  /** A queued or refused request, which the new request replaces. */
  | { readonly kind: 'request'; readonly request: RawRequestId }
  /** The rows behind a view's figures. `header` limits them to one count; null means all. */
  | { readonly kind: 'view'; readonly view: string; readonly header: string | null }

/** State of Raw reports: a page of the list, the details of a report, or the form. */
export type RawAddress = {
  readonly kind: 'raw'
  /** The report whose details are open. */
  readonly report: RawReportId | null
  readonly form: RawForm | null
} & RawListQuery

/** State of Raw rows: the archives, rows of some archives, groups of rows, or search results. */
export type RowsAddress = {
  readonly kind: 'rows'
  /** The archives whose rows are shown; empty for the list of archives. */
  readonly files: readonly RowsFileId[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
  /** Grouping; empty for the rows themselves. */
  readonly groups: readonly GroupKey[]
  readonly groupSort: GroupSort
  /** Text that a group's key must contain; empty for all groups. */
  readonly groupSearch: string
  /** Interval of one bar in the time chart. */
  readonly bars: 'day' | 'hour'
  /** Search in all archives; empty for none. */
  readonly search: string
  /** Whether the rows are shown beside the tables' figures. */
  readonly recount: boolean
  /** Whether clusters are shown in place of rows or groups: values with far more bad rows than their share. */
  readonly clusters: boolean
}

/** State of Cases: one case, or the list if `id` is null. */
export type CaseAddress = {
  readonly kind: 'cases'
  readonly id: CaseId | null
  /** Search of the list; undefined for no search, and for a single case. */
  readonly search?: string
}

/** Topics of Help: the guide, terms, keyboard shortcuts, past notices, the app. */
export const helpTopics = ['guide', 'words', 'keys', 'happened', 'about'] as const
export type HelpTopic = (typeof helpTopics)[number]
type HelpAddress = { readonly kind: 'help'; readonly topic: HelpTopic }

export type PlainView = 'today' | 'schedules' | 'downloads' | 'settings' | 'connect'

/** State of Findings: all accounts' findings, or the alerts of the active account. */
export type FindingsAddress = {
  readonly kind: 'findings'
  readonly part: 'findings' | 'alerts'
  /** The finding that is open. */
  readonly id: FindingId | null
}

/** Complete state of a view, from which it is restored. */
export type ViewAddress =
  | OverviewAddress
  | AccountsAddress
  | ReportAddress
  | RawAddress
  | RowsAddress
  | CaseAddress
  | FindingsAddress
  | HelpAddress
  | { readonly kind: PlainView }

/** A `name=value` of an address. */
type Parameter = readonly [name: string, value: string]

type Parse<T> = (text: string) => T | undefined

/** Parses up to `max` parameters, each key once. The result is by parameter. */
function parseList<T>(
  parameters: readonly Parameter[],
  parse: Parse<T>,
  max: number,
  keyOf?: (value: T) => string,
): Map<Parameter, T> {
  const values = new Map<Parameter, T>()
  const keys = new Set<string>()
  for (const parameter of parameters) {
    if (values.size === max) break
    const value = parse(parameter[1])
    const key = value !== undefined && keyOf ? keyOf(value) : String(values.size)
    if (value === undefined || keys.has(key)) continue
    keys.add(key)
    values.set(parameter, value)
  }
  return values
}

/** Parses an address and tracks the parts that no reader understood, so that the user can be informed. */
export class AddressReader {
  readonly #path: string[]
  readonly #parameters: readonly Parameter[]
  readonly #understood = new Set<Parameter>()

  constructor(text: string) {
    const [path = '', search = ''] = text.replace(/^#?\/?/, '').split(/\?(.*)/s)
    this.#path = path.split('/')
    this.#parameters = [...new URLSearchParams(search)]
  }

  /** The parts that were not understood, in order: the rest of the path, then parameters as `name=value`. */
  get passedOver(): readonly string[] {
    const path = this.#path.filter(Boolean).join('/')
    const parameters = this.#parameters.filter((parameter) => !this.#understood.has(parameter))
    return [path, ...parameters.map(([name, value]) => (value === '' ? name : `${name}=${value}`))].filter(
      Boolean,
    )
  }

  /** Parses one part of the path, counted from zero. */
  part<T>(place: number, parse: Parse<T>): T | undefined {
    const value = parse(this.#path[place] ?? '')
    if (value !== undefined) this.#path[place] = ''
    return value
  }

  /** Parses up to `max` different values of a comma-separated part of the path. */
  partList<T extends string>(place: number, parse: Parse<T>, max: number): T[] {
    const list = (this.#path[place] ?? '').split(',').map((text): Parameter => ['', text])
    const values = parseList(list, parse, max, (value) => value)
    this.#path[place] = list.flatMap((item) => (values.has(item) ? [] : item[1])).join(',')
    return [...values.values()]
  }

  /** Parses a parameter that occurs once. A second occurrence counts as not understood. */
  one<T>(name: string, parse: Parse<T>): T | undefined {
    return this.both([name], ([text]) => (text === undefined ? undefined : parse(text)))
  }

  /** Parses parameters that are only valid together. */
  both<T>(
    names: readonly string[],
    parse: (texts: readonly (string | undefined)[]) => T | undefined,
  ): T | undefined {
    const first = names.map((name) => this.#parameters.find((parameter) => parameter[0] === name))
    const value = parse(first.map((parameter) => parameter?.[1]))
    if (value !== undefined) for (const parameter of first) if (parameter) this.#understood.add(parameter)
    return value
  }

  /**
   * Parses a parameter that may occur up to `max` times.
   * @param keyOf if given, two values must not have the same key
   */
  all<T>(name: string, parse: Parse<T>, max: number, keyOf?: (value: T) => string): T[] {
    const named = this.#parameters.filter((parameter) => parameter[0] === name)
    const values = parseList(named, parse, max, keyOf)
    for (const parameter of values.keys()) this.#understood.add(parameter)
    return [...values.values()]
  }

  /** Parses a text of up to `max` characters. Returns null if empty. */
  text(name: string, max: number): string | null {
    const text = this.one(name, (value) => (value.length <= max ? value : undefined))
    return text === undefined || text === '' ? null : text
  }

  /** Parses one of several names. */
  choice<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
    return this.one(name, (text) => names.find((item) => item === text))
  }

  /** Parses an integer from `min` to `max`. */
  whole(name: string, min: number, max: number): number | undefined {
    return this.one(name, (text) => {
      const whole = /^\d{1,10}$/.test(text) ? Number(text) : -1
      return whole >= min && whole <= max ? whole : undefined
    })
  }

  /** Parses a flag. */
  flag(name: string): boolean {
    return this.choice(name, ['0', '1']) === '1'
  }
}
