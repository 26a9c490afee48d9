/** The rows above those of the list: the headers, and the row for all. */
export const HEADER_ROW = -2
export const ALL_ROW = -1

/** A cell of the grid, by its row (from 0, or one of those above) and its column among those that are seen. */
export type Place = { readonly row: number; readonly column: number }

/** From one cell to another, in either direction; one cell alone where both are the same. */
export type Selection = { readonly from: Place; readonly to: Place }

/** The cells of a selection, ends included. */
export type Area = {
  readonly top: number
  readonly bottom: number
  readonly left: number
  readonly right: number
}

/** Where the keys can go. */
export type Bounds = {
  /** The first row that exists: the headers'. */
  readonly rows: number
  readonly columns: number
  /** Whether there is a row for all. */
  readonly all: boolean
  /** How many rows are seen at once. */
  readonly page: number
}

export type Direction =
  'up' | 'down' | 'left' | 'right' | 'row-start' | 'row-end' | 'start' | 'end' | 'page-up' | 'page-down'

export const areaOf = ({ from, to }: Selection): Area => ({
  top: Math.min(from.row, to.row),
  bottom: Math.max(from.row, to.row),
  left: Math.min(from.column, to.column),
  right: Math.max(from.column, to.column),
})

export const at = (place: Place): Selection => ({ from: place, to: place })

export const isSame = (one: Place, other: Place): boolean =>
  one.row === other.row && one.column === other.column

export const isOneCell = ({ from, to }: Selection): boolean => isSame(from, to)

export const covers = (area: Area, row: number, column: number): boolean =>
  row >= area.top && row <= area.bottom && column >= area.left && column <= area.right

/** Every row of the list with all its columns, and their headers; the keys are at the first of them. */
export const everything = ({ rows, columns }: Bounds): Selection => ({
  from: { row: rows - 1, column: columns - 1 },
  to: { row: HEADER_ROW, column: 0 },
})

/** The place within what there is that lies nearest: tables shrink while somebody is in them. */
export function within({ row, column }: Place, { rows, columns, all }: Bounds): Place {
  const last = rows > 0 ? rows - 1 : all ? ALL_ROW : HEADER_ROW
  const nearest = Math.min(Math.max(row, HEADER_ROW), last)
  return {
    row: nearest === ALL_ROW && !all ? HEADER_ROW : nearest,
    column: Math.min(Math.max(column, 0), Math.max(0, columns - 1)),
  }
}

/** Where a key leads to from a place. */
export function moved(place: Place, direction: Direction, bounds: Bounds): Place {
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
