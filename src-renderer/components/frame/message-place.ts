/** What lies at the window's foot now: of two views the one that came last. */
let lying: HTMLElement | null = null

/** Says how high a view's controls at the window's foot are, so that messages stand above them. */
export function atFoot(element: HTMLElement): () => void {
  const { style } = document.documentElement
  const measure = () => style.setProperty('--foot-taken', `${element.offsetHeight}px`)
  lying = element
  // It tells the first height by itself, and no view has to be laid out for that before it is painted.
  const observer = 'ResizeObserver' in window ? new ResizeObserver(measure) : null
  if (observer) observer.observe(element)
  else measure()
  return () => {
    observer?.disconnect()
    if (lying !== element) return
    lying = null
    style.removeProperty('--foot-taken')
  }
}

/** The sides of something on screen, in CSS pixels from the window's corner. */
export type Box = Pick<DOMRect, 'left' | 'right' | 'top' | 'bottom'>

/** What is left free between them, and at the window's edge. */
const GAP = 8
const EDGE = 16

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

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom

/** Where messages are while a dialog is open: in their place, in the corner beside it, or nowhere until it is closed. */
export type Beside = 'in-place' | 'in-corner' | 'hidden'

/**
 * Where messages have to be so that they do not lie over a dialog: they would hide its buttons.
 * @param foot where they lie as a rule
 * @param dialog null where none is open
 * @param width the window's, in CSS pixels
 */
export function besideDialog(foot: Box, dialog: Box | null, width: number): Beside {
  if (!dialog || !overlap(foot, dialog)) return 'in-place'
  return dialog.right + GAP <= width - EDGE - (foot.right - foot.left) ? 'in-corner' : 'hidden'
}

/**
 * Tells where the dialog that was opened last lies, in CSS pixels, whenever that changes; null once none is open. Those of the browser's
 * own lie over everything by themselves.
 */
export function watchDialogs(onChange: (dialog: Box | null) => void): () => void {
  const sizes = new ResizeObserver(() => look())
  function look() {
    const dialog = [...document.querySelectorAll('[data-dialog-content]')].at(-1)
    sizes.disconnect()
    if (dialog) for (const element of [dialog, document.documentElement]) sizes.observe(element)
    onChange(dialog?.getBoundingClientRect() ?? null)
  }
  const changes = new MutationObserver(look)
  // Where dialogs are put: what lies deeper changes all the time.
  changes.observe(document.body, { childList: true })
  look()
  return () => {
    changes.disconnect()
    sizes.disconnect()
  }
}
