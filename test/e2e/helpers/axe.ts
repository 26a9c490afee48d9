import axe from 'axe-core'
import type { Page } from 'playwright-core'

declare global {
  interface Window {
    readonly axe?: typeof axe
  }
}

const everything: axe.RunOnly = {
  type: 'tag',
  values: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'],
}

/** What a theme can break: it changes colours and nothing else. */
const colours: axe.RunOnly = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/** What no machine can tell where one thing floats above another, or a list has its keys in the field above it. */
const undecided = [
  'aria-required-children',
  'aria-valid-attr-value',
  'color-contrast',
  'label-content-name-mismatch',
  'scrollable-region-focusable',
  'target-size',
]

const dialog = '[role="dialog"]'

/**
 * What breaks WCAG 2.2 A or AA in a window as it is, or may: the rule, where, and why.
 * @param what `colours` where all the rest was examined in another theme
 */
export async function violations(page: Page, what: 'everything' | 'colours'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await prepare(page)
  const found = [await examine(page, { everything, colours }[what])]
  // What is scrolled may make axe give contrast up: a dialog is examined without its page then, or without what scrolls in it.
  if ((await page.locator(dialog).count()) > 0) {
    for (const within of [dialog, { include: dialog, exclude: `${dialog} [role="region"]` }])
      if (!hasContrast(found)) found.push(await examine(page, colours, within))
  }
  // What cannot pass cannot fail either.
  if (!hasContrast(found)) return ['Contrast was not examined']
  return found
    .flatMap(({ violations, incomplete }) => [
      ...violations,
      ...incomplete.filter(({ id }) => !undecided.includes(id)),
    ])
    .flatMap(({ id, nodes }) =>
      nodes.map((node) => `${id} at ${String(node.target)}: ${node.failureSummary} (${besides(node)})`),
    )
}

/** What else has to do with it: a neighbour that is too near. */
const besides = ({ any }: axe.NodeResult): string =>
  any.flatMap(({ relatedNodes = [] }) => relatedNodes.map(({ target }) => String(target))).join(', ')

type Found = Awaited<ReturnType<typeof examine>>

const hasContrast = (found: readonly Found[]): boolean =>
  found.some(({ passed }) => passed.includes('color-contrast'))

/** @param within what is examined; the whole window where left out */
const examine = (page: Page, runOnly: axe.RunOnly, within?: string | { include: string; exclude: string }) =>
  page.evaluate(
    async ({ runOnly, within }) => {
      if (!window.axe) throw new Error('Nothing examines the window')
      // Of what passed, one place each is enough: to name them all takes most of the time.
      const resultTypes: axe.resultGroups[] = ['violations', 'incomplete']
      const { violations, incomplete, passes } = await window.axe.run(within ?? document, {
        runOnly,
        resultTypes,
      })
      const overlaps = (one: DOMRect, other: DOMRect) =>
        one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom
      const floats = '[role="listbox"], [role="menu"], [role="dialog"], .floating'
      const isCovered = (element: Element) =>
        [...document.querySelectorAll(floats)].some(
          (above) =>
            !above.contains(element) &&
            overlaps(above.getBoundingClientRect(), element.getBoundingClientRect()),
        )
      // Of a target, or its neighbour, that something floats over, a part is left: it counts whole once that is closed.
      const isBeneath = ({ target, any }: axe.NodeResult) => {
        const elements = [
          target,
          ...any.flatMap(({ relatedNodes = [] }) => relatedNodes.map((node) => node.target)),
        ].flatMap(([selector]) => [...document.querySelectorAll(String(selector))])
        return (
          new Set(elements.map((element) => element.closest(floats))).size > 1 || elements.some(isCovered)
        )
      }
      const reachable = violations.map((found) =>
        found.id === 'target-size'
          ? { ...found, nodes: found.nodes.filter((node) => !isBeneath(node)) }
          : found,
      )
      return { violations: reachable, incomplete, passed: passes.map(({ id }) => id) }
    },
    { runOnly, within },
  )

/** Contrast over a gradient is not computed: so figures are examined as if each stood on its bar alone. */
async function prepare(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  await page.evaluate(() => {
    const bars = new CSSStyleSheet()
    bars.replaceSync(
      '.grid-frame td.count { background-image: none !important; background-color: var(--bar) !important }',
    )
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, bars]
  })
}

/**
 * What scrolls sideways, or sticks out of the window, though it need not (WCAG 2.2, 1.4.10). Tables of figures may
 * scroll in a frame of their own.
 */
export function sideways(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const name = (element: Element) => `${element.tagName.toLowerCase()}.${element.className}`
    const scrolls = (element: Element) =>
      element === document.documentElement || ['auto', 'scroll'].includes(getComputedStyle(element).overflowX)
    return [...document.querySelectorAll('*')]
      .filter((element) => scrolls(element) && element.scrollWidth > element.clientWidth + 1)
      .filter((element) => !element.matches('.grid-frame, [role="region"][tabindex="0"], :has(> table)'))
      .map((element) => `${name(element)}: ${element.scrollWidth} in ${element.clientWidth}`)
  })
}
