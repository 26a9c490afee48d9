import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { RowChanges } from '#shared/reports/change.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { labelText, rateHeader } from '#shared/reports/rows.ts'
import { sparkPath } from '../chart/plot.ts'
import { NOTHING, count, shareOf } from '../formats.ts'
import { LONGEST_LABEL, cellText, countChange, cut, isChange, rateChange } from './columns.ts'
import type { Column } from './columns.ts'
import type { Track } from './geometry.ts'
import { covers } from './selection.ts'
import type { Area, CellPosition } from './selection.ts'

/** In characters. Longer labels may not fit in their column. */
const SHORT_LABEL = 10

/**
 * Cell of a label: a button that filters by it, and one that shows it whole if it is cut. The text node is reused, because
 * changing its text is much cheaper than replacing the node.
 */
class LabelPart {
  readonly element = document.createElement('th')
  readonly #name: HTMLElement
  readonly #text = document.createTextNode('')
  #more: HTMLButtonElement | null = null
  /** Whole label. */
  #shownLabel: string | null = null
  #mark: HTMLElement | null = null
  #shownNotes = ''

  constructor(labels: 'buttons' | 'text') {
    this.element.setAttribute('role', 'rowheader')
    this.element.className = 'label'
    this.#name = labels === 'buttons' ? quietButton('name') : document.createElement('span')
    this.#name.append(this.#text)
    this.element.append(this.#name)
  }

  /** @param notes notes on the row in words; empty for none */
  show(row: TableRow, notes: string): void {
    const label = labelText(row.label)
    if (label === this.#shownLabel && notes === this.#shownNotes) return
    this.#shownLabel = label
    this.#shownNotes = notes
    const empty = label.trim() === ''
    const whole = label.length <= LONGEST_LABEL
    const seen = whole ? label : `${cut(label)}…`
    this.#text.data = empty ? '(empty)' : seen
    this.#name.classList.toggle('quiet', empty)
    // A short label is always visible whole; longer ones get a tip.
    const tip = [...(label.length > SHORT_LABEL ? [seen] : []), ...(notes === '' ? [] : [notes])].join('\n')
    if (tip !== '') this.element.title = tip
    else this.element.removeAttribute('title')
    this.#markNotes(notes)
    if (whole) this.#more?.remove()
    else this.#offerMore()
  }

  /** Adds a mark after the name, and the notes to what a screen reader says of the row. */
  #markNotes(notes: string): void {
    if (notes === '') {
      this.#mark?.remove()
      this.element.removeAttribute('aria-description')
      return
    }
    this.#mark ??= document.createElement('i')
    this.#mark.className = 'noted'
    this.#name.after(this.#mark)
    this.element.setAttribute('aria-description', `Notes: ${notes}`)
  }

  #offerMore(): void {
    this.#more ??= quietButton('more')
    this.#more.textContent = 'More'
    this.element.append(this.#more)
  }
}

/** Creates a button that is reached through the grid instead of a tab stop for each of thousands of rows. */
function quietButton(className: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = className
  return button
}

/** In characters. Longer texts may not fit in their column. */
const SHORT_TEXT = 10

/** Cell of a figure, which reuses its text node and writes only differences. */
class FigurePart {
  readonly element = document.createElement('td')
  readonly #text = document.createTextNode('')
  #shownText = ''
  #share = -1
  #className: string

