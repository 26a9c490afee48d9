import type { TableRow } from '#shared/api/answers.ts'
import { unknownChange } from '#shared/reports/change.ts'
import { placesOf, widthOf, LongList } from './geometry.ts'
import type { Track } from './geometry.ts'
import { RowElement, isLaidAlike } from './row-element.ts'
import type { RowDrawing } from './row-element.ts'
import { RowPool } from './row-pool.ts'
import type { Marks, RowSource } from './row-pool.ts'
import { ALL_ROW, HEADER_ROW } from './selection.ts'
import type { CellPosition } from './selection.ts'
import { createVirtualizer, elementScroll, observeElementOffset } from '@tanstack/svelte-virtual'
import type { Rect, SvelteVirtualizer, VirtualizerOptions } from '@tanstack/svelte-virtual'

/** Content of the table. */
export type GridContent = {
  readonly drawing: RowDrawing
  readonly rows: RowSource
  readonly all: TableRow | null
  /** Sum of the rows that match a search, below the totals. */
  readonly foundRow?: TableRow | null
}

/** Rows that are rendered beyond the visible ones, so that a wheel step finds them ready. */
const OVERSCAN = 4
/** Up to this number of rows a list is rendered whole: it costs little, and can be read and searched without scrolling. */
const WHOLE = 100
/** Row of search totals, which cannot be selected. */
const FOUND_ROW = -1
/** Height of a frame without layout, in CSS pixels. */
const USUAL_HEIGHT = 800

/** Renders the visible part of a list of rows, and follows the scrolling. */
export class GridView {
  /** Scroll container. */
  readonly #frame: HTMLElement
  readonly #table: HTMLTableElement
  /** Sticky head: headers and totals. */
  readonly #head: HTMLElement
  readonly #body: HTMLElement
  readonly #id: string
  readonly #options: VirtualizerOptions<HTMLElement, HTMLElement>
  #virtualizer: SvelteVirtualizer<HTMLElement, HTMLElement> | null = null
  #pool: RowPool | null = null
  readonly #places: RowPlaces
  #all: RowElement | null = null
  #foundRow: RowElement | null = null
  #content: GridContent | null = null
  #marks: Marks = { selected: null, active: null }
  #rowHeight = 0
  /** Part of a list that is too long for the body. */
  readonly #long = new LongList()
  /** Whether changes are beneath figures. */
  #beneath = false
  #density: string | undefined
  #stop: (() => void) | null = null
  /** Visible part of the frame below the head. */
  #viewport: Rect = { width: 0, height: USUAL_HEIGHT }
  #notify: (seen: Rect) => void = () => undefined

  constructor(frame: HTMLElement, table: HTMLTableElement, id: string) {
    this.#frame = frame
    this.#table = table
    this.#head = table.tHead ?? table.createTHead()
    this.#body = table.tBodies[0] ?? table.createTBody()
    this.#places = new RowPlaces(frame)
    this.#id = id
    this.#options = {
      count: 0,
      getScrollElement: () => frame,
      estimateSize: () => this.#rowHeight,
      overscan: OVERSCAN,
      observeElementRect: (_, notify) => {
        this.#notify = notify
        notify(this.#viewport)
      },
      observeElementOffset,
      scrollToFn: elementScroll,
    }
  }

