import type { Column } from './columns.ts'

/** Where a column begins and how wide it is, in CSS pixels. */
export type Track = { readonly start: number; readonly width: number }

/**
 * The least that each kind of column needs, in CSS pixels, and how many letters of a count have room in it. A letter more
 * takes LETTER more: no figure is ever cut.
 */
const least = { count: 100, rate: 88, change: 144 } as const
const roomFor = { count: 10, rate: Infinity, change: 6 } as const
const LETTER = 8
const LABEL = { least: 160, most: 336, share: 0.3 } as const
/** The labels stay while the rest scrolls, so they never take more of the frame than this. */
const MOST_OF_FRAME = 0.45

/**
 * Lays columns out beside each other. Those whose width nobody chose share what room there is.
 * @param widths chosen widths by the columns' keys
 * @param available the width of the frame
 * @param longest the letters of the longest count, as it is read
 */
export function tracksOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
  longest = 0,
): Track[] {
  const needed = (kind: keyof typeof least) => least[kind] + LETTER * Math.max(0, longest - roomFor[kind])
  const chosen = ({ key }: Column) => (Object.hasOwn(widths, key) ? widths[key] : undefined)
  const figures = columns.reduce(
    (sum, column) => (column.kind === 'label' ? sum : sum + (chosen(column) ?? needed(column.kind))),
    0,
  )
  /** Labels give way before the figures have to scroll. */
  const labels = Math.max(LABEL.least, Math.min(LABEL.most, available * LABEL.share, available - figures))
  const wished = columns.map((column) => {
    if (column.kind !== 'label') return chosen(column) ?? needed(column.kind)
    return Math.min(chosen(column) ?? labels, Math.max(LABEL.least, available * MOST_OF_FRAME))
  })
  const spare = Math.max(0, available - wished.reduce((sum, width) => sum + width, 0))
  const growing = columns.filter(({ kind, key }) => kind !== 'label' && !Object.hasOwn(widths, key))
  const more = growing.length > 0 ? spare / growing.length : 0
  const tracks: Track[] = []
  let start = 0
  columns.forEach((column, index) => {
    const grown = (wished[index] ?? 0) + (growing.includes(column) ? more : 0)
    const width = Math.floor(grown)
    tracks.push({ start, width })
    start += width
  })
  return tracks
}

/** How wide all columns are together. */
export function widthOf(tracks: readonly Track[]): number {
  const last = tracks.at(-1)
  return last ? last.start + last.width : 0
}

/** The space before and after what stands in a cell. */
const PADDING = 12

/** A background in which a bar stands for each cell of each row, where rows are still to come (grid.css). */
export function placesOf(tracks: readonly Track[]): string {
  return tracks
    .map(({ start, width }, index) => {
      const bar = width * 0.6 - PADDING
      const left = index === 0 ? start + PADDING : start + width - PADDING - bar
      return `var(--waiting) ${left}px 0 / ${bar}px var(--row-height) repeat-y`
    })
    .join()
}
