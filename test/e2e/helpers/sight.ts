import type { Page } from 'playwright-core'
import { sideways } from './axe.ts'

/**
 * What a person would stumble over in the window as it is: texts that are cut, what sticks out or is covered, small targets, stops
 * out of order.
 */
export async function stumbles(page: Page): Promise<string[]> {
  const found = await Promise.all([
    cut(page),
    sideways(page),
    beyond(page),
    below(page),
    small(page),
    disordered(page),
    broken(page),
    beneath(page),
  ])
  const names = [
    'cut',
    'scrolls sideways',
    'beyond the edge',
    'below the window',
    'too small',
    'out of order',
    'broken into lines',
    'beneath the notices',
  ]
  return found.flatMap((places, at) => [...new Set(places)].map((place) => `${names[at]}: ${place}`))
}

/** Texts that are cut and have their whole in no tip; what stands in fields and lists, too, unless it was typed. */
const cut = (page: Page) =>
  page.evaluate(() => {
    const name = (each: Element, text: string) =>
      `${each.tagName.toLowerCase()}.${each.className} “${text.trim().slice(0, 40)}”`
    const isSeen = (each: Element) =>
      each.checkVisibility({ visibilityProperty: true, opacityProperty: true })
    const isTold = (each: Element) => each.closest('[title]:not([title=""]), [data-whole]') !== null
    const pen = document.createElement('canvas').getContext('2d')
    const found: string[] = []
    for (const each of document.querySelectorAll<HTMLElement>('body *')) {
      if (!isSeen(each) || each.closest('.visually-hidden')) continue
      const style = getComputedStyle(each)
      const field = each instanceof HTMLSelectElement || each instanceof HTMLInputElement ? each : null
      if (field && pen) {
        const text =
          field instanceof HTMLSelectElement
            ? (field.selectedOptions[0]?.text ?? '')
            : field.value === '' && field.placeholder
        const room =
          field.clientWidth - Number.parseFloat(style.paddingLeft) - Number.parseFloat(style.paddingRight)
        pen.font = style.font
        if (text && pen.measureText(text).width > room + 1 && !isTold(field)) found.push(name(field, text))
        continue
      }
      const text = each.textContent ?? ''
      if (text.trim() === '' || !['hidden', 'clip'].includes(style.overflowX)) continue
      const isWide = each.scrollWidth > each.clientWidth + 1
      const isTall = style.overflowY !== 'auto' && each.scrollHeight > each.clientHeight + 4
      const isHigh = isTall && !(style.webkitLineClamp !== 'none' && isTold(each))
      if ((isWide && !(style.textOverflow === 'ellipsis' && isTold(each))) || isHigh)
        found.push(name(each, text))
    }
    return found
  })

/** What lies beyond the right edge of the window, where nothing scrolls to it. */
const beyond = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('body *'))
      .filter((each) => {
        if (each.getBoundingClientRect().right <= innerWidth + 1 || !each.checkVisibility()) return false
        for (let holder = each.parentElement; holder; holder = holder.parentElement)
          if (holder !== document.body && getComputedStyle(holder).overflowX !== 'visible') return false
        return true
      })
      .map(
        (each) => `${each.tagName.toLowerCase()}.${each.className} ${each.textContent.trim().slice(0, 40)}`,
      ),
  )

/** A view scrolls within itself: where the window scrolls too, something that the view does not hold makes it longer. */
const below = (page: Page) =>
  page.evaluate(() => {
    const view = document.querySelector('main')
    const isHeld = view !== null && getComputedStyle(view).overflowY === 'auto'
    const { scrollHeight, clientHeight } = document.documentElement
    return isHeld && scrollHeight > clientHeight + 1 ? [`${scrollHeight} in ${clientHeight}`] : []
  })

/**
 * Controls of less than 24 pixels each way (WCAG 2.2, 2.5.8). A box to tick may be smaller where nothing else is within that circle. Links
 * in a text may be as high as its line: axe examines what is around them.
 */
