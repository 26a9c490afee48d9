import { labelText } from '#shared/reports/rows.ts'
import type { Label, TableRow } from '#shared/api/answers.ts'
import type { Column } from './columns.ts'
import { LONGEST_LABEL } from './columns.ts'
import { copyOf } from './copying.ts'
import type { Copy } from './copying.ts'
import type { Area, Bounds, Intent, CellPosition, CellSelection } from './selection.ts'
import {
  ALL_ROW,
  HEADER_ROW,
  TypeAhead,
  areaOf,
  onlyCell,
  covers,
  everything,
  findLabel,
  intentOf,
  isOneCell,
  isSame,
  moved,
  within,
} from './selection.ts'
import type { GridContent, GridView } from './grid-view.ts'

/** Target of a cell's action. */
export type ChosenCell = {
  readonly row: TableRow
  readonly column: Column
  readonly element: HTMLElement
}

/** Actions that a table delegates to its view. */
type GridActions = {
  readonly sort: (header: string, adding: boolean) => void
  /** Filters by a row's label, or opens the row's details. */
  readonly activate: (label: Label, row: TableRow) => void
  /** Offers actions for a cell other than a label; `element` anchors the menu. */
  readonly openCell: ((cell: ChosenCell) => void) | null
  readonly copy: (copy: Copy) => void
  readonly readWhole: (label: string) => void
  readonly resize: (column: Column, by: 1 | -1) => void
  readonly moveColumn: (column: Column, by: 1 | -1) => void
  /** Null if there is no menu, or if `openCell` is offered instead. */
  readonly menu: ((event: MouseEvent, request: MenuRequest) => void) | null
}

/** Target of a context menu: a cell, or a header, whose row is null. */
export type MenuRequest = {
  readonly column: Column
  readonly row: TableRow | null
  /** Copies the selection, or the column of a header. */
  readonly copy: () => void
  /** Anchor of the menu. */
  readonly element: Element | null
}

/** Keyboard and pointer input of a table: navigation, selection, copying, filtering by a label. */
export class GridController {
  selection = $state.raw<CellSelection>(onlyCell({ row: 0, column: 0 }))
  readonly #view: () => GridView | null
  readonly #content: () => GridContent | null
  readonly #actions: GridActions
  readonly #typeAhead = new TypeAhead()
  #dragging = false

  constructor(view: () => GridView | null, content: () => GridContent | null, actions: GridActions) {
    this.#view = view
    this.#content = content
    this.#actions = actions
  }

  /** Cell that has the keyboard focus. */
  get active(): CellPosition {
    return this.selection.to
  }

  /** Selected cells; null if only the active cell is selected. */
  get selected(): Area | null {
    return isOneCell(this.selection) ? null : areaOf(this.selection)
  }

  /** Resets the selection for new rows to the first cell. A header stays active, because it may have caused the new sort. */
  begin(): void {
    const { row, column } = this.active
    this.selection = onlyCell(row === HEADER_ROW ? { row, column } : { row: 0, column: 0 })
  }

  /** Moves the selection into a table that has shrunk. */
  stayWithin(): void {
    const { from, to } = this.selection
    const bounds = this.#bounds
    const [nearFrom, nearTo] = [within(from, bounds), within(to, bounds)]
    if (!isSame(from, nearFrom) || !isSame(to, nearTo)) this.selection = { from: nearFrom, to: nearTo }
  }

  keydown = (event: KeyboardEvent): void => {
    const intent = intentOf(event)
    if (!intent || !this.#do(intent, event.timeStamp)) return
    event.preventDefault()
    event.stopPropagation()
  }

  pointerdown = (event: PointerEvent): void => {
    const { target } = event
    if (event.button !== 0 || !(target instanceof Element)) return
    const place = this.#view()?.placeOf(target)
    if (!place) return
    this.#dragging = true
    this.selection = event.shiftKey ? { from: this.selection.from, to: place } : onlyCell(place)
  }

  pointermove = (event: PointerEvent): void => {
    if (!this.#dragging || event.buttons !== 1 || !(event.target instanceof Element)) return
    const place = this.#view()?.placeOf(event.target)
    const { to } = this.selection
    if (!place || isSame(place, to)) return
    this.selection = { from: this.selection.from, to: place }
    this.#view()?.reveal(place)
  }

  pointerup = (): void => {
    this.#dragging = false
  }

  /** Handles a click on a label's button, unless a range is selected. */
  click = (event: MouseEvent): void => {
    const button = event.target instanceof Element ? event.target.closest('button') : null
    const place = button && this.#view()?.placeOf(button)
    if (!button || !place || place.row < 0 || event.shiftKey || !isOneCell(this.selection)) return
    const row = this.#content()?.rows.row(place.row)
    if (!row) return
    if (button.classList.contains('more')) this.#actions.readWhole(labelText(row.label))
    else this.#actions.activate(row.label, row)
  }

  doubleclick = (event: MouseEvent): void => {
    const place = event.target instanceof Element && this.#view()?.placeOf(event.target)
    if (place && place.column > 0) this.#openCell(place)
  }

  /** Opens the menu of the cell under the pointer, or of the active cell for a keyboard event. */
  contextmenu = (event: MouseEvent): void => {
    const { target, currentTarget } = event
    const content = this.#content()
    if (!content || !(target instanceof Element)) return
    const place = target === currentTarget ? this.active : this.#placeUnder(target)
    const column = place && content.drawing.columns[place.column]
    if (!place || !column) return
    if (this.#actions.openCell) {
      if (!this.#openCell(place)) return
      event.preventDefault()
      if (!this.selected) this.selection = onlyCell(place)
      return
    }
    if (place.row === HEADER_ROW) {
      const copy = () => {
        this.#selectColumn(place.column)
        this.#copy()
      }
      this.#actions.menu?.(event, {
        column,
        row: null,
        copy,
        element: this.#view()?.elementAt(place) ?? null,
      })
      return
    }
    const row = this.#rowAt(place.row)
    if (!row) return
    if (!covers(areaOf(this.selection), place.row, place.column)) this.selection = onlyCell(place)
    const copy = () => void this.#copy()
    this.#actions.menu?.(event, { column, row, copy, element: this.#view()?.elementAt(place) ?? null })
  }

  #placeUnder(target: Element): CellPosition | null {
    const header = target.closest('[role="columnheader"]')
    if (!header) return this.#view()?.placeOf(target) ?? null
    return { row: HEADER_ROW, column: Number(header.getAttribute('aria-colindex') ?? 0) - 1 }
  }

