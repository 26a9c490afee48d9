import { isChange, shownHeader } from './columns.ts'
import type { Column } from './columns.ts'

/** Where a column begins and how wide it is, in CSS pixels. */
export type Track = { readonly start: number; readonly width: number }

/**
 * The least that each kind of column needs, in CSS pixels, and how many letters of a count have room in it. A letter more
 * takes LETTER more: no figure is ever cut. A change has small letters.
 */
type Needs = Readonly<
  Record<Exclude<Column['kind'], 'label'>, { min: number; roomFor: number; letter: number }>
> & {
  /** What a letter of a header takes, and what stands around its words: space, and the marks of a sort. */
  readonly header: { readonly letter: number; readonly around: number }
}
/** No word of a header is broken, unless it is longer than any that somebody would write. */
const LONGEST_LINE = 30

const usual: Needs = {
  count: { min: 84, roomFor: 8, letter: 8 },
  rate: { min: 88, roomFor: 7, letter: 8 },
  text: { min: 144, roomFor: Infinity, letter: 8 },
  course: { min: 128, roomFor: Infinity, letter: 8 },
  change: { min: 144, roomFor: 8, letter: 7 },
  points: { min: 84, roomFor: Infinity, letter: 7 },
  header: { letter: 7.75, around: 32 },
}
/** Where there is little room: changes are brief, and what surrounds figures is narrower (grid.css). */
const tight: Needs = {
  count: { min: 72, roomFor: 7, letter: 8 },
  rate: { min: 74, roomFor: 7, letter: 8 },
  text: { min: 120, roomFor: Infinity, letter: 8 },
  course: { min: 96, roomFor: Infinity, letter: 8 },
  change: { min: 72, roomFor: 7, letter: 7 },
  points: { min: 72, roomFor: Infinity, letter: 7 },
  header: { letter: 6.5, around: 26 },
}
/** Beside texts the labels are what rows are told apart by, moments with their offset say: they are seen in full. */
const LABEL = { tight: 144, tightByTexts: 232, min: 152, max: 336, share: 0.3 } as const
/** The labels stay while the rest scrolls, so they never take more of the frame than this. */
const MAX_OF_FRAME = 0.45

/** The space before and after what stands in a cell. */
const PADDING = 12

/** How columns lie: whether changes stand beneath their columns, and whether they are written briefly for that. */
type Lie = { readonly tracks: readonly Track[]; readonly beneath: boolean; readonly brief: boolean }

/**
 * Lays columns out beside each other, a change beside the column that it belongs to. Where they do not fit, changes lie
 * beneath their columns; where these do not fit either, they are tight, and changes are written briefly.
 * @param widths chosen widths by the columns' keys
 * @param available the width of the frame
 * @param longest the letters of the longest count, as it is read
 * @param longestRate the same of a rate: some languages have a space before its sign
 */
export function layOut(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  longest = 0,
  longestRate = 0,
): Lie {
  const laid = (needs: Needs, beneath: boolean) =>
    tracksOf(columns, widths, available, { count: longest, rate: longestRate }, needs, beneath)
  const beneath = columns.some(isChange)
  for (const lie of beneath ? [false, true] : [false]) {
    const tracks = laid(usual, lie)
    if (widthOf(tracks) <= available) return { tracks, beneath: lie, brief: false }
  }
  return { tracks: laid(tight, beneath), beneath, brief: true }
}

/** A column that stands beside others, and the width that somebody chose for it. */
type Abreast = { readonly column: Column; readonly chosen: number | undefined; readonly width: number }

/** Those whose width nobody chose share what room there is; a change stays close to its column. */
function tracksOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  letters: { readonly count: number; readonly rate: number },
  needs: Needs,
  beneath: boolean,
): Track[] {
  const needed = ({ kind }: Column): number => {
    if (kind === 'label') return 0
    const { min, roomFor, letter } = needs[kind]
    const longest = kind === 'rate' || kind === 'points' ? letters.rate : letters.count
    return min + letter * Math.max(0, longest - roomFor)
  }
  const neededBy = (header: string): number =>
    Math.min(longestOfTwoLines(header), LONGEST_LINE) * needs.header.letter + needs.header.around
  const abreast = columns.flatMap((column, index): Abreast[] => {
    // Close to the figure that it is of, it needs no space before it (grid.css).
    if (isChange(column))
      return beneath ? [] : [{ column, chosen: undefined, width: needed(column) - PADDING }]
    const next = columns[index + 1]
    const named = column.kind === 'label' ? 0 : neededBy(shownHeader(column))
    const needsWith = Math.max(needed(column), named, beneath && next && isChange(next) ? needed(next) : 0)
    const chosen = Object.hasOwn(widths, column.key) ? widths[column.key] : undefined
    return [{ column, chosen, width: chosen ?? needsWith }]
  })
  const figures = abreast.reduce((sum, { column, width }) => (column.kind === 'label' ? sum : sum + width), 0)
  /** Labels give way before the figures have to scroll; where these are tight, they are given all there is. */
  const labels =
    needs === tight
      ? columns.some(({ kind }) => kind === 'text')
        ? LABEL.tightByTexts
        : LABEL.tight
      : Math.max(LABEL.min, Math.min(LABEL.max, available * LABEL.share, available - figures))
  const wished = abreast.map(({ column, chosen, width }) =>
    column.kind === 'label'
      ? Math.min(chosen ?? labels, Math.max(LABEL.min, available * MAX_OF_FRAME))
      : width,
  )
  const grows = abreast.map(
    ({ column, chosen }) => column.kind !== 'label' && !isChange(column) && chosen === undefined,
  )
  const others = wished.reduce((sum, width, index) => (grows[index] ? sum : sum + width), 0)
  const level = levelOf(
    wished.filter((_, index) => grows[index]),
    available - others,
  )
  const laid: Track[] = []
  let start = 0
  for (const [index, width] of wished.entries()) {
    const whole = Math.floor(grows[index] ? Math.max(width, level) : width)
    laid.push({ start, width: whole })
    start += whole
  }
  let place = -1
  return columns.flatMap((column) => {
    if (!beneath || !isChange(column)) place += 1
    return laid[place] ?? []
  })
}

