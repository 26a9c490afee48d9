/** The sides of something on screen, in CSS pixels from the window's corner. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** What is left free between them. */
const GAP = 8

/**
 * How far messages at the window's foot have to rise so that they do not lie over what was just used, in CSS pixels.
 * @param foot where they lie while they do not rise
 * @param used what was pressed, or has the keyboard; null where nothing was
 */
export function riseOver(foot: Box, used: Box | null): number {
  if (!used || used.right <= foot.left || used.left >= foot.right) return 0
  if (used.bottom <= foot.top || used.top >= foot.bottom) return 0
  const rise = foot.bottom - used.top + GAP
  // What is as high as the window leaves no place above it.
  return foot.top - rise >= 0 ? Math.round(rise) : 0
}
