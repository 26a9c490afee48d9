import type { TableRow } from '#shared/api/answers.ts'
import type { Failure } from '#shared/api/failure.ts'
import { RowElement, isLaidAlike } from './row-element.ts'
import type { Drawing, Drawn } from './row-element.ts'
import type { Area, Place } from './selection.ts'

/** The rows of a table, however they come: all at hand, or asked for where they are looked at. */
export type RowSource = {
  /** How many there are, loaded or not. */
  readonly count: number
  /** Changes when rows that were not there have come; whoever draws with it draws again. */
  readonly version: number
  /** The row at an index from 0; null while it is not there. */
  readonly row: (index: number) => TableRow | null
  /** Tells which rows are on screen, so that they are asked for; the last includes. */
  readonly want: (first: number, last: number) => void
  /** Why some of them could not be had, and how they are asked for again; where that can be. */
  readonly failure?: Failure | null
  readonly again?: () => void
}

/** Rows that are all there. */
export const rowsAtHand = (rows: readonly TableRow[]): RowSource => ({
  count: rows.length,
  version: 0,
  row: (index) => rows[index] ?? null,
  want: () => undefined,
})

/** What is marked among the rows. */
export type Marks = { readonly selected: Area | null; readonly active: Place | null }

/**
 * The rows that are on screen, out of a list of any length. As many elements as fit are made, and each shows another row
 * when its own has left: a list of 100,000 rows costs no more than a screenful. Drawn by `{#each}` they miss every second
 * frame of a scroll (npm run bench -- table: p95 33.3 ms instead of 16.7).
 */
export class RowPool {
  readonly #body: HTMLElement
  readonly #id: string
  #drawing: Drawing
  #height: number
  #rows: RowElement[] = []
  #first = 0
  #last = -1
  #missing = false
  #shift = 0

  constructor(body: HTMLElement, id: string, drawing: Drawing, height: number) {
    this.#body = body
    this.#id = id
    this.#drawing = drawing
    this.#height = height
  }

  /** Draws by these from now on. Rows are made anew only where they are laid out otherwise. */
  become(drawing: Drawing, height: number): void {
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

  /** Row `shift` stands at the first place from now on; whether another did before. */
  shiftTo(shift: number): boolean {
    if (shift === this.#shift) return false
    this.#shift = shift
    for (const element of this.#rows) hide(element)
    return true
  }

  /**
   * Shows rows `first` to `last`, ends included. A row that is not loaded shows its place behind it, and the body says that it is busy:
   * whoever scrolls fast passes by many of them, and so none of them costs anything.
   * @param anew whether rows that are shown already may have changed
   * @returns whether some of them are not loaded
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

  /** Marks what is selected and active among the rows that are shown. */
  mark({ selected, active }: Marks): void {
    for (const element of this.#rows) if (element.index >= 0) element.mark(selected, active)
  }

  /** The element of a row, where it is shown. */
  elementOf(index: number): RowElement | undefined {
    return this.#rows.find((element) => element.index === index)
  }

  /** The row in whose element something lies. */
  rowAt(target: Node): RowElement | undefined {
    return this.#rows.find(({ line, index }) => index >= 0 && line.contains(target))
  }

  /** Puts the elements into the order of their rows, in which screen readers go through them. */
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
    // Which element shows which row depends on how many there are, so all of them are to be drawn again.
    for (const element of this.#rows) hide(element)
    const more = document.createDocumentFragment()
    while (this.#rows.length < size) {
      const element = new RowElement(this.#drawing, `${this.#id}-${this.#rows.length}`, 'buttons')
      this.#rows.push(element)
      more.append(element.line)
    }
    this.#body.append(more)
  }

  #place(element: RowElement, drawn: Drawn, anew: boolean): void {
    const { row, index } = drawn
    const moved = element.index !== index
    if (moved) element.line.style.transform = `translateY(${(index - this.#shift) * this.#height}px)`
    if (moved && element.index < 0) element.line.hidden = false
    if (moved || anew || element.row !== row) element.draw(drawn)
  }

  /** What has just left the screen stays as it is until it is wanted, unless the list has changed. */
  #hideRest(): void {
    for (const element of this.#rows)
      if (element.index < this.#first || element.index > this.#last) hide(element)
  }
}

function hide(element: RowElement): void {
  element.index = -1
  element.line.hidden = true
}
