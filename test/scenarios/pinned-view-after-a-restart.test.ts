import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { App } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { appOver, noShell } from '../src-main/app/helpers.ts'
import { temporaryFolder } from '../src-main/database/helpers.ts'

type OpenApp = {
  readonly app: App
  /** Waits until something holds that may hold after any change of the account's views. */
  readonly until: (holds: () => Promise<boolean>) => Promise<void>
}

/** An app that goes on with what goes on by itself; files go to `downloads`. */
function begunApp(folder: string, downloads: string): OpenApp {
  const waiting = new Set<() => void>()
  const events = new AppEvents()
  events.on('views/changed', () => {
    for (const look of waiting) look()
  })
  const app = appOver(folder, {
    shell: {
      ...noShell,
      chooseViewsFile: () => Promise.resolve(join(downloads, 'Sample data - Saved views.json')),
      downloads: () => downloads,
    },
    events,
  })
  app.begin()
  onTestFinished(() => app.close())
  const until = (holds: () => Promise<boolean>) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        holds().then((held) => {
          if (held) waiting.delete(look)
          if (held) resolve()
        }, reject)
      }
      waiting.add(look)
      look()
    })
  return { app, until }
}

const list = ({ app }: OpenApp, account: AccountId) =>
  Promise.resolve(app.handlers['views/list']({ account }))

it('keeps a pinned view whole, finds it kept after a restart, and opens with the start view', async () => {
  const folder = temporaryFolder()
  const downloads = temporaryFolder()
  const first = begunApp(folder, downloads)
  const { id: account } = await first.app.handlers['accounts/explore-sample'](undefined)
  const address = '#/reports/script/browsers?compare=week-before'
  const view = await first.app.handlers['views/save']({ account, name: 'Browsers', address, pinned: true })
  await first.app.handlers['views/change']({ account, view: view.id, start: true })
  await first.until(async () => (await list(first, account)).every(({ syncing }) => !syncing))
  const [stored] = await list(first, account)
  expect(stored).toMatchObject({ failure: null, syncing: false, stored: { days: 14, total: 14 } })
  expect(stored?.stored?.bytes).toBeGreaterThan(0)
  expect(await first.app.handlers['views/export']({ account })).toEqual({
    file: 'Sample data - Saved views.json',
  })
  await first.app.close()

  const again = begunApp(folder, downloads)
  expect((await again.app.handlers['desk/state'](undefined)).lastView).toBe(address)
  await again.until(async () => (await list(again, account)).every(({ syncing }) => !syncing))
  const [found] = await list(again, account)
  expect(found).toMatchObject({
    name: 'Browsers',
    start: true,
    failure: null,
    stored: { days: 14, total: 14 },
  })
  // Days that are settled were not asked for again: the oldest is as old as it was.
  expect(found?.stored?.oldest).toBe(stored?.stored?.oldest)
  expect(await again.app.handlers['views/import']({ account })).toEqual({ added: 1 })
  expect((await list(again, account)).map(({ name }) => name)).toEqual(['Browsers', 'Browsers copy'])

  await again.app.handlers['accounts/remove']({ account, what: 'everything' })
  expect(await list(again, account)).toEqual([])
  await again.app.close()
  expect(readFileSync(join(downloads, 'Sample data - Saved views.json'), 'utf8')).toContain(address)
}, 60_000)
