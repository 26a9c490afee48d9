import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openDesk } from '../../../src-main/desk/desk.ts'
import type { Desk } from '../../../src-main/desk/desk.ts'
import type { AccountId } from '../../../src-shared/values/ids.ts'
import { temporaryFolder } from '../store/helpers.ts'

const sources = resolve(import.meta.dirname, '../../../src-main')

type OpenDesk = Desk & {
  /** Waits until something holds that may hold after any change of the account's views. */
  readonly until: (holds: () => Promise<boolean>) => Promise<void>
}

/** The whole desk over a profile folder, with its real threads; files go to `downloads`. */
function deskOver(folder: string, downloads: string): OpenDesk {
  const waiting = new Set<() => void>()
  const desk = openDesk({
    folder,
    trouble: null,
    version: '1.2.3',
    storeWorker: join(sources, 'store/worker.ts'),
    sampleWorker: join(sources, 'sandbox/worker.ts'),
    reckonWorker: join(sources, 'reports/reckon/worker.ts'),
    exportWorker: join(sources, 'exports/worker.ts'),
    archiveWorker: '',
    desktop: {
      notifier: () => Promise.reject(new Error('No desktop')),
      followNotifications: () => Promise.resolve(),
    },
    show: () => undefined,
    stirred: () => undefined,
    shell: {
      copy: () => undefined,
      chooseFolder: () => Promise.resolve(null),
      chooseViewsFile: () => Promise.resolve(join(downloads, 'Sample data - Saved views.json')),
      downloads: () => downloads,
      showFile: () => undefined,
      openFile: () => Promise.resolve(''),
      print: () => Promise.resolve(new Uint8Array()),
      apply: () => Promise.resolve(),
    },
    resolveProxy: () => Promise.resolve('DIRECT'),
    tell: (name) => {
      if (name === 'views/changed') for (const look of waiting) look()
    },
    log: () => undefined,
  })
  desk.begin()
  onTestFinished(() => desk.close())
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
  return { ...desk, until }
}

const list = ({ handlers }: Desk, account: AccountId) => Promise.resolve(handlers['views/list']({ account }))

it('keeps a pinned view whole, finds it kept after a restart, and opens with the start view', async () => {
  const folder = temporaryFolder()
  const downloads = temporaryFolder()
  const first = deskOver(folder, downloads)
  const { id: account } = await first.handlers['accounts/explore-sample'](undefined)
  const address = '#/reports/script/browsers?compare=week-before'
  const view = await first.handlers['views/save']({ account, name: 'Browsers', address, pinned: true })
  await first.handlers['views/change']({ account, view: view.id, start: true })
  await first.until(async () => (await list(first, account)).every(({ syncing }) => !syncing))
  const [kept] = await list(first, account)
  expect(kept).toMatchObject({ failure: null, syncing: false, kept: { days: 14, of: 14 } })
  expect(kept?.kept?.bytes).toBeGreaterThan(0)
  expect(await first.handlers['views/export']({ account })).toEqual({
    file: 'Sample data - Saved views.json',
  })
  await first.close()

  const again = deskOver(folder, downloads)
  expect((await again.handlers['desk/state'](undefined)).lastView).toBe(address)
  await again.until(async () => (await list(again, account)).every(({ syncing }) => !syncing))
  const [found] = await list(again, account)
  expect(found).toMatchObject({ name: 'Browsers', start: true, failure: null, kept: { days: 14, of: 14 } })
  // Days that are settled were not asked for again: the oldest is as old as it was.
  expect(found?.kept?.oldest).toBe(kept?.kept?.oldest)
  expect(await again.handlers['views/import']({ account })).toEqual({ added: 1 })
  expect((await list(again, account)).map(({ name }) => name)).toEqual(['Browsers', 'Browsers copy'])

  await again.handlers['accounts/remove']({ account, what: 'everything' })
  expect(await list(again, account)).toEqual([])
  await again.close()
  expect(readFileSync(join(downloads, 'Sample data - Saved views.json'), 'utf8')).toContain(address)
}, 60_000)
