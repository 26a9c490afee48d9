import type { ColumnLayout } from '#shared/views/layout.ts'

/** Widths that a column can be dragged to, in CSS pixels. */
export const NARROWEST = 56
export const WIDEST = 1600

const plainLayout: ColumnLayout = { order: [], hidden: [], widths: {} }

/**
 * A table's headers in the order in which they stand. The label's column is always the first. Headers that the layout
 * does not name stand as they come: after the one that comes before them. Those that are pinned come before the others.
 */
export function orderedHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  // A header that comes twice counts where it comes first: columns are known by nothing else.
  const [label, ...figures] = new Set(headers)
  if (label === undefined) return []
  const named = new Set(layout?.order)
  const ordered = (layout?.order ?? []).filter((header) => figures.includes(header))
  figures.forEach((header, index) => {
    if (named.has(header)) return
    const before = figures[index - 1]
    ordered.splice(before === undefined ? 0 : ordered.indexOf(before) + 1, 0, header)
  })
  const pinned = ordered.filter((header) => isPinned(layout, header))
  return [label, ...pinned, ...ordered.filter((header) => !pinned.includes(header))]
}

/** The headers that are seen, in their order; the label's is always among them. */
export function seenHeaders(headers: readonly string[], layout: ColumnLayout | null): string[] {
  return orderedHeaders(headers, layout).filter((header, index) => index === 0 || !isHidden(layout, header))
}

export const isHidden = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.hidden.includes(header) ?? false

export const isPinned = (layout: ColumnLayout | null, header: string): boolean =>
  layout?.pinned?.includes(header) ?? false

/** The layout with a column pinned beside the label, or let go again. */
export function withPinned(layout: ColumnLayout | null, header: string, pinned: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = (before.pinned ?? []).filter((value) => value !== header)
  return { ...before, pinned: pinned ? [...others, header] : others }
}

/** The layout with a column hidden, or shown again. */
export function withHidden(layout: ColumnLayout | null, header: string, hidden: boolean): ColumnLayout {
  const before = layout ?? plainLayout
  const others = before.hidden.filter((value) => value !== header)
  return { ...before, hidden: hidden ? [...others, header] : others }
}

/** The layout with a column of another width. */
export function withWidth(layout: ColumnLayout | null, key: string, width: number): ColumnLayout {
  const before = layout ?? plainLayout
  const stored = Math.round(Math.min(WIDEST, Math.max(NARROWEST, width)))
  return { ...before, widths: { ...before.widths, [key]: stored } }
}

/**
 * The layout with a column moved to where another stands that is seen. The label's column stays where it is, and
 * nothing comes before it.
 */
export function withMoved(
  headers: readonly string[],
  layout: ColumnLayout | null,
  header: string,
  target: string,
): ColumnLayout {
  const before = layout ?? plainLayout
  const [, ...figures] = orderedHeaders(headers, layout)
  const from = figures.indexOf(header)
  const to = figures.indexOf(target)
  if (from < 0 || to < 0) return before
  figures.splice(to, 0, ...figures.splice(from, 1))
  return { ...before, order: [...figures, ...before.order.filter((value) => !headers.includes(value))] }
}

/** The header `by` places from another among those that are seen; undefined where there is none to move to. */
export function neighbour(
  headers: readonly string[],
  layout: ColumnLayout | null,
  header: string,
  by: 1 | -1,
): string | undefined {
  const [, ...figures] = seenHeaders(headers, layout)
  const from = figures.indexOf(header)
  return from < 0 ? undefined : figures[from + by]
}
