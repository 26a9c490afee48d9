import type { Body } from '../service.ts'
import type { Scene, Stage } from '../stage.ts'
import { button, calm, escape, go, open } from '../stage.ts'
import { hush } from './raw.ts'

/** The service's instances, but for the last two of them. */
function fewer(body: Body): Body {
  const listed = Array.isArray(body['instances']) ? body['instances'] : []
  const instances = listed.slice(0, -2)
  return { ...body, instances, query: { ...(body['query'] as object), results: instances.length } }
}

/** Enters the account's token once more: what it sees is looked at anew. */
async function renew({ page, service }: Stage): Promise<void> {
  await go(page, '#/settings')
  await button(page, 'Replace token').click()
  await page.getByLabel('Access token').fill(service.token)
  await button(page, 'Use new token').click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}

/** Figures that were saved while the token saw other instances. */
export const earlier: readonly Scene[] = [
  {
    name: 'earlier-in-settings',
    set: async (stage) => {
      const { page, service } = stage
      service.change('/interface/instances', fewer)
      await renew(stage)
      await page.getByRole('heading', { name: 'Earlier figures' }).waitFor()
      await calm(page)
    },
  },
  {
    name: 'earlier-removed',
    set: async ({ page }) => {
      await button(page, 'Remove').click()
      await page.getByRole('dialog').waitFor()
    },
    leave: escape,
  },
  {
    name: 'earlier-in-the-menu',
    set: async ({ page }) => {
      await page.getByRole('button', { name: /^Account:/ }).click()
      await page.getByRole('menu').waitFor()
    },
    leave: escape,
  },
  {
    name: 'earlier-figures',
    set: async ({ page }) => {
      await button(page, 'Show').click()
      await button(page, 'Edit account').first().waitFor()
      await open(page, '#/overview?period=last-28-days')
    },
  },
  {
    name: 'earlier-not-saved',
    set: async ({ page }) => {
      await go(page, '#/reports/direct/browsers?period=this-quarter')
      await page.getByText('Nothing saved for this view').waitFor()
    },
    leave: async (stage) => {
      const { page, service } = stage
      service.restore()
      // This view is not to be saved: it is shown offline later.
      await go(page, '#/settings')
      await page.getByRole('button', { name: /as it is now$/ }).click()
      await renew(stage)
      await page
        .getByRole('region', { name: 'Notices' })
        .getByText(/instead of 5\./)
        .waitFor()
      await hush(page)
    },
  },
]
