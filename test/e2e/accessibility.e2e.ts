import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { startDesk } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { connect, exploreSample, openView, overviewFigures, reportFigures } from './helpers/window.ts'

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

/** What breaks WCAG 2.2 A or AA in the view that is open: the rule, and where. */
async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source)
  const found = await page.evaluate(async (tags) => {
    const { violations, passes } = await window.axe.run(document, { runOnly: tags })
    return { violations, passed: passes.map(({ id }) => id) }
  }, rules)
  expect(found.passed).toContain('color-contrast')
  return found.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
  )
}

declare global {
  interface Window {
    readonly axe: typeof axe
  }
}

describe.each(['light', 'dark'] as const)('in %s, no violation of WCAG 2.2 A or AA', (colorScheme) => {
  it('on any view', async () => {
    const { page } = await startDesk({ profile: temporaryFolder('axe') })
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
    expect(await violations(page)).toEqual([])
    await connect(page, { name: '', address: '', token: '' })
    await page.locator('[aria-invalid="true"]').first().waitFor()
    expect(await violations(page)).toEqual([])

    await exploreSample(page)
    await overviewFigures(page)
    await page.locator('canvas').nth(1).waitFor()
    expect(await violations(page)).toEqual([])
    await reportFigures(page, 'Script', 'Browsers', 'Script by browser')
    expect(await violations(page)).toEqual([])
    for (const view of ['Raw reports', 'Downloads', 'Settings']) {
      await openView(page, view)
      await page.getByRole('heading', { level: 1, name: view }).waitFor()
      expect(await violations(page)).toEqual([])
    }
  })
})
