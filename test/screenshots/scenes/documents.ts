import type { Page } from 'playwright-core'
import type { Scene, Stage } from '../stage.ts'
import { calm, drawn, go, open, press } from '../stage.ts'
import { charts } from './charts.ts'
import { hush, rawList } from './raw.ts'

const named = (scenes: readonly Scene[], name: string) => scenes.filter((scene) => scene.name === name)

/** The scenes that documents show, and what leads to them: a minute, where all scenes take ten. */
export const documents: readonly Scene[] = [
  { name: 'beginning', set: connect },
  ...named(charts, 'chart-compared'),
  ...named(rawList, 'raw'),
  ...named(rawList, 'raw-report'),
  {
    name: 'partial',
    set: async ({ page, service }) => {
      await service.limitDays(7)
      const month = monthBefore()
      await open(page, `#/reports/script/geography?start=${month}-01&end=${month}-19`)
      await service.unplug()
      await go(page, `#/reports/script/geography?start=${month}-01&end=${month}-28`)
      await page
        .getByText(/\d+ of 28 days; missing/)
        .first()
        .waitFor()
      await calm(page)
    },
    leave: ({ service }) => service.plugIn(),
  },
]

async function connect({ page, service }: Stage): Promise<void> {
  await page.getByLabel('Account name').fill('Northwind Media')
  await page.getByLabel('Service address').fill(service.address)
  await page.getByLabel('Access token').fill(service.token)
  await press(page, 'Connect')
  await page.getByRole('button', { name: 'Account: Northwind Media' }).waitFor()
  await overview(page)
  await hush(page)
}

async function overview(page: Page): Promise<void> {
  await go(page, '#/overview')
  await drawn(page)
  await calm(page)
}

/** The last whole month: its days are settled. */
function monthBefore(): string {
  const now = new Date()
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1, 1)).toISOString().slice(0, 7)
}