/** How wide the narrowest of some columns become where they are given the room that the others leave. */
function levelOf(widths: readonly number[], room: number): number {
  let left = room
  let narrow = widths.length
  for (const width of widths.toSorted((one, other) => other - one)) {
    if (width <= left / narrow) break
    left -= width
    narrow -= 1
  }
  return narrow > 0 ? left / narrow : 0
}

/** The letters of the longer line of a header, where its words stand on two lines as well as they can. */
function longestOfTwoLines(header: string): number {
  const words = header.split(/(?<=-)|\s+/).map((word) => word.length)
  const lineOf = (part: readonly number[]) => part.reduce((sum, word) => sum + word, 0.5 * (part.length - 1))
  return Math.min(
    ...words.map((_, last) => Math.max(lineOf(words.slice(0, last + 1)), lineOf(words.slice(last + 1)))),
  )
}

/** How wide all columns are together. */
export function widthOf(tracks: readonly Track[]): number {
  const last = tracks.at(-1)
  return last ? last.start + last.width : 0
}

/** A background in which a bar stands for each cell of each row, where rows are still to come (grid.css). */
export function placesOf(tracks: readonly Track[]): string {
  return tracks
    .filter(({ start }, index) => start !== tracks[index - 1]?.start)
    .map(({ start, width }, index) => {
      const bar = width * 0.6 - PADDING
      const left = index === 0 ? start + PADDING : start + width - PADDING - bar
      return `var(--waiting) ${left}px 0 / ${bar}px var(--row-height) repeat-y`
    })
    .join()
}

/** No element is as high as this in every browser at every zoom: what is longer is scrolled through in part. In CSS pixels. */
const HIGHEST = 8_000_000
/** So near to an end of the places, in rows, others are put there. */
const MARGIN = 500
/** Longer ways in one step than so many screenfuls are jumps: the scroll bar was dragged. */
const FAR = 4

/**
 * A list that may be longer than a page can be high. Its body has places for a part of the rows: `shift` says which row stands
 * at the first of them. Small steps go from row to row; a jump goes where it would lead if all of them had a place.
 */
export class LongList {
  /** The row at the first place. */
  shift = 0
  #count = 0
  #places = 0
  #rowHeight = 1
  #offset = 0

  /** It has so many rows of such a height; how many of them have a place. */
  become(count: number, rowHeight: number): number {
    this.#count = count
    this.#rowHeight = Math.max(1, rowHeight)
    this.#places = Math.min(count, Math.floor(HIGHEST / this.#rowHeight))
    this.shift = Math.min(this.shift, this.#maxShift)
    return this.#places
  }

  toTop(): void {
    this.shift = 0
    this.#offset = 0
  }

  /**
   * The list was scrolled to `offset`, of which `height` is seen. By how much it is to be scrolled besides, so that there are
   * places in either direction; 0 where it stands well.
   */
  follow(offset: number, height: number): number {
    const step = offset - this.#offset
    this.#offset = offset
    if (this.#maxShift === 0) return 0
    const last = Math.max(1, this.#places * this.#rowHeight - height)
    if (Math.abs(step) > FAR * height) {
      this.shift = Math.round(Math.min(1, offset / last) * this.#maxShift)
      return 0
    }
    const row = Math.floor(offset / this.#rowHeight)
    const seen = Math.ceil(height / this.#rowHeight)
    const half = Math.floor(this.#places / 4)
    if (row < MARGIN && this.shift > 0) return this.#move(-Math.min(this.shift, half))
    if (row + seen > this.#places - MARGIN && this.shift < this.#maxShift) {
      return this.#move(Math.min(this.#maxShift - this.shift, half))
    }
    return 0
  }

  /** Sees to it that a row has a place; which one. */
  bringInto(row: number): number {
    if (row < this.shift || row >= this.shift + this.#places) {
      const wanted = Math.round((row / Math.max(1, this.#count - 1)) * (this.#places - 1))
      this.shift = Math.min(this.#maxShift, Math.max(0, row - wanted))
    }
    const place = row - this.shift
    // The way there is no jump of the scroll bar.
    this.#offset = place * this.#rowHeight
    return place
  }

  get #maxShift(): number {
    return this.#count - this.#places
  }

  #move(by: number): number {
    this.shift += by
    this.#offset -= by * this.#rowHeight
    return -by * this.#rowHeight
  }
}
