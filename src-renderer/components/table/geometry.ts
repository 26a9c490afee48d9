import { isChange, shownHeader } from './columns.ts'
import type { Column } from './columns.ts'

/** Start and width of a column, in CSS pixels. */
export type Track = { readonly start: number; readonly width: number }

/** Widest texts of a table. Totals are bold, and wider than any row. */
export type WidestTexts = Readonly<Record<'count' | 'rate' | 'change' | 'briefChange' | 'points', string>>
/** Width of a text as a total, change or header, in CSS pixels. */
export type Measure = (text: string, kind: 'total' | 'change' | 'header') => number

const noTexts: WidestTexts = { count: '', rate: '', change: '', briefChange: '', points: '' }
const letters = { total: 8, change: 7, header: 7 } as const
/** Estimate for frames without layout. */
const byLetters: Measure = (text, kind) => text.length * letters[kind]

/** Minimum widths by kind of column, and the space around texts (padding and sort marks), in CSS pixels. */
type Needs = Readonly<Record<Exclude<Column['kind'], 'label'> | 'around' | 'aroundHeader', number>> & {
  /** Font size of headers, relative to the usual one. */
  readonly header: number
}
/** Words of a header are not broken up to this width. */
const LONGEST_LINE = 'm'.repeat(25)

const usual: Needs = {
  ...{ count: 84, rate: 88, text: 144, course: 128, change: 144, points: 84 },
  ...{ around: 26, aroundHeader: 32, header: 1 },
}
/** With little room: changes are brief, and padding is smaller (grid.css). */
const tight: Needs = {
  ...{ count: 72, rate: 74, text: 120, course: 96, change: 72, points: 72 },
  ...{ around: 16, aroundHeader: 26, header: 11 / 12 },
}
/** Widths of the label column. Beside texts, labels such as timestamps with offset must be readable in full. */
const LABEL = { tight: 144, tightByTexts: 232, min: 152, max: 336, share: 0.3 } as const
/** Maximum share of the frame, because the label column does not scroll. */
const MAX_OF_FRAME = 0.45

/** Padding of a cell, in CSS pixels. */
const PADDING = 12

/** Tracks of the columns, whether changes are beneath their columns, and whether changes are brief. */
type Lie = { readonly tracks: readonly Track[]; readonly beneath: boolean; readonly brief: boolean }

/**
 * Lays out columns side by side, each change beside its column. If they do not fit, changes go beneath their columns. If
 * this does not fit either, the layout is tight and changes are brief.
 * @param widths chosen widths by column key
 * @param available width of the frame
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

/** Functions that compute the width of a column from its texts. */
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

/** A column with its chosen width, if any. */
type Abreast = { readonly column: Column; readonly chosen: number | undefined; readonly width: number }

