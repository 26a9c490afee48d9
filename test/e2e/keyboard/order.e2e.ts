import { expect, it } from 'vitest'
import { exact, gridOf } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connectByKeys, sitDown } from './hand.ts'

/** More stops than any view has. */
const STOPS = 90

it('goes through each view in the order in which it is read, and comes round', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  const { page } = hand
  await connectByKeys(hand, sandbox)
  const name = () =>
    page.evaluate(() => {
      const { activeElement: element } = document
      if (!(element instanceof HTMLElement)) return ''
      const field = element instanceof HTMLInputElement || element instanceof HTMLSelectElement
      const label = field ? element.labels?.[0]?.textContent : element.textContent
      return (element.getAttribute('aria-label') ?? label ?? '').trim().replaceAll(/\s+/g, ' ').slice(0, 40)
    })

  for (const [view, role, last] of [
    ['Reports', 'combobox', 'Rows per page'],
    ['Overview', 'button', 'Compare with the previous period'],
    ['Raw reports', 'combobox', 'Rows per page'],
    ['Downloads', 'link', 'Go to raw reports'],
    ['Cases', 'link', 'Go to reports'],
    ['Settings', 'combobox', 'Disk space for saved figures'],
  ] as const) {
    await hand.press('ControlOrMeta+k')
    await hand.type(view)
    await hand.press('Enter')
    await page.getByRole('link', { name: view, exact: true }).and(page.locator('[aria-current]')).waitFor()
    if (view === 'Reports') await gridOf(page, 'Script by instance').waitFor()
    await exact(page, role, last).waitFor()
    await hand.to('link', 'Skip to content')
    const stops: string[] = []
    for (let stop = 0; stop < STOPS; stop += 1) {
      await hand.press('Tab')
      const reached = await name()
      if (reached === 'Skip to content') break
      stops.push(reached)
    }
    expect(stops.length, stops.join(' · ')).toBeLessThan(STOPS)
    // The side bar comes first, and leads from whose figures these are through all views.
    expect(stops.slice(0, 3)).toEqual(['Account: Northwind', 'Today', 'Overview'])
    // The order of the page is the order of the stops: nothing asks for another.
    expect(
      await page.evaluate(
        () =>
          [...document.querySelectorAll('[tabindex]')].filter(
            (each) => Number(each.getAttribute('tabindex')) > 0,
          ).length,
      ),
    ).toBe(0)
    expect(
      stops.some((each) => each.startsWith(last) || last.startsWith(each)),
      stops.join(' · '),
    ).toBe(true)
    if (view === 'Reports') expect(stops.filter((each) => each === 'Script by instance')).toHaveLength(1)
  }
  await hand.to('link', 'Skip to content')
  await hand.press('Enter')
  await hand.hasFocus(page.locator('main'))
  hand.end()
})
