import type { Page } from 'playwright-core'
import type { Scene } from '../stage.ts'
import { calm, drawn, leavePointer, open } from '../stage.ts'

async function openChart(page: Page, address: string): Promise<void> {
  await open(page, address)
  await drawn(page)
  await calm(page)
}

const days = 'period=last-28-days'

/** The charts above a table. */
export const charts: readonly Scene[] = [
  {
    name: 'chart',
    set: ({ page }) => openChart(page, `#/reports/script/browsers?${days}&chart=rate`),
  },
  {
    name: 'chart-compared',
    set: async ({ page }) => {
      await openChart(page, `#/reports/direct/geography?period=last-7-days&chart=rate&compare=period-before`)
      await page.locator('.grid-frame .all').getByText('…').first().waitFor({ state: 'hidden' })
    },
  },
  {
    name: 'chart-german',
    set: async ({ page }) => {
      await page.evaluate(() => window.desk.call('settings/write', { formats: 'de-DE' }))
      await openChart(page, `#/reports/script/networks?${days}&chart=stacked&compare=period-before&rates=1`)
      await page.locator('.grid-frame .all').getByText('…').first().waitFor({ state: 'hidden' })
    },
    leave: ({ page }) => page.evaluate(() => void window.desk.call('settings/write', { formats: 'system' })),
  },
  {
    name: 'chart-stacked',
    set: ({ page }) => openChart(page, `#/reports/script/devices?${days}&chart=stacked`),
  },
  {
    name: 'chart-share',
    set: async ({ page }) => {
      await openChart(page, `#/reports/script/networks?${days}&chart=share`)
      const plot = await page.locator('.plot').boundingBox()
      if (plot) await page.mouse.move(plot.x + plot.width / 3, plot.y + plot.height / 2)
      await page.locator('.tip').waitFor()
    },
    leave: ({ page }) => leavePointer(page),
  },
  {
    name: 'chart-top-rows',
    set: ({ page }) => openChart(page, `#/reports/script/operating-systems?${days}&chart=top`),
  },
]
