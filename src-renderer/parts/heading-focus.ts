/**
 * Moves the focus to a view's heading when a link led to the view, so that a screen reader reads where one is. It
 * stays where it is at start, and when something else than a link brought the view.
 */
export function headingFocus(heading: HTMLElement): void {
  if (document.activeElement instanceof HTMLAnchorElement) heading.focus({ preventScroll: true })
}
