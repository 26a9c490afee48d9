import type { Cell } from '../../../src-shared/service/answers.ts'
import type { ColumnLayout } from '../../../src-shared/views/layout.ts'
import { NOTHING, count, rate } from '../formats.ts'
import { seenHeaders } from './layout.ts'

type Figure = {
  readonly header: string
  /** `cells[place]` stands in it. */
  readonly place: number
}

/** What stands under a header: the label, a count, a rate, or how much the count before it has changed. */
export type Column =
  | { readonly kind: 'label'; readonly key: string; readonly header: string }
  | ({ readonly kind: 'count' | 'rate' | 'change'; readonly key: string } & Figure)

const RATE = / Rate$/

/** A rate is known by its header, beside the count that it belongs to. */
const kindOf = (header: string, headers: readonly string[]): 'rate' | 'count' =>
  RATE.test(header) && headers.includes(header.replace(RATE, '')) ? 'rate' : 'count'

/** The columns that are seen, in their order, each count followed by its change where figures are compared. */
export function columnsOf(
  headers: readonly string[],
  layout: ColumnLayout | null,
  compared: boolean,
): Column[] {
  return seenHeaders(headers, layout).flatMap((header, index): Column[] => {
    if (index === 0) return [{ kind: 'label', key: header, header }]
    const figure = { header, place: headers.indexOf(header, 1) - 1 }
    const kind = kindOf(header, headers)
    const own: Column = { kind, key: header, ...figure }
    return kind === 'count' && compared
      ? [own, { kind: 'change', key: `${header} change`, ...figure }]
      : [own]
  })
}

/** A cell as it is read: rates are percentages, and come as numbers or as text; null and what is no number is a dash. */
export function cellText(cell: Cell | undefined, kind: 'count' | 'rate'): string {
  if (cell === null || cell === undefined || cell === '') return NOTHING
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
