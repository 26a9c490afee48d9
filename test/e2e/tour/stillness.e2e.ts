import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startDesk } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { startSandbox, untilChecked } from '../helpers/sandbox.ts'
import { connect, openView, status } from '../helpers/window.ts'
import { lastDays } from './start.ts'
import { pollOptions } from '../helpers/poll-options.ts'

/** No more of the window may move at once, as Chromium scores it: the share that moves times how far. */
const MAX = 0.01
declare global {
  interface Window {
    shifts?: string[]
  }
}

/** Writes down all that moves from now on, also right after a key, with what moved. */
const watch = (page: Page) =>
  page.evaluate((max) => {
    const shifts: string[] = []
    const nameOf = (node: Node | null | undefined) =>
      node instanceof Element
        ? `${node.tagName.toLowerCase()}.${node.className} ${node.textContent.trim().slice(0, 30)}`
        : (node?.textContent?.slice(0, 30) ?? '')
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        const { value, sources = [] } = entry as PerformanceEntry & {
          readonly value: number
          readonly sources?: readonly {
            readonly node?: Node
            readonly previousRect: DOMRectReadOnly
            readonly currentRect: DOMRectReadOnly
          }[]
        }
        if (value <= max) continue
        const moved = sources.map(
          ({ node, previousRect: from, currentRect: to }) =>
            `${nameOf(node)} (${from.x},${from.y} ${from.width}×${from.height} → ${to.x},${to.y} ${to.width}×${to.height})`,
        )
        shifts.push(`${value.toFixed(4)}: ${moved.join('; ')}`)
      }
    })
    observer.observe({ type: 'layout-shift' })
    window.shifts = shifts
  }, MAX)

/** Waits until nothing is on its way. */
const calm = (page: Page) =>
  page.waitForFunction(() => !document.querySelector('[aria-busy="true"], .dimmed, .skeleton'))

it('lets nothing move while figures load, are compared, the service goes away, a token is refused, or a mark appears', async () => {
  const sandbox = await startSandbox()
  const { page } = await startDesk({ profile: temporaryFolder('stillness') })
  await page.setViewportSize({ width: 1280, height: 800 })
  await connect(page, { name: 'Still', address: sandbox.address, token: sandbox.tokens.admin })
  await status(page).filter({ hasText: 'As of' }).waitFor(pollOptions)
  await watch(page)
  const found: Record<string, readonly string[]> = {}
  /** Two frames more, in which what moved is told. */
  const during = async (state: string, run: () => Promise<void>) => {
    await run()
    const shifts = await page.evaluate(async () => {
      await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
      return window.shifts?.splice(0) ?? ['Nothing was watched']
    })
    if (shifts.length > 0) found[state] = shifts
  }
  const go = (address: string) => page.evaluate((hash) => (location.hash = hash), address)
  const figures = (name: string) => gridOf(page, name).getByRole('row').nth(2).waitFor(pollOptions)
  const slow = (path: string) =>
    sandbox.control('POST', '/faults', { path, does: { kind: 'delay', milliseconds: 1500 }, times: null })

  const script = page.getByRole('region', { name: 'Script', exact: true })
  await during('another period of Overview loads', async () => {
    await slow('script/sessions')
    await go('#/overview?period=last-28-days')
    await page.locator('[aria-busy="true"]').first().waitFor(pollOptions)
    await script.and(page.locator('[aria-busy="false"]')).waitFor(pollOptions)
    await sandbox.control('DELETE', '/faults')
  })
  await during('comparison is switched on in Overview', async () => {
    await exact(page, 'button', 'Compare with the previous period').click()
    await page
      .getByRole('table', { name: /went up|went down/ })
      .first()
      .waitFor(pollOptions)
    await calm(page)
  })
  await during('a table and its chart load', async () => {
    await slow('script/browsers')
    await go('#/reports/script/browsers?chart=lines')
    await figures('Script by browser')
    await page.locator('canvas').waitFor(pollOptions)
    await sandbox.control('DELETE', '/faults')
  })
  await during('comparison is switched on in a report', async () => {
    await slow('script/browsers')
    await page.getByLabel('Compare with').selectOption('period-before')
    await page.getByText(/^Compared with/).waitFor(pollOptions)
    await calm(page)
    await sandbox.control('DELETE', '/faults')
  })
  for (const view of ['Raw reports', 'Raw rows', 'Downloads', 'Cases', 'Settings'])
    await during(`${view} loads`, async () => {
      await openView(page, view)
      await page.getByRole('heading', { level: 1, name: view }).waitFor(pollOptions)
    })
  await during('a mark appears', async () => {
    await go('#/reports/script/browsers?period=last-7-days')
    await figures('Script by browser')
    await untilChecked(sandbox)
    await sandbox.control('POST', '/days/restate', { days: [lastDays(2).start] })
    await exact(page, 'button', 'Refresh').click()
    await page.getByRole('button', { name: /^Restated: / }).waitFor(pollOptions)
  })
  await during('the token is refused', async () => {
    await untilChecked(sandbox)
    await sandbox.control('POST', '/tokens', { revoke: 'admin' })
    await exact(page, 'button', 'Refresh').click()
    await exact(page, 'button', 'Use new token').waitFor(pollOptions)
    await status(page).filter({ hasText: 'Token rejected' }).waitFor(pollOptions)
  })
  await during('the service goes away', async () => {
    await sandbox.kill()
    await exact(page, 'button', 'Refresh').click()
    await status(page).filter({ hasText: 'Offline.' }).waitFor(pollOptions)
  })
  expect(found).toEqual({})
}, 120_000)