  /** Renders this content. Rows that arrive while scrolling are rendered without any measuring. */
  show(content: GridContent): void {
    const before = this.#content
    this.#content = content
    const { drawing, rows, all } = content
    if (
      !this.#pool ||
      before?.drawing !== drawing ||
      before.all !== all ||
      before.foundRow !== content.foundRow
    )
      this.#lay(content, before)
    else if (all) this.#all?.draw({ row: all, index: ALL_ROW, ...this.#marks })
    if (!this.#virtualizer) this.#follow(rows.count)
    else if (before?.rows.count !== rows.count) this.#stretch(rows.count)
    this.#draw(true)
  }

  /** Shows the selection and the active cell. */
  mark(marks: Marks): void {
    this.#marks = marks
    this.#pool?.mark(marks)
    this.#all?.mark(marks.selected, marks.active)
    this.#point()
  }

  /** Call it after the frame was resized. */
  resized(): void {
    this.#viewport = {
      width: this.#frame.clientWidth,
      height: (this.#frame.clientHeight || USUAL_HEIGHT) - this.#head.offsetHeight,
    }
    this.#places.resize(this.#head.offsetHeight, this.#viewport.height)
    this.#notify(this.#viewport)
  }

  /** Number of rows per Page Up or Page Down. */
  get page(): number {
    return Math.max(1, Math.floor(this.#viewport.height / Math.max(1, this.#rowHeight)) - 1)
  }

  /** Scrolls as little as needed to show a cell. */
  reveal({ row, column }: CellPosition): void {
    const frame = this.#frame
    if (row >= 0) {
      const place = this.#long.bringInto(row)
      if (this.#pool?.shiftTo(this.#long.shift)) this.#draw(true)
      this.#virtualizer?.scrollToIndex(place, { align: 'auto' })
    }
    const tracks = this.#content?.drawing.tracks
    const track = tracks?.[column]
    const pinned = this.#content?.drawing.pinned ?? 0
    // Pinned columns cover the columns that scroll beneath them.
    const stays = tracks?.[pinned]
    if (!track || !stays || column <= pinned) return
    const left = track.start - stays.start - stays.width
    const right = track.start + track.width - frame.clientWidth
    if (frame.scrollLeft > left) frame.scrollLeft = left
    else if (frame.scrollLeft < right) frame.scrollLeft = right
  }

  /** Setting `scrollTop` forces a layout, even if the value does not change. */
  toTop(): void {
    this.#long.toTop()
    if (this.#virtualizer?.scrollOffset !== 0) this.#frame.scrollTop = 0
  }

  /** Returns the element of a cell; null if it is not on screen. */
  elementAt(place: CellPosition): HTMLElement | null {
    const id = this.#idOf(place)
    return id === undefined ? null : document.getElementById(id)
  }

  /** Returns the cell that contains a node, in the list or the totals; null for any other. */
  placeOf(target: Node): CellPosition | null {
    const cell = target instanceof Element ? target.closest('td, th') : null
    const column = Number(cell?.getAttribute('aria-colindex') ?? 0) - 1
    if (!cell || column < 0) return null
    if (this.#all?.line.contains(cell)) return { row: ALL_ROW, column }
    const row = this.#pool?.rowAt(cell)
    return row ? { row: row.index, column } : null
  }

  close(): void {
    this.#stop?.()
    this.#places.close()
  }

  /** Applies other columns or totals. Measures only what may have changed, because each measurement forces a layout. */
  #lay(content: GridContent, before: GridContent | null): void {
    const { drawing, rows } = content
    const rowHeight = this.#heightOfRows(drawing)
    const otherHeight = rowHeight !== this.#rowHeight
    const alike = before !== null && isLaidAlike(before.drawing, drawing)
    this.#rowHeight = rowHeight
    if (this.#pool) this.#pool.become(drawing, rowHeight)
    else this.#pool = new RowPool(this.#body, this.#id, drawing, rowHeight)
    this.#drawAll(content, alike)
    if (!alike) this.#table.style.width = `${widthOf(drawing.tracks)}px`
    if (!alike) this.#places.lay(drawing.tracks, widthOf(drawing.tracks))
    if (otherHeight) this.#stretch(rows.count)
    if (otherHeight) this.#virtualizer?.measure()
    if (!alike || otherHeight || isOtherHead(before, content)) this.resized()
  }

  /** Row height depends on the density, and on whether changes are beneath figures. */
  #heightOfRows({ beneath }: RowDrawing): number {
    const { density } = document.documentElement.dataset
    if (this.#rowHeight === 0 || density !== this.#density || beneath !== this.#beneath) {
      this.#density = density
      this.#beneath = beneath
      return rowHeightOf(beneath)
    }
    return this.#rowHeight
  }

  #stretch(count: number): void {
    const places = this.#long.become(count, this.#rowHeight)
    this.#body.style.height = `${places * this.#rowHeight}px`
    this.#virtualizer?.setOptions({ ...this.#options, count: places })
  }

  #follow(count: number): void {
    const places = this.#long.become(count, this.#rowHeight)
    this.#stop = createVirtualizer({ ...this.#options, count: places }).subscribe((virtualizer) => {
      this.#virtualizer = virtualizer
      if (this.#stop) this.#draw(false)
    })
  }

  #draw(anew: boolean): void {
    const virtualizer = this.#virtualizer
    if (!this.#content || !this.#pool || !virtualizer) return
    const { rows } = this.#content
    const items = virtualizer.getVirtualItems()
    const isWhole = rows.count <= WHOLE
    const by = this.#long.follow(virtualizer.scrollOffset ?? 0, this.#viewport.height)
    if (by !== 0) return void (this.#frame.scrollTop += by)
    const { shift } = this.#long
    const first = isWhole ? 0 : (items[0]?.index ?? 0) + shift
    const last = isWhole ? rows.count - 1 : (items.at(-1)?.index ?? -1 - shift) + shift
    const shifted = this.#pool.shiftTo(shift)
    const missing = this.#pool.show(first, last, rows, this.#marks, anew || shifted)
    if (missing) this.#places.show((virtualizer.scrollOffset ?? 0) % this.#rowHeight)
    else this.#places.hide()
    if (last >= 0) rows.want(first, last)
    if (virtualizer.isScrolling) return
    this.#pool.orderRows()
    this.#point()
  }

  #drawAll({ drawing, all, foundRow }: GridContent, alike: boolean): void {
    if (!alike || !all) {
      this.#all?.line.remove()
      this.#all = null
    }
    this.#foundRow?.line.remove()
    this.#foundRow = null
    if (all) {
      const above = { ...drawing, above: 2 }
      this.#all ??= this.#lineForAll(above)
      this.#all.become(above)
      this.#all.draw({ row: all, index: ALL_ROW, ...this.#marks })
    }
    if (foundRow) this.#drawFound(drawing, foundRow)
  }

  /** Creates a row that cannot be selected. Each search has its own row, because the sum is of other rows. */
  #drawFound(drawing: RowDrawing, found: TableRow): void {
    this.#foundRow = new RowElement(
      { ...drawing, changes: () => () => unknownChange },
      `${this.#id}-found`,
      'text',
    )
    this.#foundRow.line.classList.add('all', 'found')
    this.#foundRow.draw({ row: found, index: FOUND_ROW, selected: null, active: null })
    this.#head.append(this.#foundRow.line)
  }