/** Columns without a chosen width share the free space, texts before figures; a change stays close to its column. */
function tracksOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  { needs, figure: needed, header: neededBy }: Needed,
  beneath: boolean,
): Track[] {
  const abreast = columns.flatMap((column, index): Abreast[] => {
    // Without the padding before it, since it is close to its figure (grid.css).
    if (isChange(column))
      return beneath ? [] : [{ column, chosen: undefined, width: needed(column) - PADDING }]
    const next = columns[index + 1]
    const named = column.kind === 'label' ? 0 : neededBy(shownHeader(column))
    const needsWith = Math.max(needed(column), named, beneath && next && isChange(next) ? needed(next) : 0)
    const chosen = Object.hasOwn(widths, column.key) ? widths[column.key] : undefined
    return [{ column, chosen, width: chosen ?? needsWith }]
  })
  const figures = abreast.reduce((sum, { column, width }) => (column.kind === 'label' ? sum : sum + width), 0)
  const labels =
    needs === tight
      ? tightLabels(columns, available - figures)
      : Math.max(LABEL.min, Math.min(LABEL.max, available * LABEL.share, available - figures))
  const wished = abreast.map(({ column, chosen, width }) =>
    column.kind === 'label'
      ? Math.min(chosen ?? labels, Math.max(LABEL.min, available * MAX_OF_FRAME))
      : width,
  )
  const isFree = ({ column, chosen }: Abreast) =>
    column.kind !== 'label' && !isChange(column) && chosen === undefined
  const isFreeText = (each: Abreast) => isFree(each) && each.column.kind === 'text'
  const grows = abreast.map(abreast.some(isFreeText) ? isFreeText : isFree)
  const others = wished.reduce((sum, width, index) => (grows[index] ? sum : sum + width), 0)
  const level = levelOf(
    wished.filter((_, index) => grows[index]),
    available - others,
  )
  const laid: Track[] = []
  let start = 0
  /** Fraction of a pixel that the columns before lack, so that the last one ends at the frame. */
  let carried = 0
  for (const [index, width] of wished.entries()) {
    const exact = (grows[index] ? Math.max(width, level) : width) + carried
    const whole = Math.floor(exact)
    carried = exact - whole
    laid.push({ start, width: whole })
    start += whole
  }
  let place = -1
  return columns.flatMap((column) => {
    if (!beneath || !isChange(column)) place += 1
    return laid[place] ?? []
  })
}

/** Width of labels in the tight layout. Beside texts, they shrink only if no column has to scroll then. */
function tightLabels(columns: readonly Column[], room: number): number {
  if (columns.every(({ kind }) => kind !== 'text')) return LABEL.tight
  return room < LABEL.tight ? LABEL.tightByTexts : Math.min(LABEL.tightByTexts, room)
}

/** Returns the width to which the narrowest columns grow when all of them share the room. */
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

/** Width of the longer line of a header that is broken into two lines as evenly as possible. */
function longestOfTwoLines(header: string, widthOfWord: (word: string) => number): number {
  const words = header.split(/(?<=-)|\s+/).map(widthOfWord)
  const space = widthOfWord('n') / 2
  const lineOf = (part: readonly number[]) =>
    part.reduce((sum, word) => sum + word, 0) + space * Math.max(0, part.length - 1)
  return Math.min(
    ...words.map((_, last) => Math.max(lineOf(words.slice(0, last + 1)), lineOf(words.slice(last + 1)))),
  )
}

/** Total width of all columns. */
export function widthOf(tracks: readonly Track[]): number {
  const last = tracks.at(-1)
  return last ? last.start + last.width : 0
}

/** Background with a bar for each cell of rows that are still loading (grid.css). */
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

/** Maximum height of an element, in CSS pixels, in every browser at every zoom. Longer lists are scrolled in parts. */
const HIGHEST = 8_000_000
/** Distance from an end of the rendered part, in rows, at which the part moves. */
const MARGIN = 500
/** In screen heights. A longer scroll step is a jump of the scroll bar. */
const FAR = 4

/**
 * Scroll position of a list that may be longer than the maximum height of an element. The body has room for a part of the
 * rows, which starts at row `shift`. Small steps move row by row; a jump goes to the proportional row.
 */
export class LongList {
  /** First row of the part. */
  shift = 0
  #count = 0
  #places = 0
  #rowHeight = 1
  #offset = 0

  /** Sets the number and height of rows. Returns the number of rows that have room. */
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
   * Handles scrolling to `offset`, with `height` visible.
   * @returns pixels to scroll in addition, so that there is room in both directions; usually 0
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

  /** Moves the part so that it contains a row. Returns the row's position in the part. */
  bringInto(row: number): number {
    if (row < this.shift || row >= this.shift + this.#places) {
      const wanted = Math.round((row / Math.max(1, this.#count - 1)) * (this.#places - 1))
      this.shift = Math.min(this.#maxShift, Math.max(0, row - wanted))
    }
    const place = row - this.shift
    // So that `follow` does not take the way there for a jump.
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
