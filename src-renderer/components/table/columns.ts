import type { Cell, TableRow } from '#shared/api/answers.ts'
import { limits } from '#shared/api/parameters.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { changeHeader, changedHeader } from '#shared/reports/query.ts'
import type { Change, News, ComparedFigure, TableFigure } from '#shared/reports/change.ts'
import type { ColumnSort } from '#shared/reports/query.ts'
import { rateHeader } from '#shared/reports/rows.ts'
import type { BaseOf } from '#shared/reports/rows.ts'
import { watched } from '#shared/reports/overview-figures.ts'
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

/** By how much the count or the rate under `header` has changed. It stands beside that column, or beneath it. */
export type ChangeColumn = ComparedFigure & {
  readonly kind: 'change' | 'points'
  readonly key: string
  readonly header: string
}

/** What stands under a header: the label, a figure, text, a course over time, or how much the column before it has changed. */
export type Column = PlainColumn | ChangeColumn

export type PlainColumn =
  | { readonly kind: 'label'; readonly key: string; readonly header: string; readonly shown?: string }
  /** `shown` is what stands in its header, where that is not what the service calls it. */
  | ({ readonly kind: CellKind; readonly key: string; readonly shown?: string } & TableFigure)

/** How the cells of a column are read. A course is figures over time, with commas between them, and drawn as a line. */
export type CellKind = 'count' | 'rate' | 'text' | 'course'

/** Whether a column belongs to the one before it. */
export const isChange = (column: Column): column is ChangeColumn =>
  column.kind === 'change' || column.kind === 'points'

const RATE = / Rate$/

/** A rate is known by its header, beside the count that it belongs to. */
const kindOf = (header: string, headers: readonly string[]): 'rate' | 'count' =>
  RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count'

const nothing: ReadonlySet<string> = new Set()

/**
 * The columns that are seen, in their order, each followed by its change where figures are compared.
 * @param baseOf where figures are compared; null where they are not
 * @param leftOut headers that are not shown whatever the layout says
 * @param shownAs what a header is called where that is not what the service calls it
 * @param kinds how the cells under a header are read
 */
export function columnsOf(
  headers: readonly string[],
  layout: ColumnLayout | null,
  baseOf: BaseOf | null,
  leftOut: ReadonlySet<string> = nothing,
  kinds: (header: string, headers: readonly string[]) => CellKind = kindOf,
  shownAs: (header: string) => string = (header) => header,
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

/** What stands in a column's header. */
export const shownHeader = (column: Column): string =>
  isChange(column) ? column.header : (column.shown ?? column.header)

/** What a column is called in full: of which count a rate is a share. */
export function columnWords(column: Column, baseOf: BaseOf): string {
  if (column.kind !== 'rate') return column.key
  const base = baseOf(column.header.replace(RATE, ''))
  return base === null ? column.key : `${column.key}: share of ${base}`
}

/** Why there is no rate in a row, for who points at its dash. @param headers of the table */
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

/** A cell as it is read: rates are percentages, and come as numbers or as text; null and what is no number is a dash. */
export function cellText(cell: Cell | undefined, kind: CellKind): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
  if (kind === 'text' || kind === 'course') return cut(String(cell))
  if (kind === 'count') return typeof cell === 'number' ? count(cell) : cell
  const value = typeof cell === 'number' ? cell : Number(cell)
  if (Number.isFinite(value)) return rate(value)
  return typeof cell === 'number' ? NOTHING : cell
}

/** Labels longer than this are cut, with a button to read them whole. */
export const LONGEST_LABEL = 160

/** The beginning of a long label, never ending inside a character. */
export function cut(label: string): string {
  return Array.from(label.slice(0, LONGEST_LABEL * 2))
    .slice(0, LONGEST_LABEL)
    .join('')
}

/** Widths that a column can be dragged to, in CSS pixels. */
const NARROWEST = 56
const WIDEST = 1600

/** Columns as they come. */
export const plainLayout: ColumnLayout = { order: [], hidden: [], widths: {} }

/**
 * A table's headers in the order in which they stand. The label's column is always the first. Headers that the layout
 * does not name stand as they come: after the one that comes before them. Those that are pinned come before the others.
 */
export function orderedHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  // A header that comes twice counts where it comes first: columns are known by nothing else.
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

/** The headers that are seen, in their order; the label's is always among them. */
export function seenHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  return orderedHeaders(headers, layout).filter((header, index) => index === 0 || !isHidden(layout, header))
}

export const isHidden = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.hidden.includes(header) ?? false

export const isPinned = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.pinned?.includes(header) ?? false

/** What of an address says which columns of its report are seen. */
type ReportColumns = Pick<ReportAddress, 'family' | 'dimension' | 'rates' | 'rules' | 'sort' | 'where'>

/** Columns that an address names by its order and limits, changes of columns among them. */
const named = ({ sort, where = [] }: ReportColumns): readonly string[] =>
  [...sort, ...where].flatMap(({ header }) => [header, changedHeader(header) ?? header])

