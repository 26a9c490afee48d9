/** Controls at the bottom of the window; of two views, those of the last one. */
let lying: HTMLElement | null = null

/**
 * Keeps a view's controls at the bottom of the window, and publishes their room with the space below them, so that notices and
 * messages stay above them.
 */
export function atFoot(element: HTMLElement): () => void {
  const { style } = document.documentElement
  const measure = () => style.setProperty('--foot-taken', `calc(${element.offsetHeight}px + var(--space-3))`)
  lying = element
  element.classList.add('at-foot')
  // The observer reports the initial height too, without a forced layout before the first paint.
  const observer = new ResizeObserver(measure)
  observer.observe(element)
  return () => {
    observer.disconnect()
    if (lying !== element) return
    lying = null
    style.removeProperty('--foot-taken')
  }
}

/** Edges of an element, in CSS pixels from the window's corner. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** Distance to other elements and to the window's edge, in CSS pixels. */
const GAP = 8
const EDGE = 16

/**
 * Returns the distance, in CSS pixels, by which messages move up to uncover the element that was just used.
 * @param foot position of the messages without an offset
 * @param used element that was pressed or has the focus; null for none
 */
export function riseOver(foot: Box, used: Box | null): number {
  if (!used || used.right <= foot.left || used.left >= foot.right) return 0
  if (used.bottom <= foot.top || used.top >= foot.bottom) return 0
  const rise = foot.bottom - used.top + GAP
  // No offset if the messages would not fit above the element.
  return foot.top - rise >= 0 ? Math.round(rise) : 0
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Position of messages while a dialog is open. Hidden messages appear once it is closed. */
export type Beside = 'in-place' | 'in-corner' | 'hidden'

/**
 * Chooses a position where messages do not cover a dialog and its buttons.
 * @param foot default position
 * @param dialog null if none is open
 * @param width width of the window, in CSS pixels
 */
export function besideDialog(foot: Box, dialog: Box | null, width: number): Beside {
  if (!dialog || !overlap(foot, dialog)) return 'in-place'
  return dialog.right + GAP <= width - EDGE - (foot.right - foot.left) ? 'in-corner' : 'hidden'
}

/** Reports the position of the last opened dialog on each change; null for none. */
export function watchDialogs(onChange: (dialog: Box | null) => void): () => void {
  const sizes = new ResizeObserver(() => look())
  function look() {
    const dialog = [...document.querySelectorAll('[data-dialog-content]')].at(-1)
    sizes.disconnect()
    if (dialog) for (const element of [dialog, document.documentElement]) sizes.observe(element)
    onChange(dialog?.getBoundingClientRect() ?? null)
  }
  const changes = new MutationObserver(look)
  // Dialogs are children of the body; its deeper descendants change all the time.
  changes.observe(document.body, { childList: true })
  look()
  return () => {
    changes.disconnect()
    sizes.disconnect()
  }
}
