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
