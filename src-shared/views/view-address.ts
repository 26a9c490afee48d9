import type { CaseId } from '../cases/case.ts'
import type { RawRequestId, RawTemplateId } from '../raw/requests.ts'
import type { RawListQuery } from '../raw/list.ts'
import type { OverviewQuery, TableQuery } from '../reports/query.ts'
import type { GroupKey, GroupSort, RowsCondition, RowsSortKey } from '../archives/rows.ts'
import type { RowsFileId } from '../archives/rows-file.ts'
import type { Dimension } from '../api/dimensions.ts'
import type { RawReportId } from '../values/ids.ts'
import type { Comparison, Period } from './period.ts'

/**
 * How days are drawn: rates as lines over the volume, the parts of traffic as counts or as shares, or counts as lines.
 */
export const daysKinds = ['rate', 'stacked', 'share', 'lines'] as const
export type DaysKind = (typeof daysKinds)[number]

/** How a report is drawn: its days, or its first rows as bars. */
export const chartKinds = [...daysKinds, 'top'] as const
export type ChartKind = (typeof chartKinds)[number]

/** The chart above a table. */
export type ReportChart = {
  readonly kind: ChartKind
  /** Headers of counts; none means those that the family is usually judged by. */
  readonly measures: readonly string[]
}

export const usualChart: ReportChart = { kind: 'rate', measures: [] }

/** What every view of figures has in its address. */
export type SharedAddress = {
  readonly period: Period
  readonly compare: Comparison
} & Pick<OverviewQuery, 'instance' | 'source' | 'campaign'>

/** What All accounts shows: the overviews of all accounts over the same days. */
export type AccountsAddress = { readonly kind: 'accounts' } & Pick<SharedAddress, 'period' | 'compare'>

/** What Overview shows: both families over the same days. */
export type OverviewAddress = SharedAddress & {
  readonly kind: 'overview'
  /** By which dimension the rows that moved most are shown. */
  readonly movers: Dimension
  /** Whether they moved by their number, or by their rate; undefined means by their rate. */
  readonly moved?: 'count' | 'rate'
  /** Of how many requests a row that moved has at least; undefined means a share of all. */
  readonly min?: number
  /** How its days are drawn; undefined means by their rate. */
  readonly chart?: Exclude<DaysKind, 'rate'> | undefined
}

/** What Reports shows: a table query, with a period in place of its days. */
export type ReportAddress = SharedAddress & {
  readonly kind: 'reports'
  /** Null while no chart is shown. */
  readonly chart: ReportChart | null
} & Omit<TableQuery, 'kind' | 'range' | 'before' | 'chart' | 'instance' | 'source' | 'campaign'>

/** What the form for a new raw report begins with. */
export type RawForm =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'report'; readonly report: RawReportId }
  | { readonly kind: 'template'; readonly template: RawTemplateId }
  /** A request that waits, or was refused: the new one takes its place. */
  | { readonly kind: 'request'; readonly request: RawRequestId }
  /** The rows that the figures of a view count, by its address; limited to one count of them where `header` names one. */
  | { readonly kind: 'view'; readonly view: string; readonly header: string | null }

/** What Raw reports shows: a page of the list, the details of one report, or the form. */
export type RawAddress = {
  readonly kind: 'raw'
  /** The report whose details are open. */
  readonly report: RawReportId | null
  readonly form: RawForm | null
} & RawListQuery

/** What Raw rows shows: the archives, the rows inside some of them, groups of these rows, or what a search found. */
export type RowsAddress = {
  readonly kind: 'rows'
  /** The archives whose rows are shown; none for the list of archives. */
  readonly files: readonly RowsFileId[]
  readonly conditions: readonly RowsCondition[]
  readonly sort: readonly RowsSortKey[]
  /** What the rows are grouped by; none for the rows themselves. */
  readonly groups: readonly GroupKey[]
  readonly groupSort: GroupSort
  /** What one of a group's values has to contain; empty for all groups. */
  readonly groupSearch: string
  /** What a bar of the picture over time stands for. */
  readonly bars: 'day' | 'hour'
  /** What is looked for in all archives; empty for nothing. */
  readonly search: string
  /** Whether the rows are seen beside the figures of the tables. */
  readonly recount: boolean
  /** Whether values are shown that hold far more bad rows than their share, in place of rows or groups. */
  readonly clusters: boolean
}