  constructor(className: string) {
    this.element.setAttribute('role', 'gridcell')
    this.element.className = this.#className = className
    this.element.append(this.#text)
  }

  /** @param share length of the bar behind the figure, in percent */
  show(text: string, share: number, className: string): void {
    if (this.#shownText !== text) this.#text.data = this.#shownText = text
    if (this.#share !== share) {
      this.#share = share
      this.element.style.backgroundSize = `${share}% 100%`
    }
    if (this.#className !== className) this.element.className = this.#className = className
  }

  /** Sets the tip for a text that may not fit. */
  explain(whole: string): void {
    const said = whole.length > SHORT_TEXT ? cut(whole) : ''
    if (this.element.title !== said) this.element.title = said
  }
}

const WIDTH = 96
const HEIGHT = 16
const SVG = 'http://www.w3.org/2000/svg'

/** Cell of a course over time: a line, and its first, last and highest value for screen readers. */
class TimelinePart {
  readonly element = document.createElement('td')
  readonly #picture = document.createElementNS(SVG, 'svg')
  readonly #path = document.createElementNS(SVG, 'path')
  #shownCell: Cell | undefined

  constructor() {
    this.element.setAttribute('role', 'gridcell')
    this.element.className = 'course'
    this.#picture.setAttribute('viewBox', `-1 -2 ${WIDTH + 2} ${HEIGHT + 4}`)
    this.#picture.setAttribute('preserveAspectRatio', 'none')
    this.#picture.setAttribute('aria-hidden', 'true')
    this.#path.setAttribute('vector-effect', 'non-scaling-stroke')
    this.#picture.append(this.#path)
    this.element.append(this.#picture)
  }

  /** @param timeline comma-separated figures */
  show(timeline: Cell | undefined): void {
    if (timeline === this.#shownCell) return
    this.#shownCell = timeline
    const values = typeof timeline === 'string' && timeline !== '' ? timeline.split(',').map(Number) : []
    this.#path.setAttribute('d', sparkPath(values, WIDTH, HEIGHT))
    this.element.setAttribute('aria-label', timelineWords(values))
  }
}

function timelineWords(values: readonly number[]): string {
  if (values.length === 0) return 'Nothing over time'
  return `From ${count(values[0])} to ${count(values.at(-1))}, at most ${count(Math.max(...values))}`
}

/** Parameters for drawing all rows. */
export type RowDrawing = {
  readonly columns: readonly Column[]
  readonly tracks: readonly Track[]
  /** Cells of the totals; bars show shares of them. */
  readonly all: readonly Cell[] | null
  /** Number of rows above the list (headers, totals), for `aria-rowindex`. */
  readonly above: number
  /** Returns the changes of a row. Called only if there are columns of changes. */
  readonly changes: (row: TableRow) => RowChanges
  /** Returns why a row has no rate under a header. */
  readonly noRate?: (row: TableRow, header: string) => string
  /** Returns the notes on a row in words; empty for none. */
  readonly notesOn?: ((row: TableRow) => string) | undefined
  /** Whether changes are beneath their columns, which makes rows higher. */
  readonly beneath: boolean
  /** Whether there is too little room for changes in full. */
  readonly brief: boolean
  /** Number of pinned columns after the label. */
  readonly pinned: number
}

export type RowState = {
  readonly row: TableRow
  readonly index: number
  readonly selected: Area | null
  readonly active: CellPosition | null
}

/** Whether row elements can be reused: both drawings have the same kinds of cells at the same positions. */
export const isLaidAlike = (one: RowDrawing, other: RowDrawing): boolean =>
  one.columns.length === other.columns.length &&
  one.pinned === other.pinned &&
  one.columns.every(({ kind }, place) => {
    const [here, there] = [one.tracks[place], other.tracks[place]]
    return kind === other.columns[place]?.kind && here?.start === there?.start && here?.width === there?.width
  })

function partOf(kind: Column['kind'], labels: 'buttons' | 'text') {
  if (kind === 'label') return new LabelPart(labels)
  return kind === 'course' ? new TimelinePart() : new FigurePart(kind)
}

/** Marks a pinned cell, which grid.css lays out. */
export function pin(element: HTMLElement, track: Track | undefined): void {
  element.dataset['pinned'] = ''
  element.style.setProperty('--at', `${track?.start ?? 0}px`)
}

/** Watched rates, tinted by steps relative to the rate of all rows. */
const tinted: ReadonlySet<string> = new Set(Object.values(watchedCounts).map(rateHeader))
const steps = [1.25, 1.75, 2.5, 4]

/** Strength of the tint, 0 to 4. */
function tintOf(cell: Cell | undefined, all: Cell | undefined): number {
  const [rate, whole] = [Number(cell ?? NaN), Number(all ?? NaN)]
  return whole > 0 ? steps.filter((step) => rate > whole * step).length : 0
}

type FigureColumn = Exclude<Column, { readonly kind: 'label' }>

/**
 * Element of one row, reused for whichever row is at its position. Scrolling creates no nodes and writes only differences.
 * Labels are untrusted, and only set as text.
 */
export class RowElement {
  readonly line = document.createElement('tr')
  /** Index of the row; -1 for none. */
  index = -1
  row: TableRow | null = null
  readonly #cells: readonly (LabelPart | FigurePart | TimelinePart)[]
  #drawing: RowDrawing
  #place = 0
  #shownMarks = ''

  /** @param id prefix of the ids of its cells */
  constructor(drawing: RowDrawing, id: string, labels: 'buttons' | 'text') {
    this.#drawing = drawing
    this.line.setAttribute('role', 'row')
    this.#cells = drawing.columns.map(({ kind }, place) => {
      const part = partOf(kind, labels)
      const { element } = part
      const track = drawing.tracks[place]
      element.id = `${id}-${place}`
      element.setAttribute('aria-colindex', String(place + 1))
      element.style.width = `${track?.width ?? 0}px`
      if (kind !== 'label') element.style.left = `${track?.start ?? 0}px`
      if (place > 0 && place <= drawing.pinned) pin(element, track)
      return part
    })
    this.line.append(...this.#cells.map(({ element }) => element))
  }

  /** Uses another drawing, for which `isLaidAlike` is true. */
  become(drawing: RowDrawing): void {
    this.#drawing = drawing
  }

  /** Returns the id of a cell. */
  idOf(column: number): string | undefined {
    return this.#cells[column]?.element.id
  }

  draw({ row, index, selected, active }: RowState): void {
    const place = index + this.#drawing.above + 1
    if (place !== this.#place) this.line.setAttribute('aria-rowindex', String((this.#place = place)))
    this.index = index
    this.row = row
    const changes = this.#drawing.columns.some(isChange) ? this.#drawing.changes(row) : null
    this.#drawing.columns.forEach((column, index) => {
      const part = this.#cells[index]
      if (part instanceof LabelPart) part.show(row, this.#drawing.notesOn?.(row) ?? '')
      else if (part instanceof TimelinePart)
        part.show(column.kind === 'course' ? row.cells[column.place] : null)
      else if (part && column.kind !== 'label') this.#drawFigure(part, column, row, changes)
    })
    this.mark(selected, active)
  }

  #drawFigure(part: FigurePart, column: FigureColumn, row: TableRow, changes: RowChanges | null): void {
    if (isChange(column)) {
      const { brief } = this.#drawing
      const change = changes?.(column)
      const { text, tone } =
        column.kind === 'change' ? countChange(change, brief) : rateChange(change, 'beneath')
      return part.show(text, 0, `${column.kind} ${tone}`)
    }
    const { kind, place } = column
    const cell = row.cells[place]
    const tint = tinted.has(column.header) ? tintOf(cell, this.#drawing.all?.[place]) : 0
    const length = kind === 'count' ? this.#share(cell, place) : tint === 0 ? 0 : 100
    const text = cellText(cell, kind)
    part.show(text, length, tint === 0 ? kind : `${kind} tint-${tint}`)
    if (kind === 'rate')
      part.explain(text === NOTHING ? (this.#drawing.noRate?.(row, column.header) ?? '') : '')
    if (kind === 'text') part.explain(typeof cell === 'string' ? cell : '')
  }

  /** Shows the selection and the active cell. */
  mark(selected: Area | null, active: CellPosition | null): void {
    const inside = selected && this.index >= selected.top && this.index <= selected.bottom ? selected : null
    const here = active?.row === this.index ? active.column : -1
    const marked = inside ? `${inside.left} ${inside.right} ${here}` : `${here}`
    if (marked === this.#shownMarks) return
    this.#shownMarks = marked
    this.#cells.forEach(({ element }, column) => {
      const chosen = inside !== null && covers(inside, this.index, column)
      if (chosen) element.setAttribute('aria-selected', 'true')
      else element.removeAttribute('aria-selected')
      element.toggleAttribute('data-active', column === here)
    })
  }

  #share(cell: Cell | undefined, place: number): number {
    const whole = this.#drawing.all?.[place]
    const share = shareOf(typeof cell === 'number' ? cell : null, typeof whole === 'number' ? whole : null)
    // A shorter bar would look like an edge.
    if (share === null || share < 0.015) return 0
    return Math.round(Math.min(1, share) * 1000) / 10
  }
}
