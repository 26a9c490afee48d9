import { expect, it, onTestFinished } from 'vitest'
import { feedText, maker, openFeedHost, page as offered, publishAt } from '../src-main/updates/maker.ts'
import { startDesk } from './helpers/app.ts'
import { violations } from './helpers/axe.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { exploreSample } from './helpers/window.ts'

it('refuses a feed of another, and finds a newer version in one on this computer', async () => {
  const [host, by] = [await openFeedHost(), maker()]
  onTestFinished(() => host.server.close())
  const now = Date.now()
  const text = feedText({
    version: '99.0.0',
    date: new Date(now).toISOString(),
    expires: new Date(now + 86_400_000).toISOString(),
  })
  const { page } = await startDesk({
    profile: temporaryFolder('updates'),
    env: { TRAFFIC_DESK_UPDATE_FEED: host.address, TRAFFIC_DESK_UPDATE_KEY: by.publicKey },
  })
  await exploreSample(page)
  await page.evaluate(() => (location.hash = '#/help/about'))
  const status = page.locator('section p[role="status"]')
  const check = () => page.getByRole('button', { name: 'Check now', exact: true }).click()
  await expect.poll(() => status.innerText()).toContain('Not checked')
  expect(host.server.requests).toEqual([])

  publishAt(host, maker(), text)
  await check()
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('not signed by the maker')
  publishAt(host, by, text)
  await check()
  await expect.poll(() => status.innerText()).toContain('Version 99.0.0 is available')
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.getByText(offered).count()).toBe(1)
  expect(await violations(page, 'everything')).toEqual([])
})