/** What Cases shows: the evidence of one, or the list of all where `id` is null. */
export type CaseAddress = {
  readonly kind: 'cases'
  readonly id: CaseId | null
  /** What the list is searched for; undefined for all of them, and beside one case. */
  readonly search?: string
}

/** What Help is about: the user's guide, words and keys, what was said a while ago, the app itself. */
export const helpTopics = ['guide', 'words', 'keys', 'happened', 'about'] as const
export type HelpTopic = (typeof helpTopics)[number]
type HelpAddress = { readonly kind: 'help'; readonly topic: HelpTopic }

export type PlainView = 'downloads' | 'settings' | 'connect'

/** Where in the window one is: everything a view needs to be as it was. */
export type ViewAddress =
  | OverviewAddress
  | AccountsAddress
  | ReportAddress
  | RawAddress
  | RowsAddress
  | CaseAddress
  | HelpAddress
  | { readonly kind: PlainView }

/** One `name=value` of an address's search part. */
type Parameter = readonly [name: string, value: string]

type Parse<T> = (text: string) => T | undefined

/** The first `max` values of parameters, each key once, by the parameter that they come from. */
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

/** An address while it is read. It knows which of its parts no reader has understood: those are said to the user. */
export class AddressReader {
  readonly #path: string[]
  readonly #parameters: readonly Parameter[]
  readonly #understood = new Set<Parameter>()

  constructor(text: string) {
    const [path = '', search = ''] = text.replace(/^#?\/?/, '').split(/\?(.*)/s)
    this.#path = path.split('/')
    this.#parameters = [...new URLSearchParams(search)]
  }

  /** The parts that were not understood, in their order: the rest of the path, then parameters as `name=value`. */
  get passedOver(): readonly string[] {
    const path = this.#path.filter(Boolean).join('/')
    const parameters = this.#parameters.filter((parameter) => !this.#understood.has(parameter))
    return [path, ...parameters.map(([name, value]) => (value === '' ? name : `${name}=${value}`))].filter(
      Boolean,
    )
  }

  /** Reads one part of the path, counted from zero. */
  part<T>(place: number, parse: Parse<T>): T | undefined {
    const value = parse(this.#path[place] ?? '')
    if (value !== undefined) this.#path[place] = ''
    return value
  }

  /** Reads up to `max` different values of a list within the path. */
  partList<T extends string>(place: number, parse: Parse<T>, max: number): T[] {
    const list = (this.#path[place] ?? '').split(',').map((text): Parameter => ['', text])
    const values = parseList(list, parse, max, (value) => value)
    this.#path[place] = list.flatMap((item) => (values.has(item) ? [] : item[1])).join(',')
    return [...values.values()]
  }

  /** Reads a parameter that occurs once: a second occurrence is not understood. */
  one<T>(name: string, parse: Parse<T>): T | undefined {
    return this.both([name], ([text]) => (text === undefined ? undefined : parse(text)))
  }

  /** Reads parameters that mean something only together. */
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
   * Reads a parameter that may occur up to `max` times.
   * @param keyOf where two values must not have the same key: the key of a value
   */
  all<T>(name: string, parse: Parse<T>, max: number, keyOf?: (value: T) => string): T[] {
    const named = this.#parameters.filter((parameter) => parameter[0] === name)
    const values = parseList(named, parse, max, keyOf)
    for (const parameter of values.keys()) this.#understood.add(parameter)
    return [...values.values()]
  }

  /** Reads a text of up to `max` characters; empty is none. */
  text(name: string, max: number): string | null {
    const text = this.one(name, (value) => (value.length <= max ? value : undefined))
    return text === undefined || text === '' ? null : text
  }

  /** Reads one of some names. */
  choice<Name extends string>(name: string, names: readonly Name[]): Name | undefined {
    return this.one(name, (text) => names.find((item) => item === text))
  }

  /** Reads a whole number from `min` to `max`. */
  whole(name: string, min: number, max: number): number | undefined {
    return this.one(name, (text) => {
      const whole = /^\d{1,10}$/.test(text) ? Number(text) : -1
      return whole >= min && whole <= max ? whole : undefined
    })
  }

  /** Reads whether something is on. */
  flag(name: string): boolean {
    return this.choice(name, ['0', '1']) === '1'
  }
}
