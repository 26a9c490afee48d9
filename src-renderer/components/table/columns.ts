import type { Cell, TableRow } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { changeHeader, changedHeader } from '#shared/reports/query.ts'
import type { Change, Judgement, ComparedFigure, TableFigure } from '#shared/reports/change.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { rateHeader } from '#shared/reports/rows.ts'
import type { BaseOf } from '#shared/reports/rows.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { comparedFigure } from '#shared/reports/change.ts'
import { noShareWords } from '#shared/texts/reports.ts'
import type { ColumnLayout } from '#shared/views/saved-views.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import {
  NOTHING,
  count,
  pointsBriefly,
  pointsInFull,
  rate,
  signedCount,
  signedDaily,
  signedShare,
} from '../formats.ts'

/** Change of the count or rate under `header`, beside or beneath that column. */
export type ChangeColumn = ComparedFigure & {
  readonly kind: 'change' | 'points'
  readonly key: string
  readonly header: string
}

/** A column of a table: the label, a figure, text, a course over time, or the change of the previous column. */
export type Column = PlainColumn | ChangeColumn

export type PlainColumn =
  | { readonly kind: 'label'; readonly key: string; readonly header: string; readonly shown?: string }
  /** `shown` is the text of the header, if it differs from the service's. */
  | ({ readonly kind: CellKind; readonly key: string; readonly shown?: string } & TableFigure)

/** How the cells of a column are formatted. A course is comma-separated figures over time, drawn as a line. */
export type CellKind = 'count' | 'rate' | 'text' | 'course'

export const isChange = (column: Column): column is ChangeColumn =>
  column.kind === 'change' || column.kind === 'points'

const RATE = / Rate$/

/** A column is a rate if its header ends in “Rate” and the matching count exists. */
const kindOf = (header: string, headers: readonly string[]): 'rate' | 'count' =>
  RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count'

const nothing: ReadonlySet<string> = new Set()

export type ColumnOptions = {
  /** Headers that are hidden regardless of the layout. */
  readonly leftOut?: ReadonlySet<string>
  /** Returns the kind of the cells under a header. */
  readonly kinds?: ((header: string, headers: readonly string[]) => CellKind) | undefined
  /** Returns the text of a header. */
  readonly shownAs?: (header: string) => string
}

/**
 * Returns the visible columns in order, each followed by its change if figures are compared.
 * @param baseOf null if nothing is compared
 */
export function columnsOf(
  headers: readonly string[],
  layout: ColumnLayout | null,
  baseOf: BaseOf | null,
  { leftOut = nothing, kinds = kindOf, shownAs = (header) => header }: ColumnOptions = {},
): Column[] {
  return seenHeaders(headers, layout).flatMap((header, index): Column[] => {
    if (index === 0) return [{ kind: 'label', key: header, header }]
    if (leftOut.has(header)) return []
    const kind = kinds(header, headers)
    const shown = shownAs(header)
    const own: Column = {
      ...{ kind, key: header, header, place: headers.indexOf(header, 1) - 1 },
      ...(shown !== header && { shown }),
    }
    if (!baseOf || kind === 'text' || kind === 'course' || isHidden(layout, changeHeader(header)))
      return [own]
    const count = kind === 'count' ? header : header.replace(RATE, '')
    const change: ChangeColumn = {
      kind: kind === 'count' ? 'change' : 'points',
      key: changeHeader(header),
      header,
      ...comparedFigure(headers, count, baseOf),
    }
    return [own, change]
  })
}

/** Text of a column's header. */
export const shownHeader = (column: Column): string =>
  isChange(column) ? column.header : (column.shown ?? column.header)

/** Full name of a column; for a rate it includes the count that the rate is a share of. */
export function columnWords(column: Column, baseOf: BaseOf): string {
  if (column.kind !== 'rate') return column.key
  const base = baseOf(column.header.replace(RATE, ''))
  return base === null ? column.key : `${column.key}: share of ${base}`
}

/** Explains a missing rate, as the tip of its dash. @param headers of the table */
export function noRateWords(
  { cells }: Pick<TableRow, 'cells'>,
  header: string,
  headers: readonly string[],
  baseOf: BaseOf,
): string {
  const counted = header.replace(RATE, '')
  const base = baseOf(counted) ?? counted
  const cellOf = (wanted: string) => cells[headers.indexOf(wanted, 1) - 1]
  const words = noShareWords(cellOf(counted), cellOf(base), base)
  return words === '' ? '' : `No rate: ${words}`
}

