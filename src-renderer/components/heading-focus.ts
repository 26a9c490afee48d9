/**
 * Moves the focus to a view's heading when a link led to the view, so that a screen reader reads where one is, and when
 * the focus waits in the place of the views for one to come. It stays where it is at start.
 */
export function headingFocus(heading: HTMLElement): void {
  const { activeElement } = document
  const waits = activeElement?.id === 'content'
  if (waits || activeElement instanceof HTMLAnchorElement) heading.focus({ preventScroll: true })
}