  #lineForAll(drawing: RowDrawing): RowElement {
    const made = new RowElement(drawing, `${this.#id}-all`, 'text')
    made.line.classList.add('all')
    this.#head.append(made.line)
    return made
  }

  /** Announces the active cell to assistive technology while it is on screen. */
  #point(): void {
    const { active } = this.#marks
    const id = active && this.#idOf(active)
    if (id) this.#table.setAttribute('aria-activedescendant', id)
    else this.#table.removeAttribute('aria-activedescendant')
  }

  #idOf({ row, column }: CellPosition): string | undefined {
    if (row === HEADER_ROW) return `${this.#id}-header-${column}`
    if (row === ALL_ROW) return this.#all?.idOf(column)
    return this.#pool?.elementOf(row)?.idOf(column)
  }
}

const isOtherHead = (before: GridContent, { all, foundRow }: GridContent): boolean =>
  (all === null) !== (before.all === null) || Boolean(foundRow) !== Boolean(before.foundRow)

/**
 * Row height in CSS pixels, from a token in `em` units. Read from the document, because the frame gets its class for changes
 * beneath only after its rows are rendered.
 */
function rowHeightOf(beneath: boolean): number {
  const tokens = getComputedStyle(document.documentElement)
  const letters = Number.parseFloat(tokens.getPropertyValue(beneath ? '--pair-height' : '--row-height'))
  const letter = Number.parseFloat(tokens.fontSize)
  return Math.round((letters || 2) * (letter || 16))
}

/**
 * Empty placeholders of rows that are still loading. The element is as large as the visible part and is behind the rows: one
 * over the whole of a long list would take the memory of many screens.
 */
class RowPlaces {
  readonly #element = document.createElement('div')

  constructor(frame: HTMLElement) {
    this.#element.className = 'places'
    this.#element.ariaHidden = 'true'
    this.#element.hidden = true
    frame.prepend(this.#element)
  }

  /** Sets the columns. */
  lay(tracks: readonly Track[], width: number): void {
    this.#element.style.width = `${width}px`
    this.#element.style.setProperty('--places', placesOf(tracks))
  }

  /** Sets the visible part, in CSS pixels: the height of the head, and the height below it. */
  resize(head: number, height: number): void {
    this.#element.style.setProperty('--from', `${head}px`)
    this.#element.style.setProperty('--height', `${height}px`)
  }

  /** @param above hidden part of the first visible row, in CSS pixels */
  show(above: number): void {
    this.#element.style.setProperty('--above', `${-above}px`)
    this.#set(false)
  }

  hide(): void {
    this.#set(true)
  }

  /** Setting `hidden` recalculates styles even if the value does not change. */
  #set(hidden: boolean): void {
    if (this.#element.hidden !== hidden) this.#element.hidden = hidden
  }

  close(): void {
    this.#element.remove()
  }
}