const small = (page: Page) =>
  page.evaluate(() => {
    const least = 23.5
    const controls = 'button, select, input, textarea, summary, [role="option"], [role^="menuitem"]'
    const all = Array.from(document.querySelectorAll<HTMLElement>(controls)).filter(
      (each) => each.checkVisibility({ visibilityProperty: true }) && !each.closest('.visually-hidden'),
    )
    const middle = (each: Element): [number, number] => {
      const { left, right, top, bottom } = each.getBoundingClientRect()
      return [(left + right) / 2, (top + bottom) / 2]
    }
    /** Neither scrolled away nor beneath something: else it is no target as it is. */
    const isTarget = (each: Element) => each.contains(document.elementFromPoint(...middle(each)))
    const isAlone = (box: HTMLElement) => {
      if (!isTarget(box)) return true
      const [x, y] = middle(box)
      return all.filter(isTarget).every((each) => {
        const other = each.getBoundingClientRect()
        const [dx, dy] = [
          Math.max(other.left - x, x - other.right),
          Math.max(other.top - y, y - other.bottom),
        ]
        return each === box || Math.hypot(Math.max(0, dx), Math.max(0, dy)) >= least / 2
      })
    }
    return all
      .filter((each) => {
        const labels = each instanceof HTMLInputElement ? [...(each.labels ?? [])] : []
        const sizes = [each, ...labels].map((part) => part.getBoundingClientRect())
        if (sizes.some(({ width, height }) => width === 0 || (width >= least && height >= least)))
          return false
        return !each.matches('[type="checkbox"], [type="radio"]') || !isAlone(each)
      })
      .map((each) => {
        const { width, height } = each.getBoundingClientRect()
        const words = each.getAttribute('aria-label') ?? each.textContent.trim().slice(0, 40)
        return `${each.tagName.toLowerCase()}.${each.className} ${words}: ${width} × ${height}`
      })
  })

/** Neighbours among the stops of the keyboard of which the second stands before the first as one reads. */
const disordered = (page: Page) =>
  page.evaluate(() => {
    const stops = Array.from(
      document.querySelectorAll<HTMLElement>(
        'a[href], button, select, input, textarea, summary, [tabindex="0"]',
      ),
    ).filter(
      (each) =>
        each.tabIndex >= 0 &&
        !each.matches(':disabled, .dialog-close, .visually-hidden') &&
        each.checkVisibility({ visibilityProperty: true }),
    )
    /** Wholly within what scrolls it. What is scrolled away has no place yet, and a part of it lies over what is below. */
    const isThere = (each: Element) => {
      const { top, bottom } = each.getBoundingClientRect()
      for (let holder = each.parentElement; holder; holder = holder.parentElement) {
        if (!['auto', 'scroll'].includes(getComputedStyle(holder).overflowY)) continue
        const frame = holder.getBoundingClientRect()
        return holder === document.documentElement || (top > frame.top - 1 && bottom < frame.bottom + 1)
      }
      return true
    }
    const part = (each: Element) =>
      each.closest('[role="dialog"], [role="menu"], [aria-label="Messages"], aside, nav, header, main, .side')
    return stops.slice(1).flatMap((stop, at) => {
      const last = stops[at]
      if (!last || part(last) !== part(stop) || !isThere(last) || !isThere(stop)) return []
      const [one, other] = [last.getBoundingClientRect(), stop.getBoundingClientRect()]
      const above = other.bottom <= one.top + 1 && other.left < one.right
      const before = other.right <= one.left + 1 && other.bottom > one.top + 1 && other.top < one.bottom - 1
      const words = (each: HTMLElement) =>
        (each.getAttribute('aria-label') ?? each.textContent.trim()).slice(0, 30) ||
        each.outerHTML.slice(0, 60)
      return above || before ? [`${words(stop)} after ${words(last)}`] : []
    })
  })

/** Tables and the like that reach beneath the notices, though the view has no more than their room to scroll. */
const beneath = (page: Page) =>
  page.evaluate(() => {
    const [view, notices] = ['main', '.notices:has(.banner)'].map((each) => document.querySelector(each))
    if (!view || !notices || getComputedStyle(view).overflowY !== 'auto') return []
    const { top, height } = notices.getBoundingClientRect()
    if (view.scrollHeight > view.clientHeight + height + 1) return []
    return Array.from(view.querySelectorAll('*'))
      .filter((each) => {
        const isScrolled =
          getComputedStyle(each).overflowY === 'auto' && each.scrollHeight > each.clientHeight
        return isScrolled && each.getBoundingClientRect().bottom > top + 1
      })
      .map((each) => `${each.tagName.toLowerCase()}.${each.className}`)
  })

/** Figures of a table that go on in another line. */
const broken = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('td'))
      .filter((each) => {
        if (!/^\S*\d[\d\s.,]*%?$/.test(each.textContent) || each.childElementCount > 0) return false
        const range = document.createRange()
        range.selectNodeContents(each)
        return new Set(Array.from(range.getClientRects(), ({ top }) => Math.round(top))).size > 1
      })
      .map((each) => each.textContent),
  )

/** How many stops of the keyboard lie from one control to another, whichever way. */
export const stopsBetween = (page: Page, from: string, to: string) =>
  page.evaluate(
    ([from, to]) => {
      const stops = Array.from(
        document.querySelectorAll<HTMLElement>(
          'a[href], button, select, input, textarea, summary, [tabindex="0"]',
        ),
      ).filter((each) => each.tabIndex >= 0 && !each.matches(':disabled') && each.checkVisibility())
      const at = (selector: string) => stops.findIndex((each) => each.matches(selector))
      return at(from) < 0 || at(to) < 0 ? null : Math.abs(at(to) - at(from))
    },
    [from, to] as const,
  )
