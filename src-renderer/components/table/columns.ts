import { changeHeader } from '#shared/reports/change.ts'
import { comparedFigure } from '#shared/reports/row-changes.ts'
import type { ComparedFigure, TableFigure } from '#shared/reports/row-changes.ts'
import type { BaseOf } from '#shared/reports/rates.ts'
import type { Cell } from '#shared/api/answers.ts'
import type { ColumnLayout } from '#shared/views/layout.ts'
import { NOTHING, count, rate } from '../formats.ts'
import { seenHeaders } from './layout.ts'

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
    if (!baseOf || kind === 'text' || kind === 'course') return [own]
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