/** Formats a cell. Rates are percentages and come as numbers or text. Null and non-finite numbers become a dash. */
export function cellText(cell: Cell | undefined, kind: CellKind): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (kind === 'text' || kind === 'course') return cut(String(cell))
  if (kind === 'count') return typeof cell === 'number' ? count(cell) : cell
  const value = typeof cell === 'number' ? cell : Number(cell)
  if (Number.isFinite(value)) return rate(value)
  return typeof cell === 'number' ? NOTHING : cell
}

/** Maximum length of a label in characters. Longer labels are cut, with a button to show all. */
export const LONGEST_LABEL = 160

/** Cuts a label without splitting a surrogate pair. */
export function cut(label: string): string {
  return Array.from(label.slice(0, LONGEST_LABEL * 2))
    .slice(0, LONGEST_LABEL)
    .join('')
}

/** Limits of a dragged width, in CSS pixels. */
const NARROWEST = 56
const WIDEST = 1600

/** Every column, in the order of the headers. */
export const plainLayout: ColumnLayout = { order: [], hidden: [], widths: {} }

/**
 * Returns the headers in display order. The label is always first, then pinned headers. A header that the layout does not
 * name follows its predecessor in `headers`.
 */
export function orderedHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  // Duplicate headers count once, because a column is identified by its header only.
  const [label, ...figures] = new Set(headers)
  if (label === undefined) return []
  const named = new Set(layout?.order)
  const ordered = (layout?.order ?? []).filter((header) => figures.includes(header))
  figures.forEach((header, index) => {
    if (named.has(header)) return
    const before = figures[index - 1]
    ordered.splice(before === undefined ? 0 : ordered.indexOf(before) + 1, 0, header)
  })
  const pinned = ordered.filter((header) => isPinned(layout, header))
  return [label, ...pinned, ...ordered.filter((header) => !pinned.includes(header))]
}

/** Returns the visible headers in display order, including the label. */
export function seenHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  return orderedHeaders(headers, layout).filter((header, index) => index === 0 || !isHidden(layout, header))
}

export const isHidden = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.hidden.includes(header) ?? false

export const isPinned = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.pinned?.includes(header) ?? false

/** Parts of an address that decide which columns are visible. */
type ReportColumns = Pick<ReportAddress, 'family' | 'dimension' | 'rates' | 'rules' | 'sort' | 'where'>

/** Headers in the address's sort and filters, including those of changes. */
const headersIn = ({ sort, where = [] }: ReportColumns): readonly string[] =>
  [...sort, ...where].flatMap(({ header }) => [header, changedHeader(header) ?? header])

/** Rates that are not requested: all but the watched rate and those that the address names. */
export function ratesLeftOut(headers: readonly string[], address: ReportColumns): ReadonlySet<string> {
  const wanted = new Set([rateHeader(watchedCounts[address.family]), ...headersIn(address)])
  const isOut = (header: string) => kindOf(header, headers) === 'rate' && !wanted.has(header)
  return new Set(address.rates ? [] : headers.filter(isOut))
}

/** Default layout of a report: the volume, the watched count, its rate with its change, and headers the address names. */
export function usualLayout(headers: readonly string[], address: ReportColumns): ColumnLayout {
  const counts = headersOf(address.family, address.dimension).slice(1)
  const rate = rateHeader(watchedCounts[address.family])
  const wanted = new Set([counts[0], watchedCounts[address.family], ...headersIn(address)])
  const isOut = (header: string) =>
    kindOf(header, headers) === 'count' && !wanted.has(header) && (!address.rules || counts.includes(header))
  const changes = headers.includes(rate) ? headers.filter((header) => header !== rate) : []
  const hidden = [...headers.slice(1).filter(isOut), ...changes.map(changeHeader)]
  return { ...plainLayout, hidden: hidden.filter((header) => !wanted.has(header)) }
}

/** Shows the changes of all columns, or of rates only. */
export function withChanges(headers: readonly string[], layout: ColumnLayout, shown: boolean): ColumnLayout {
  const others = layout.hidden.filter((header) => changedHeader(header) === null)
  const counts = headers.slice(1).filter((header) => kindOf(header, headers) === 'count')
  return { ...layout, hidden: shown ? others : [...others, ...counts.map(changeHeader)] }
}

export function withPinned(layout: ColumnLayout | null, header: string, pinned: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = (before.pinned ?? []).filter((value) => value !== header)
  return { ...before, pinned: pinned ? [...others, header] : others }
}

