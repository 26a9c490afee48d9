import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Desk, DeskParts } from '#main/app/desk.ts'
import type { Notice } from '#shared/app/state.ts'
import { deskOver, noShell } from './helpers.ts'

/** A desk over a new profile folder. */
function newDesk(given: Partial<DeskParts> = {}): { readonly desk: Desk; readonly folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-desk-'))
  const desk = deskOver(folder, { shell: { ...noShell, downloads: () => folder }, ...given })
  onTestFinished(async () => {
    await desk.close()
    rmSync(folder, { recursive: true })
  })
  return { desk, folder }
}

const late: Notice = {
  id: 'late',
  tone: 'information',
  title: 'Late',
  text: 'Told while the state was asked for.',
}

describe('the state that a window begins with', () => {
  it('is that of a new profile', async () => {
    const { handlers } = newDesk().desk
    expect(await handlers['desk/state'](undefined)).toEqual({
      version: '1.2.3',
      accounts: [],
      active: null,
      connection: { kind: 'unknown' },
      notices: [],
      proxies: [],
      lastView: null,
      answers: [],
    })
  })

  it('holds what was told while it was put together', async () => {
    const { desk } = newDesk()
    await desk.handlers['desk/state'](undefined)
    const asked = desk.handlers['desk/state'](undefined)
    // A few turns of the microtask queue: the handler has begun, and waits for the store's thread.
    for (let turn = 0; turn < 5; turn += 1) await null
    desk.showNotice(late)
    expect((await asked).notices).toEqual([late])
  })
})

it('saves the list of its parts among the downloads', async () => {
  const { desk, folder } = newDesk()
  const { file } = await desk.handlers['desk/save-parts-list'](undefined)
  expect(file).toBe('Traffic Desk parts.cdx.json')
  expect(readFileSync(join(folder, file), 'utf8')).toBe(await noShell.partsList())
})

it('writes nothing of a notice down, nor into a problem report, that could name an account', async () => {
  const logged: string[] = []
  const { desk } = newDesk({ log: (where, words) => logged.push(`${where}: ${words}`) })
  // The account may be called otherwise by now, or be gone: nobody knows its name any more.
  const title = 'The history of HP could not be published'
  desk.showNotice({ id: 'publishing 1', tone: 'warning', title, text: 'HP' })
  const { problemReport } = await desk.handlers['desk/about'](undefined)
  expect(logged).toEqual(['desk: Notice publishing 1 (warning)'])
  expect(problemReport).toContain('\nNotices\npublishing 1 (warning)\n')
  expect(problemReport).not.toContain('HP')
})

it('saves the problem report that was shown, without what came since', async () => {
  const { desk, folder } = newDesk()
  const save = async () => {
    const { file } = await desk.handlers['desk/save-problem-report'](undefined)
    return readFileSync(join(folder, file), 'utf8')
  }
  desk.showNotice(late)
  expect(await save()).toContain('late (information)')
  desk.handlers['desk/dismiss-notice'](late)
  const { problemReport } = await desk.handlers['desk/about'](undefined)
  desk.showNotice(late)
  expect(await save()).toBe(problemReport)
})

it('says while it rests that it does', async () => {
  const { desk } = newDesk()
  const titles = async () => (await desk.handlers['desk/state'](undefined)).notices.map(({ title }) => title)
  desk.pause(true)
  expect(await titles()).toEqual(['Paused'])
  desk.pause(false)
  expect(await titles()).toEqual([])
})

describe('an open window', () => {
  it('has the service looked after every ten seconds, by what knows of it', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const { desk } = newDesk()
    await desk.handlers['desk/state'](undefined)
    const before = vi.getTimerCount()
    desk.setWatching(true)
    // What a timer calls has nobody to catch for it: an error here would be one of the whole app.
    expect(() => vi.advanceTimersByTime(10_000)).not.toThrow()
    desk.setWatching(false)
    expect(vi.getTimerCount()).toBe(before)
  })
})
