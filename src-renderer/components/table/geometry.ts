import { isChange, shownHeader } from './columns.ts'
import type { Column } from './columns.ts'

/** Where a column begins and how wide it is, in CSS pixels. */
export type Track = { readonly start: number; readonly width: number }

/** The widest texts that stand in a table. Its totals are bold, and wider than any row. */
export type WidestTexts = Readonly<Record<'count' | 'rate' | 'change' | 'briefChange' | 'points', string>>
/** How wide a text is that stands as a total, as a change, or in a header; in CSS pixels. */
export type Measure = (text: string, kind: 'total' | 'change' | 'header') => number

const noTexts: WidestTexts = { count: '', rate: '', change: '', briefChange: '', points: '' }
const letters = { total: 8, change: 7, header: 7 } as const
/** Where nothing can be measured. */
const byLetters: Measure = (text, kind) => text.length * letters[kind]

/** The least that each kind of column has, and what surrounds its texts, in CSS pixels: space, and the marks of a sort. */
type Needs = Readonly<Record<Exclude<Column['kind'], 'label'> | 'around' | 'aroundHeader', number>> & {
  /** How large the letters of headers are, of those that they usually have. */
  readonly header: number
}
/** No word of a header is broken, unless it is longer than any that somebody would write. */
const LONGEST_LINE = 'm'.repeat(25)

const usual: Needs = {
  ...{ count: 84, rate: 88, text: 144, course: 128, change: 144, points: 84 },
  ...{ around: 26, aroundHeader: 32, header: 1 },
}
/** Where there is little room: changes are brief, and what surrounds figures is narrower (grid.css). */
const tight: Needs = {
  ...{ count: 72, rate: 74, text: 120, course: 96, change: 72, points: 72 },
  ...{ around: 16, aroundHeader: 26, header: 11 / 12 },
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
 */
export function layOut(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  texts: WidestTexts = noTexts,
  measure: Measure = byLetters,
): Lie {
  const laid = (needs: Needs, beneath: boolean) =>
    tracksOf(columns, widths, available, widthsOf(texts, measure, needs), beneath)
  const beneath = columns.some(isChange)
  for (const lie of beneath ? [false, true] : [false]) {
    const tracks = laid(usual, lie)
    if (widthOf(tracks) <= available) return { tracks, beneath: lie, brief: false }
  }
  return { tracks: laid(tight, beneath), beneath, brief: true }
}

/** What columns need, by what stands in them. */
type Needed = {
  readonly needs: Needs
  readonly figure: (column: Column) => number
  readonly header: (text: string) => number
}

function widthsOf(texts: WidestTexts, measure: Measure, needs: Needs): Needed {
  const { around, aroundHeader, header: size } = needs
  const widest = {
    count: measure(texts.count, 'total'),
    rate: measure(texts.rate, 'total'),
    change: measure(needs === tight ? texts.briefChange : texts.change, 'change'),
    points: measure(texts.points, 'change'),
    ...{ text: 0, course: 0 },
  }
  const word = (text: string) => measure(text, 'header')
  return {
    needs,
    figure: ({ kind }) => (kind === 'label' ? 0 : Math.max(needs[kind], Math.ceil(widest[kind]) + around)),
    header: (text) =>
      Math.ceil(Math.min(longestOfTwoLines(text, word), word(LONGEST_LINE)) * size) + aroundHeader,
  }
}

/** A column that stands beside others, and the width that somebody chose for it. */
type Abreast = { readonly column: Column; readonly chosen: number | undefined; readonly width: number }

/** Those whose width nobody chose share what room there is; a change stays close to its column. */
function tracksOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  { needs, figure: needed, header: neededBy }: Needed,
  beneath: boolean,
): Track[] {
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

/** How wide the longer line of a header is, where its words stand on two lines as well as they can. */
function longestOfTwoLines(header: string, widthOfWord: (word: string) => number): number {
  const words = header.split(/(?<=-)|\s+/).map(widthOfWord)
  const space = widthOfWord('n') / 2
  const lineOf = (part: readonly number[]) =>
    part.reduce((sum, word) => sum + word, 0) + space * Math.max(0, part.length - 1)
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
