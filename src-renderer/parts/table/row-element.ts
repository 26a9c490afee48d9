import { labelText } from '../../../src-shared/reports/labels.ts'
import type { Cell, TableRow } from '../../../src-shared/service/answers.ts'
import { shareOf } from '../formats.ts'
import { changeOf } from './changes.ts'
import type { RowBefore } from './changes.ts'
import type { Column } from './columns.ts'
import { LONGEST_LABEL, cellText, cut } from './columns.ts'
import type { Track } from './geometry.ts'
import { covers } from './selection.ts'
import type { Area, Place } from './selection.ts'

/** What all rows are drawn by. */
export type Drawing = {
  readonly columns: readonly Column[]
  readonly tracks: readonly Track[]
  /** The cells of the row for all: bars show shares of them. */
  readonly all: readonly Cell[] | null
  /** How many rows stand above the list, for `aria-rowindex`: the headers, and the row for all. */
  readonly above: number
  /** What stood in a row before; looked at by columns of changes alone. */
  readonly before: (row: TableRow) => RowBefore
  /** Where a header stands in what was before; -1 where it does not. */
  readonly placeBefore: (header: string) => number
}

/** A row as it is to be drawn; null while it is not loaded. */
export type Drawn = {
  readonly row: TableRow | null
  readonly index: number
  readonly selected: Area | null
  readonly active: Place | null
}

type CellPart = { readonly element: HTMLElement; text: string; share: number; className: string }

/**
 * One row of the list, drawn again and again for whichever row stands in its place. Nothing is made while the list
 * scrolls: only what differs is written. Labels are hostile: they only ever become text.
 */
export class RowElement {
  readonly line = document.createElement('tr')
  /** Which row it shows; -1 for none. */
  index = -1
  row: TableRow | null = null
  readonly #cells: CellPart[]
  readonly #label: LabelPart
  readonly #drawing: Drawing
  #marked = ''

  /** @param id begins the ids of its cells */
  constructor(drawing: Drawing, id: string, labels: 'buttons' | 'text') {
    this.#drawing = drawing
    this.#label = new LabelPart(labels)
    this.line.setAttribute('role', 'row')
    this.#cells = drawing.columns.map((column, at) => {
      const element = column.kind === 'label' ? this.#label.element : figureElement(column)
      const track = drawing.tracks[at]
      element.id = `${id}-${at}`
      element.setAttribute('aria-colindex', String(at + 1))
      element.style.width = `${track?.width ?? 0}px`
      if (column.kind !== 'label') element.style.left = `${track?.start ?? 0}px`
      return { element, text: '', share: -1, className: element.className }
    })
    this.line.append(...this.#cells.map(({ element }) => element))
  }

  /** The id of a cell, for whoever points to the active one. */
  idOf(column: number): string | undefined {
    return this.#cells[column]?.element.id
  }

  /** Draws a row in this one's place. */
  draw({ row, index, selected, active }: Drawn): void {
    // The row for all stands at the place that no row begins at.
    if (index !== this.index || index < 0)
      this.line.setAttribute('aria-rowindex', String(index + this.#drawing.above + 1))
    this.index = index
    this.row = row
    this.line.classList.toggle('pending', row === null)
    const before =
      row && this.#drawing.columns.some(({ kind }) => kind === 'change') ? this.#drawing.before(row) : null
    this.#drawing.columns.forEach((column, at) => {
      const part = this.#cells[at]
      if (!part) return
      if (column.kind === 'label') this.#label.show(row)
      else if (row === null) write(part, '', 0, column.kind)
      else if (column.kind === 'change') {
        const place = this.#drawing.placeBefore(column.header)
        const { text, tone } = changeOf(column.header, row.cells[column.place], before, place)
        write(part, text, 0, `change ${tone}`)
      } else {
        const cell = row.cells[column.place]
        write(
          part,
          cellText(cell, column.kind),
          column.kind === 'count' ? this.#share(cell, column.place) : 0,
          column.kind,
        )
      }
    })
    this.mark(selected, active)
  }

  /** Shows which of its cells are selected, and which is the active one. */
  mark(selected: Area | null, active: Place | null): void {
    const inside = selected && this.index >= selected.top && this.index <= selected.bottom ? selected : null
    const here = active?.row === this.index ? active.column : -1
    const marked = inside ? `${inside.left} ${inside.right} ${here}` : `${here}`
    if (marked === this.#marked) return
    this.#marked = marked
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
    // Less than this is no bar, but a line that looks like an edge.
    if (share === null || share < 0.005) return 0
    return Math.round(Math.min(1, share) * 1000) / 10
  }
}

function figureElement(column: Column): HTMLElement {
  const element = document.createElement('td')
  element.setAttribute('role', 'gridcell')
  element.className = column.kind
  return element
}

/** Writes what differs from what stands there. `share` is the length of the bar, in per cent. */
function write(part: CellPart, text: string, share: number, className: string): void {
  if (part.text !== text) part.element.textContent = part.text = text
  if (part.share !== share) {
    part.share = share
    part.element.style.backgroundSize = `${share}% 100%`
  }
  if (part.className !== className) part.element.className = part.className = className
}

/** The cell of a label: a button that limits to it, and one to read it whole where it is cut. */
class LabelPart {
  readonly element = document.createElement('th')
  readonly #text: HTMLElement
  #more: HTMLButtonElement | null = null
  #shown: string | null = null

  constructor(labels: 'buttons' | 'text') {
    this.element.setAttribute('role', 'rowheader')
    this.element.className = 'label'
    this.#text = labels === 'buttons' ? quietButton('name') : document.createElement('span')
    this.element.append(this.#text)
  }

  show(row: TableRow | null): void {
    const label = row ? labelText(row.label) : ''
    if (label === this.#shown && row !== null) return
    this.#shown = row ? label : null
    const empty = row !== null && label.trim() === ''
    this.#text.textContent = empty ? '(empty)' : label.length > LONGEST_LABEL ? `${cut(label)}…` : label
    this.#text.classList.toggle('quiet', empty)
    // What is short is seen whole; the browser shows the rest beside the pointer.
    if (label.length > 20) this.element.title = label.length > LONGEST_LABEL ? `${cut(label)}…` : label
    else this.element.removeAttribute('title')
    if (label.length > LONGEST_LABEL) this.#offerMore()
    else this.#more?.remove()
  }

  #offerMore(): void {
    this.#more ??= quietButton('more')
    this.#more.textContent = 'More'
    this.element.append(this.#more)
  }
}

/** A button that the keys reach through the grid, not by a stop of its own for each of thousands of rows. */
function quietButton(className: string): HTMLButtonElement {
  const button = document.createElement('button')
  button.type = 'button'
  button.tabIndex = -1
  button.className = className
  return button
}
