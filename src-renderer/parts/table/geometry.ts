import type { Column } from './columns.ts'

/** Where a column begins and how wide it is, in CSS pixels. */
export type Track = { readonly start: number; readonly width: number }

/** The least that each kind of column needs, in CSS pixels. */
const least = { count: 104, rate: 92, change: 196 } as const
const LABEL = { least: 144, most: 336, share: 0.3 } as const
/** The labels stay while the rest scrolls, so they never take more of the frame than this. */
const MOST_OF_FRAME = 0.45

/**
 * Lays columns out beside each other. Those whose width nobody chose share what room there is.
 * @param widths chosen widths by the columns' keys
 * @param available the width of the frame
 */
export function tracksOf(
  columns: readonly Column[],
  widths: Readonly<Record<string, number>>,
  available: number,
): Track[] {
  const wished = columns.map((column) => {
    const chosen = Object.hasOwn(widths, column.key) ? widths[column.key] : undefined
    if (column.kind !== 'label') return chosen ?? least[column.kind]
    const usual = Math.min(LABEL.most, Math.max(LABEL.least, available * LABEL.share))
    return Math.min(chosen ?? usual, Math.max(LABEL.least, available * MOST_OF_FRAME))
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
