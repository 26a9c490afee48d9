/** Rows above the list: headers and totals. */
export const HEADER_ROW = -2
export const ALL_ROW = -1

/** A cell, by its row (from 0, or `HEADER_ROW` or `ALL_ROW`) and its visible column. */
export type CellPosition = { readonly row: number; readonly column: number }

/** From one cell to another, in either direction. Both are equal if one cell is selected. */
export type CellSelection = { readonly from: CellPosition; readonly to: CellPosition }

/** Cells of a selection, both ends included. */
export type Area = {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Limits of keyboard navigation. */
export type Bounds = {
  /** Number of rows in the list. */
  readonly rows: number
  readonly columns: number
  /** Whether there is a row of totals. */
  readonly all: boolean
  /** Number of visible rows. */
  readonly page: number
}

type Direction =
  'up' | 'down' | 'left' | 'right' | 'row-start' | 'row-end' | 'start' | 'end' | 'page-up' | 'page-down'

export const areaOf = ({ from, to }: CellSelection): Area => ({
  top: Math.min(from.row, to.row),
  bottom: Math.max(from.row, to.row),
  left: Math.min(from.column, to.column),
  right: Math.max(from.column, to.column),
})

export const onlyCell = (place: CellPosition): CellSelection => ({ from: place, to: place })

export const isSame = (one: CellPosition, other: CellPosition): boolean =>
  one.row === other.row && one.column === other.column

export const isOneCell = ({ from, to }: CellSelection): boolean => isSame(from, to)

export const covers = (area: Area, row: number, column: number): boolean =>
  row >= area.top && row <= area.bottom && column >= area.left && column <= area.right

/** Selects all rows and their headers. The first header is active. */
export const everything = ({ rows, columns }: Bounds): CellSelection => ({
  from: { row: rows - 1, column: columns - 1 },
  to: { row: HEADER_ROW, column: 0 },
})

/** Returns the nearest existing cell, because tables can shrink. */
export function within({ row, column }: CellPosition, { rows, columns, all }: Bounds): CellPosition {
  const last = rows > 0 ? rows - 1 : all ? ALL_ROW : HEADER_ROW
  const nearest = Math.min(Math.max(row, HEADER_ROW), last)
  return {
    row: nearest === ALL_ROW && !all ? HEADER_ROW : nearest,
    column: Math.min(Math.max(column, 0), Math.max(0, columns - 1)),
  }
}

/** Returns the cell that a key leads to. */
export function moved(place: CellPosition, direction: Direction, bounds: Bounds): CellPosition {
  const { row, column } = place
  const last = bounds.columns - 1
  const skipsAll = !bounds.all
  switch (direction) {
    case 'up':
      return within({ row: row === 0 && skipsAll ? HEADER_ROW : row - 1, column }, bounds)
    case 'down':
      return within({ row: row === HEADER_ROW && skipsAll ? 0 : row + 1, column }, bounds)
    case 'left':
      return within({ row, column: column - 1 }, bounds)
    case 'right':
      return within({ row, column: column + 1 }, bounds)
    case 'row-start':
      return within({ row, column: 0 }, bounds)
    case 'row-end':
      return within({ row, column: last }, bounds)
    case 'start':
      return within({ row: 0, column: 0 }, bounds)
    case 'end':
      return within({ row: bounds.rows - 1, column: last }, bounds)
    case 'page-up':
      return within({ row: row <= 0 ? row : Math.max(0, row - bounds.page), column }, bounds)
    case 'page-down':
      return within({ row: Math.max(0, row) + bounds.page, column }, bounds)
  }
}

/** Action of a key. */
export type Intent =
  | { readonly kind: 'move'; readonly direction: Direction; readonly extending: boolean }
  | { readonly kind: 'select-all' }
  | { readonly kind: 'select-row' }
  | { readonly kind: 'select-column' }
  | { readonly kind: 'copy' }
  | { readonly kind: 'act'; readonly adding: boolean }
  | { readonly kind: 'read-whole' }
  | { readonly kind: 'resize'; readonly by: 1 | -1 }
  | { readonly kind: 'move-column'; readonly by: 1 | -1 }
  | { readonly kind: 'one-cell' }
  | { readonly kind: 'type'; readonly letter: string }

type Keys = Pick<KeyboardEvent, 'key' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'>

const plain: Readonly<Record<string, Direction>> = {
  ArrowUp: 'up',
  ArrowDown: 'down',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  Home: 'row-start',
  End: 'row-end',
  PageUp: 'page-up',
  PageDown: 'page-down',
}

const withControl: Readonly<Record<string, Direction>> = {
  Home: 'start',
  End: 'end',
  ArrowUp: 'start',
  ArrowDown: 'end',
  ArrowLeft: 'row-start',
  ArrowRight: 'row-end',
}

/** Parses a key; returns null if the grid does not use it. */
export function intentOf(event: Keys): Intent | null {
  const { key, shiftKey: shift, altKey: alt } = event
  const control = event.ctrlKey || event.metaKey
  if (alt) return control ? null : columnIntent(key, shift)
  if (control) {
    if (key.toLowerCase() === 'a' && !shift) return { kind: 'select-all' }
    if (key.toLowerCase() === 'c' && !shift) return { kind: 'copy' }
  }
  if (key === ' ' && control) return { kind: 'select-column' }
  if (key === ' ' && shift) return { kind: 'select-row' }
  const direction = (control ? withControl : plain)[key]
  if (direction) return { kind: 'move', direction, extending: shift }
  if (control) return null
  if (key === 'Enter') return { kind: 'act', adding: shift }
  if (key === 'F2') return { kind: 'read-whole' }
  if (key === 'Escape') return { kind: 'one-cell' }
  return Array.from(key).length === 1 ? { kind: 'type', letter: key } : null
}

function columnIntent(key: string, shift: boolean): Intent | null {
  const by = key === 'ArrowLeft' ? -1 : key === 'ArrowRight' ? 1 : null
  if (by === null) return null
  return shift ? { kind: 'move-column', by } : { kind: 'resize', by }
}

/** Maximum of rows that a search visits. Loaded rows of a longer list are close to the active one. */
const FARTHEST = 100_000

/** After this pause, in ms, a letter starts a new word. */
const PAUSE = 700

/**
 * Collects letters typed in sequence, as the start of a label to search for.
 * @param now current time, in milliseconds
 */
export class TypeAhead {
  #prefix = ''
  #last = 0

  /** Adds a letter. Returns the start to search for, and whether the active row may match it. */
  type(letter: string, now: number): { readonly beginning: string; readonly stays: boolean } {
    const goesOn = this.#prefix !== '' && now - this.#last < PAUSE
    const same = goesOn && [...this.#prefix].every((value) => value === letter)
    this.#prefix = goesOn ? this.#prefix + letter : letter
    this.#last = now
    // Repeating one letter cycles through the labels that start with it.
    return same ? { beginning: letter, stays: false } : { beginning: this.#prefix, stays: goesOn }
  }

  /** Whether a word is being typed. A space then belongs to it. */
  isTyping(now: number): boolean {
    return this.#prefix !== '' && now - this.#last < PAUSE
  }
}

/**
 * Returns the next row, from `from` and wrapping around, whose label starts with a text; -1 if no loaded row does.
 * @param labelAt returns a row's label; null if it is not loaded
 */
export function findLabel(
  count: number,
  labelAt: (index: number) => string | null,
  beginning: string,
  from: number,
): number {
  const wanted = beginning.toLocaleLowerCase()
  for (let step = 0; step < Math.min(count, FARTHEST); step += 1) {
    const index = (Math.max(0, from) + step) % count
    if (labelAt(index)?.toLocaleLowerCase().startsWith(wanted)) return index
  }
  return -1
}