/** Rates that are not asked for: all but the watched one. */
export function ratesLeftOut(headers: readonly string[], address: ReportColumns): ReadonlySet<string> {
  const wanted = new Set([rateHeader(watched[address.family]), ...named(address)])
  const isOut = (header: string) => kindOf(header, headers) === 'rate' && !wanted.has(header)
  return new Set(address.rates ? [] : headers.filter(isOut))
}

/**
 * How the columns of a report stand where nobody laid them out: the volume, the watched count, its rate and by how much that
 * has changed, and what the address asks for besides. The others are hidden.
 */
export function usualLayout(headers: readonly string[], address: ReportColumns): ColumnLayout {
  const counts = headersOf(address.family, address.dimension).slice(1)
  const rate = rateHeader(watched[address.family])
  const wanted = new Set([counts[0], watched[address.family], ...named(address)])
  const isOut = (header: string) =>
    kindOf(header, headers) === 'count' && !wanted.has(header) && (!address.rules || counts.includes(header))
  const changes = headers.includes(rate) ? headers.filter((header) => header !== rate) : []
  const hidden = [...headers.slice(1).filter(isOut), ...changes.map(changeHeader)]
  return { ...plainLayout, hidden: hidden.filter((header) => !wanted.has(header)) }
}

/** The layout with the changes of all columns, or of rates alone. */
export function withChanges(headers: readonly string[], layout: ColumnLayout, shown: boolean): ColumnLayout {
  const others = layout.hidden.filter((header) => changedHeader(header) === null)
  const counts = headers.slice(1).filter((header) => kindOf(header, headers) === 'count')
  return { ...layout, hidden: shown ? others : [...others, ...counts.map(changeHeader)] }
}

/** The layout with a column pinned beside the label, or let go again. */
export function withPinned(layout: ColumnLayout | null, header: string, pinned: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = (before.pinned ?? []).filter((value) => value !== header)
  return { ...before, pinned: pinned ? [...others, header] : others }
}

/** The layout with a column hidden, or shown again. */
export function withHidden(layout: ColumnLayout | null, header: string, hidden: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = before.hidden.filter((value) => value !== header)
  return { ...before, hidden: hidden ? [...others, header] : others }
}

/** The layout with a column of another width. */
export function withWidth(layout: ColumnLayout | null, key: string, width: number): ColumnLayout {
  const before = layout ?? plainLayout
  const stored = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)))
  return { ...before, widths: { ...before.widths, [key]: stored } }
}

/**
 * The layout with a column moved to where another stands that is seen. The label's column stays where it is, and
 * nothing comes before it.
 */
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

/** The header `by` places from another among those that are seen; undefined where there is none to move to. */
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

/** A difference as it is read, and whether it is for the better. */
type ChangeText = {
  readonly text: string
  readonly tone: 'better' | 'worse' | 'changed' | 'none'
}

const WAITING: ChangeText = { text: '…', tone: 'none' }
const UNKNOWN: ChangeText = { text: NOTHING, tone: 'none' }

function toneOf(news: News, difference: number): ChangeText['tone'] {
  if (news !== 'none') return news === 'good' ? 'better' : 'worse'
  return difference === 0 ? 'none' : 'changed'
}

/**
 * By how much a count has changed: `+50 (+25%)`, or `+50` where there is little room; `+7.1/day` where the periods are of unequal
 * length. A row that was not there is new; where nothing was counted before there is no percentage.
 * @param change undefined while it is not known
 */
export function countChange(change: Change | undefined, brief = false): ChangeText {
  if (!change) return WAITING
  if (change.isNew) return { text: 'new', tone: 'changed' }
  const { difference, proportion, perDay } = change
  if (difference === null) return UNKNOWN
  // Where there is little room, the header says it.
  const words = perDay ? `${signedDaily(difference)}${brief ? '' : '/day'}` : signedCount(difference)
  const part = brief || proportion === null ? '' : ` (${signedShare(proportion)})`
  return { text: `${words}${part}`, tone: toneOf(change.countNews, difference) }
}

/**
 * By how much a rate has changed, in points: `−4.80` beneath a header that says so, else `−4.80 points`; on cards as exact as
 * shares are there, `−4.8 points`.
 */
export function rateChange(change: Change | undefined, place: 'beneath' | 'alone' | 'cards'): ChangeText {
  if (!change) return WAITING
  const { points } = change
  if (points === null) return UNKNOWN
  const text = place === 'cards' ? pointsBriefly(points) : pointsInFull(points)
  return { text: place === 'beneath' ? text : `${text} points`, tone: toneOf(change.news, points) }
}

/**
 * The sort after a header was clicked: that column alone, `begin` first, or the other way round where it was sorted
 * already. `adding` keeps the keys before it, as many as the service takes.
 * @param now the sort that holds
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
 * How a column takes part in the sort, in words for who does not see arrows and numbers.
 * @param rank which key it is, from 0; -1 for none
 */
export function sortWords(sort: readonly ColumnSort[], rank: number): string {
  const key = sort[rank]
  if (!key) return 'Not sorted by this column'
  const direction = key.direction === 'asc' ? 'ascending' : 'descending'
  return sort.length === 1 ? `Sorted ${direction}` : `Sorted ${places[rank] ?? 'last'}, ${direction}`
}