export function withHidden(layout: ColumnLayout | null, header: string, hidden: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = before.hidden.filter((value) => value !== header)
  return { ...before, hidden: hidden ? [...others, header] : others }
}

/** Sets the width of a column, within the limits. */
export function withWidth(layout: ColumnLayout | null, key: string, width: number): ColumnLayout {
  const before = layout ?? plainLayout
  const stored = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)))
  return { ...before, widths: { ...before.widths, [key]: stored } }
}

/** Moves a column to the position of another visible one. The label stays first. */
export function withMoved(
  headers: readonly string[],
  layout: ColumnLayout | null,
  header: string,
  target: string,
): ColumnLayout {
  const before = layout ?? plainLayout
  const [, ...figures] = orderedHeaders(headers, layout)
  const from = figures.indexOf(header)
  const to = figures.indexOf(target)
  if (from < 0 || to < 0) return before
  figures.splice(to, 0, ...figures.splice(from, 1))
  return { ...before, order: [...figures, ...before.order.filter((value) => !headers.includes(value))] }
}

/** Returns the header `by` positions from another among the visible ones; undefined beyond the ends, or for the label. */
export function neighbour(
  headers: readonly string[],
  layout: ColumnLayout | null,
  header: string,
  by: 1 | -1,
): string | undefined {
  const [, ...figures] = seenHeaders(headers, layout)
  const from = figures.indexOf(header)
  return from < 0 ? undefined : figures[from + by]
}

/** Text of a change, and whether it is an improvement. */
type ChangeText = {
  readonly text: string
  readonly tone: 'better' | 'worse' | 'changed' | 'none'
}

const WAITING: ChangeText = { text: '…', tone: 'none' }
const UNKNOWN: ChangeText = { text: NOTHING, tone: 'none' }

function toneOf(news: Judgement, difference: number): ChangeText['tone'] {
  if (news !== 'none') return news === 'good' ? 'better' : 'worse'
  return difference === 0 ? 'none' : 'changed'
}

/**
 * Formats the change of a count: `+50 (+25%)`, briefly `+50`, or `+7.1/day` if the periods have unequal lengths. A row
 * without a past is “new”. There is no percentage of zero.
 * @param change undefined while loading
 */
export function countChange(change: Change | undefined, brief = false): ChangeText {
  if (!change) return WAITING
  if (change.isNew) return { text: 'new', tone: 'changed' }
  const { difference, proportion, perDay } = change
  if (difference === null) return UNKNOWN
  // In the brief form the header says “per day”.
  const words = perDay ? `${signedDaily(difference)}${brief ? '' : '/day'}` : signedCount(difference)
  const part = brief || proportion === null ? '' : ` (${signedShare(proportion)})`
  return { text: `${words}${part}`, tone: toneOf(change.countNews, difference) }
}

/** Formats the change of a rate: `−4.80` beneath a header with the unit, else `−4.80 points`, on cards `−4.8 points`. */
export function rateChange(change: Change | undefined, place: 'beneath' | 'alone' | 'cards'): ChangeText {
  if (!change) return WAITING
  const { points } = change
  if (points === null) return UNKNOWN
  const text = place === 'cards' ? pointsBriefly(points) : pointsInFull(points)
  return { text: place === 'beneath' ? text : `${text} points`, tone: toneOf(change.news, points) }
}

/**
 * Returns the sort after a click on a header: by that column only, with `begin` or the reversed direction. `adding` keeps
 * the other sort keys, up to the service's limit.
 * @param now current sort
 */
export function sortAfterClick(
  now: readonly ColumnSort[],
  header: string,
  adding: boolean,
  begin: ColumnSort['direction'] = 'desc',
): ColumnSort[] {
  const before = now.find((key) => key.header === header)
  const turned = before?.direction === 'desc' ? 'asc' : 'desc'
  const key: ColumnSort = { header, direction: before ? turned : begin }
  if (!adding) return [key]
  if (before) return now.map((columnSort) => (columnSort === before ? key : columnSort))
  return [...now.slice(0, limits.sortKeys - 1), key]
}

const places = ['first', 'second', 'third']

/**
 * Describes a column's part in the sort for screen readers.
 * @param rank index of its sort key, from 0; -1 for none
 */
export function sortWords(sort: readonly ColumnSort[], rank: number): string {
  const key = sort[rank]
  if (!key) return 'Not sorted by this column'
  const direction = key.direction === 'asc' ? 'ascending' : 'descending'
  return sort.length === 1 ? `Sorted ${direction}` : `Sorted ${places[rank] ?? 'last'}, ${direction}`
}
