import type { Page } from 'playwright-core'
import type { Scene, Stage } from '../stage.ts'
import { calm, drawn, go, press } from '../stage.ts'
import { charts } from './charts.ts'
import { hush, rawList } from './raw.ts'
import { states } from './states.ts'

const named = (scenes: readonly Scene[], name: string) => scenes.filter((scene) => scene.name === name)

/** The scenes that documents show, and what leads to them: a minute, where all scenes take ten. */
export const documents: readonly Scene[] = [
  { name: 'beginning', set: connect },
  ...named(charts, 'chart-compared'),
  ...named(rawList, 'raw'),
  ...named(rawList, 'raw-report'),
  ...named(states, 'partial'),
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
