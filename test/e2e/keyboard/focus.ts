import type { ElementHandle, Locator, Page } from 'playwright-core'

/** What is wrong with where the focus is; null where nothing is. */
export function focusTrouble(page: Page): Promise<string | null> {
  return page.evaluate(() => {
    const element = document.activeElement
    if (!(element instanceof HTMLElement) || element === document.body)
      return 'The focus fell back to the page'
    const name = `${element.tagName.toLowerCase()} ${element.getAttribute('aria-label') ?? element.textContent.slice(0, 40)}`
    // They have it so that they are read, and do nothing themselves.
    if (element.matches('h1, h2, main, [role="dialog"], [role="menu"]')) return null
    const ring = (each: Element | null | undefined) => {
      if (!each) return false
      const { outlineStyle, outlineWidth } = getComputedStyle(each)
      // Two pixels, of which zooming may leave one and a bit.
      return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) > 1
    }
    const lit = element.matches('[role^="menuitem"][data-highlighted], [data-highlighted]')
    const cell = element.matches('[role="grid"]') ? element.querySelector('[data-active]') : null
    if (!lit && !ring(element) && !ring(cell) && !ring(element.closest('label')))
      return `No ring around ${name}`
    const { top, bottom, left, right } = (cell ?? element).getBoundingClientRect()
    const within = bottom > 0 && right > 0 && top < innerHeight && left < innerWidth
    if (!within) return `Out of sight: ${name}`
    // Not covered as a whole by what floats or sticks (WCAG 2.2, 2.4.11).
    const at = (start: number, end: number, share: number) => start + (end - start) * share
    const shares = [0.5, 0.1, 0.9]
    const seen = shares.some((x) =>
      shares.some((y) => {
        const hit = document.elementFromPoint(at(left, right, x), at(top, bottom, y))
        return hit !== null && ((cell ?? element).contains(hit) || element.closest('label')?.contains(hit))
      }),
    )
    if (seen) return null
    const above = document.elementFromPoint(at(left, right, 0.5), at(top, bottom, 0.5))
    return `Covered: ${name}, by ${above?.tagName.toLowerCase()}.${above?.className} ${above?.textContent.slice(0, 40)}`
  })
}

/**
 * Whether something has the focus, lies before it (-1) or after it (1) in the order of the page, or before (-2) or after it (2) in the
 * toolbar that has the focus; null once it has gone.
 */
export function placeOf(target: Locator | ElementHandle<Node>): Promise<-2 | -1 | 0 | 1 | 2 | null> {
  const place = (element: Node) => {
    const { activeElement } = document
    if (!element.isConnected) return null
    if (element === activeElement) return 0
    if (!activeElement) return 1
    const isBefore = element.compareDocumentPosition(activeElement) & Node.DOCUMENT_POSITION_FOLLOWING
    if (activeElement.closest('[role="toolbar"]')?.contains(element)) return isBefore ? -2 : 2
    return isBefore ? -1 : 1
  }
  // One method of two types, which TypeScript cannot call as one.
  return 'waitFor' in target ? target.evaluate(place) : target.evaluate(place)
}
