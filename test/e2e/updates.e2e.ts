import { chmodSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { feedText, maker, openFeedHost, packageBytes, publishAt } from '../src-main/updates/maker.ts'
import { startDesk } from './helpers/app.ts'
import { violations } from './helpers/axe.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { exploreSample } from './helpers/window.ts'

it('finds, refuses, downloads and installs an update from a feed on this computer', async () => {
  const [host, by] = [await openFeedHost(), maker()]
  onTestFinished(() => host.server.close())
  const bytes = packageBytes(3_000_000)
  const now = Date.now()
  const text = feedText(bytes, {
    version: '99.0.0',
    date: new Date(now).toISOString(),
    expires: new Date(now + 86_400_000).toISOString(),
  })
  const folder = temporaryFolder('appimage')
  const running = join(folder, 'Traffic Desk.AppImage')
  writeFileSync(running, packageBytes(1000))
  chmodSync(running, 0o755)
  const profile = temporaryFolder('updates')
  const { page, ended, said } = await startDesk({
    profile,
    env: {
      TRAFFIC_DESK_UPDATE_FEED: host.address,
      TRAFFIC_DESK_UPDATE_KEY: by.publicKey,
      APPIMAGE: running,
      APPDIR: dirname(realpathSync(process.env['ELECTRON_EXEC_PATH'] ?? '')),
    },
  })
  await exploreSample(page)
  await page.evaluate(() => (location.hash = '#/help/about'))
  const status = page.locator('section p[role="status"]')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  await expect.poll(() => status.innerText()).toContain('Not checked')
  expect(host.server.requests).toEqual([])

  publishAt(host, maker(), text, bytes)
  await press('Check now')
  await expect.poll(() => page.getByRole('alert').innerText()).toContain('not signed by the maker')
  publishAt(host, by, text, packageBytes(3_000_000))
  await press('Check now')
  await expect.poll(() => status.innerText()).toContain('Version 99.0.0 is available')
  await press('Download')
  await expect.poll(() => page.getByRole('alert').innerText()).toContain("package's signature is wrong")
  expect(readdirSync(join(profile, 'updates'))).toEqual([])
  expect(await violations(page, 'everything')).toEqual([])

  host.lying.set('/desk/app.deb', bytes)
  await press('Download')
  await expect.poll(() => status.innerText()).toContain('is downloaded and checked')
  expect(await page.getByRole('alert').count()).toBe(0)
  await press('Install')
  await expect.poll(() => status.innerText()).toContain('Version 99.0.0 is installed')
  expect(readFileSync(running).equals(bytes)).toBe(true)
  expect(statSync(running).mode & 0o777).toBe(0o755)
  expect([readdirSync(folder), readdirSync(join(profile, 'updates'))]).toEqual([
    ['Traffic Desk.AppImage'],
    [],
  ])
  await press('Restart now')
  expect(await ended, said()).toBe(0)
})