  get #bounds(): Bounds {
    const content = this.#content()
    return {
      rows: content?.rows.count ?? 0,
      columns: content?.drawing.columns.length ?? 0,
      all: Boolean(content?.all),
      page: this.#view()?.page ?? 1,
    }
  }

  /** Executes an intent. Returns false if there was nothing to do. */
  #do(intent: Intent, now: number): boolean {
    switch (intent.kind) {
      case 'move':
        this.#go(moved(this.active, intent.direction, this.#bounds), intent.extending)
        return true
      case 'select-all':
        this.selection = everything(this.#bounds)
        return true
      case 'select-row':
        return this.#type(' ', now) || this.#selectRow(this.active.row)
      case 'select-column':
        return this.#selectColumn(this.active.column)
      case 'one-cell':
        if (isOneCell(this.selection)) return false
        this.selection = onlyCell(this.active)
        return true
      case 'copy':
        return this.#copy()
      case 'act':
        return this.#act(intent.adding)
      case 'read-whole':
        return this.#readWhole()
      case 'resize':
        return this.#withHeader((column) => this.#actions.resize(column, intent.by))
      case 'move-column':
        return this.#withHeader((column) => this.#actions.moveColumn(column, intent.by))
      case 'type':
        if (intent.letter === ' ' && !this.#typeAhead.isTyping(now)) return false
        return this.#type(intent.letter, now)
    }
  }

  #go(place: CellPosition, extending: boolean): void {
    this.selection = extending ? { from: this.selection.from, to: place } : onlyCell(place)
    this.#view()?.reveal(place)
  }

  /** The active cell stays visible at the start of the selection. */
  #selectRow(row: number): boolean {
    this.#select({ row, column: this.#bounds.columns - 1 }, { row, column: 0 })
    return true
  }

  #selectColumn(column: number): boolean {
    this.#select({ row: this.#bounds.rows - 1, column }, { row: HEADER_ROW, column })
    return true
  }

  #select(from: CellPosition, to: CellPosition): void {
    this.selection = { from, to }
    this.#view()?.reveal(to)
  }

  #copy(): boolean {
    const content = this.#content()
    if (!content) return false
    this.#actions.copy(copyOf(this.selection, content))
    return true
  }

  #act(adding: boolean): boolean {
    const { row, column } = this.active
    if (row === HEADER_ROW) {
      return this.#withHeader(({ key }) => this.#actions.sort(key, adding))
    }
    const chosen = this.#rowAt(row)
    if (row === ALL_ROW || !chosen) return false
    if (column !== 0) return this.#openCell(this.active)
    this.#actions.activate(chosen.label, chosen)
    return true
  }

  #openCell(place: CellPosition): boolean {
    const row = this.#rowAt(place.row)
    const column = this.#content()?.drawing.columns[place.column]
    const element = this.#view()?.elementAt(place)
    if (!this.#actions.openCell || place.row < 0 || !row || !column || !element) return false
    this.#actions.openCell({ row, column, element })
    return true
  }

  #readWhole(): boolean {
    const row = this.#rowAt(this.active.row)
    const column = this.#content()?.drawing.columns[this.active.column]
    const text = row && column ? textOf(row, column) : ''
    if (text.length <= LONGEST_LABEL) return false
    this.#actions.readWhole(text)
    return true
  }

  #withHeader(then: (column: Column) => unknown): boolean {
    const { row, column } = this.active
    const found = row === HEADER_ROW ? this.#content()?.drawing.columns[column] : undefined
    if (found) then(found)
    return found !== undefined
  }

  #type(letter: string, now: number): boolean {
    const content = this.#content()
    if (!content || (letter === ' ' && !this.#typeAhead.isTyping(now))) return false
    const { beginning, stays } = this.#typeAhead.type(letter, now)
    const labelAt = (index: number) => {
      const row = content.rows.row(index)
      return row ? labelText(row.label) : null
    }
    const found = findLabel(content.rows.count, labelAt, beginning, this.active.row + (stays ? 0 : 1))
    if (found >= 0) this.#go({ row: found, column: 0 }, false)
    return true
  }

  #rowAt(row: number): TableRow | null {
    const content = this.#content()
    if (!content || row === HEADER_ROW) return null
    return row === ALL_ROW ? content.all : content.rows.row(row)
  }
}

/** Text that may be cut: that of a text cell, else the row's label. */
const textOf = ({ label, cells }: TableRow, column: Column): string =>
  column.kind === 'text' ? String(cells[column.place] ?? '') : labelText(label)
