import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { App } from '#main/app/app.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { Notice } from '#shared/app/state.ts'
import { appOver, noShell } from './helpers.ts'

/** An app over a new profile folder. */
function newApp(given: Parameters<typeof appOver>[1] = {}): {
  readonly app: App
  readonly folder: string
  readonly showNotice: (notice: Notice) => void
} {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-desk-'))
  const events = new AppEvents()
  const app = appOver(folder, { events, shell: { ...noShell, downloads: () => folder }, ...given })
  onTestFinished(async () => {
    await app.close()
    rmSync(folder, { recursive: true })
  })
  return { app, folder, showNotice: (notice) => events.emit({ kind: 'notice/shown', notice }) }
}

const late: Notice = {
  id: 'late',
  tone: 'information',
  title: 'Late',
  text: 'Told while the state was asked for.',
}

describe('the state that a window begins with', () => {
  it('is that of a new profile', async () => {
    const { handlers } = newApp().app
    expect(await handlers['desk/state'](undefined)).toEqual({
      version: '1.2.3',
      accounts: [],
      active: null,
      connections: {},
      notices: [],
      proxies: [],
      lastView: null,
      answers: [],
      weeksBeginOn: 1,
    })
  })

  it('holds what was told while it was put together', async () => {
    const { app, showNotice } = newApp()
    await app.handlers['desk/state'](undefined)
    const asked = app.handlers['desk/state'](undefined)
    // A few turns of the microtask queue: the handler has begun, and waits for the store's thread.
    for (let turn = 0; turn < 5; turn += 1) await null
    showNotice(late)
    expect((await asked).notices).toEqual([late])
  })
})

it('saves the list of its parts among the downloads', async () => {
  const { app, folder } = newApp()
  const { file } = await app.handlers['desk/save-parts-list'](undefined)
  expect(file).toBe('Traffic Desk parts.cdx.json')
  expect(readFileSync(join(folder, file), 'utf8')).toBe(await noShell.partsList())
})

it('writes nothing of a notice down, nor into a problem report, that could name an account', async () => {
  const logged: string[] = []
  const { app, showNotice } = newApp({ log: (where, words) => logged.push(`${where}: ${words}`) })
  // The account may be called otherwise by now, or be gone: nobody knows its name any more.
  const title = 'The history of HP could not be published'
  showNotice({ id: 'publishing 1', tone: 'warning', title, text: 'HP' })
  const { problemReport } = await app.handlers['desk/about'](undefined)
  expect(logged).toEqual(['desk: Notice publishing 1 (warning)'])
  expect(problemReport).toContain('\nNotices\npublishing 1 (warning)\n')
  expect(problemReport).not.toContain('HP')
})

it('saves the problem report that was shown, without what came since', async () => {
  const { app, folder, showNotice } = newApp()
  const save = async () => {
    const { file } = await app.handlers['desk/save-problem-report'](undefined)
    return readFileSync(join(folder, file), 'utf8')
  }
  showNotice(late)
  expect(await save()).toContain('late (information)')
  app.handlers['desk/dismiss-notice'](late)
  const { problemReport } = await app.handlers['desk/about'](undefined)
  showNotice(late)
  expect(await save()).toBe(problemReport)
})

it('says while it rests that it does', async () => {
  const { app } = newApp()
  const titles = async () => (await app.handlers['desk/state'](undefined)).notices.map(({ title }) => title)
  app.pause(true)
  expect(await titles()).toEqual(['Paused'])
  expect((await app.trayFacts()).paused).toBe(true)
  app.pause(false)
  expect(await titles()).toEqual([])
})

describe('an open window', () => {
  it('has the service looked after every ten seconds, by what knows of it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const { app } = newApp()
    await app.handlers['desk/state'](undefined)
    const before = vi.getTimerCount()
    app.setWatching(true)
    // What a timer calls has nobody to catch for it: an error here would be one of the whole app.
    expect(() => vi.advanceTimersByTime(10_000)).not.toThrow()
    app.setWatching(false)
    expect(vi.getTimerCount()).toBe(before)
  })
})

it('looks for no updates without a feed', async () => {
  const { app } = newApp()
  expect(await app.handlers['updates/read'](undefined)).toEqual({ kind: 'without-feed' })
})
