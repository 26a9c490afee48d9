import type { TableRow } from '#shared/api/answers.ts'
import type { Failure } from '#shared/api/failure.ts'
import { RowElement, isLaidAlike } from './row-element.ts'
import type { RowDrawing, RowState } from './row-element.ts'
import type { Area, CellPosition } from './selection.ts'

/** Rows of a table, all loaded or loaded on demand. */
export type RowSource = {
  /** Number of rows, loaded or not. */
  readonly count: number
  /** Changes when rows have loaded. Reactive: rendering depends on it. */
  readonly version: number
  /** Returns the row at an index from 0; null if it is not loaded. */
  readonly row: (index: number) => TableRow | null
  /** Reports the visible rows, so that they are loaded; `last` is included. */
  readonly want: (first: number, last: number) => void
  /** Why rows could not be loaded, and a retry if there is one. */
  readonly failure?: Failure | null
  readonly again?: () => void
}

/** Source of rows that are all loaded. */
export const rowsAtHand = (rows: readonly TableRow[]): RowSource => ({
  count: rows.length,
  version: 0,
  row: (index) => rows[index] ?? null,
  want: () => undefined,
})

export type Marks = { readonly selected: Area | null; readonly active: CellPosition | null }

/**
 * Row elements of a list of any length. There are as many as fit, and each is reused for another row when its own scrolls
 * away. A list of 100,000 rows costs no more than a screenful. `{#each}` misses every second frame while scrolling (npm run
 * bench -- table: p95 33.3 ms instead of 16.7).
 */
export class RowPool {
  readonly #body: HTMLElement
  readonly #id: string
  #drawing: RowDrawing
  #height: number
  #rows: RowElement[] = []
  #first = 0
  #last = -1
  #missing = false
  #shift = 0

  constructor(body: HTMLElement, id: string, drawing: RowDrawing, height: number) {
    this.#body = body
    this.#id = id
    this.#drawing = drawing
    this.#height = height
  }

  /** Uses another drawing. Elements are created again only if their layout differs. */
  become(drawing: RowDrawing, height: number): void {
    const serve = height === this.#height && isLaidAlike(this.#drawing, drawing)
    this.#drawing = drawing
    this.#height = height
    if (serve) {
      for (const element of this.#rows) element.become(drawing)
      return
    }
    this.#rows = []
    this.#body.replaceChildren()
  }

  /** Moves row `shift` to the first position. Returns whether it changed. */
  shiftTo(shift: number): boolean {
    if (shift === this.#shift) return false
    this.#shift = shift
    for (const element of this.#rows) hide(element)
    return true
  }

  /**
   * Shows rows `first` to `last`, both included. Rows that are not loaded leave their placeholder visible, and the body is
   * `aria-busy`. Missing rows cost nothing, because fast scrolling passes many of them.
   * @param anew whether visible rows may have changed
   * @returns whether some rows are not loaded
   */
  show(first: number, last: number, source: RowSource, marks: Marks, anew: boolean): boolean {
    this.#grow(Math.max(0, last - first + 1))
    this.#first = first
    this.#last = last
    let missing = false
    for (let index = first; index <= last; index += 1) {
      const element = this.#rows[index % this.#rows.length]
      const row = source.row(index)
      missing ||= row === null
      if (element && row) this.#place(element, { row, index, ...marks }, anew)
      else if (element && (anew || element.index === index)) hide(element)
    }
    if (anew) this.#hideRest()
    if (missing !== this.#missing) this.#body.setAttribute('aria-busy', String(missing))
    this.#missing = missing
    return missing
  }

  mark({ selected, active }: Marks): void {
    for (const element of this.#rows) if (element.index >= 0) element.mark(selected, active)
  }

  /** Returns the element of a row, if it is visible. */
  elementOf(index: number): RowElement | undefined {
    return this.#rows.find((element) => element.index === index)
  }

  /** Returns the row element that contains a node. */
  rowAt(target: Node): RowElement | undefined {
    return this.#rows.find(({ line, index }) => index >= 0 && line.contains(target))
  }

  /** Sorts the elements by row, the order in which screen readers go through them. */
  orderRows(): void {
    let before: Element | null = null
    for (let index = this.#first; index <= this.#last; index += 1) {
      const line = this.#rows[index % this.#rows.length]?.line
      if (!line) continue
      if (line.previousElementSibling !== before) {
        if (before) before.after(line)
        else this.#body.prepend(line)
      }
      before = line
    }
  }

  #grow(size: number): void {
    if (size <= this.#rows.length) return
    // The element of a row depends on the number of elements, so all have to be redrawn.
    for (const element of this.#rows) hide(element)
    const more = document.createDocumentFragment()
    while (this.#rows.length < size) {
      const element = new RowElement(this.#drawing, `${this.#id}-${this.#rows.length}`, 'buttons')
      this.#rows.push(element)
      more.append(element.line)
    }
    this.#body.append(more)
  }

  #place(element: RowElement, drawn: RowState, anew: boolean): void {
    const { row, index } = drawn
    const moved = element.index !== index
    if (moved) element.line.style.transform = `translateY(${(index - this.#shift) * this.#height}px)`
    if (moved && element.index < 0) element.line.hidden = false
    if (moved || anew || element.row !== row) element.draw(drawn)
  }

  /** Hides elements outside the range after a change of the list. Otherwise these elements stay until reused. */
  #hideRest(): void {
    for (const element of this.#rows)
      if (element.index < this.#first || element.index > this.#last) hide(element)
  }
}

function hide(element: RowElement): void {
  element.index = -1
  element.line.hidden = true
}
