import { EventEmitter } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { BrowserWindow } from 'electron'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { placeFor, readWindowPlace, writeWindowPlace, DeskWindow } from '#main/shell/window.ts'
import type { RunningApp, AppWindows } from '#main/shell/window.ts'
import { fake } from '#test/helpers/fake.ts'

const screen = { x: 0, y: 0, width: 1920, height: 1080 }
const place = { x: 100, y: 80, width: 900, height: 700, maximised: false }

describe('where the window opens', () => {
  it('is where it was, while a screen shows it', () => {
    expect(placeFor(place, [screen])).toEqual({ x: 100, y: 80, width: 900, height: 700 })
  })

  it('may be on a second screen to the left', () => {
    const left = { x: -1920, y: 0, width: 1920, height: 1080 }
    expect(placeFor({ ...place, x: -1500 }, [screen, left])).toMatchObject({ x: -1500 })
  })

  it.each([
    ['nothing is known', null],
    ['its screen has gone', { ...place, x: 4000 }],
    ['a corner alone would show', { ...place, x: 1880 }],
    ['its title bar would lie above the screen', { ...place, y: -600 }],
  ])('is left to the system where %s', (_, stored) => {
    expect(placeFor(stored, [screen])).toEqual({ width: 1200, height: 800 })
  })

  it('is never smaller than a window may be', () => {
    expect(placeFor({ ...place, width: 10_0, height: 120 }, [screen])).toMatchObject({
      width: 640,
      height: 480,
    })
  })
})

describe('keeping the place', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'desk-place-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true })
  })

  it('gives back what was kept', () => {
    writeWindowPlace(folder, place)
    expect(readWindowPlace(folder)).toEqual(place)
  })

  it('is for nobody else to read, also where an earlier version let others', () => {
    const mode = () => statSync(join(folder, 'window-place.json')).mode & 0o777
    writeWindowPlace(folder, place)
    expect(mode()).toBe(0o600)
    chmodSync(join(folder, 'window-place.json'), 0o644)
    writeWindowPlace(folder, place)
    expect(mode()).toBe(0o600)
  })

  it.each(['', '{', '[]', '{"x":"1"}', '{"x":1,"y":1,"width":1e999,"height":1,"maximised":false}'])(
    'takes %j for nothing',
    (text) => {
      writeFileSync(join(folder, 'window-place.json'), text)
      expect(readWindowPlace(folder)).toBeNull()
    },
  )

  it('is silent where nothing can be written', () => {
    const file = join(folder, 'file')
    writeFileSync(file, '')
    expect(() => {
      writeWindowPlace(file, place)
    }).not.toThrow()
  })
})

class FakeWindow extends EventEmitter {
  shown = 0
  isMinimized = () => false
  show = () => (this.shown += 1)
  focus = () => undefined
}

function newDeskWindow({ hasAccounts = true } = {}) {
  const opened: FakeWindow[] = []
  const told: unknown[] = []
  const windows: AppWindows = fake<AppWindows>('windows', {
    desk: null,
    openView: (address: string | null) => {
      told.push(['open', address])
      const window = new FakeWindow()
      opened.push(window)
      return (windows.desk = window as unknown as BrowserWindow)
    },
  })
  const app = fake<RunningApp>('app', {
    hasAccounts,
    prepare: (address: string | null) => void told.push(['prepare', address]),
    setWatching: (watching: boolean) => void told.push(['watching', watching]),
    begin: () => void told.push('begin'),
  })
  const desk = new DeskWindow(windows, app, (_, { address }) => void told.push(['navigate', address]))
  return { desk, opened, windows, told }
}

describe('the window of the desk', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('is one: asked for again, it comes to the front and goes where a link leads', () => {
    const { desk, opened, told } = newDeskWindow()
    desk.show()
    desk.show()
    desk.show('#/raw')
    expect(told).toEqual([
      ['open', null],
      ['prepare', null],
      ['navigate', '#/raw'],
    ])
    expect(opened[0]?.shown).toBe(2)
  })

  it('is gone once closed, and opened anew where a link leads', () => {
    const { desk, opened, windows, told } = newDeskWindow()
    desk.show()
    opened[0]?.emit('ready-to-show')
    vi.advanceTimersByTime(300)
    opened[0]?.emit('closed')
    vi.advanceTimersByTime(1)
    expect(windows.desk).toBeNull()
    desk.show('#/raw')
    expect(opened).toHaveLength(2)
    expect(told).toEqual([
      ...[['open', null], ['prepare', null], ['watching', true], 'begin'],
      ...[['watching', false], 'begin'],
      ['open', '#/raw'],
      ['prepare', '#/raw'],
    ])
  })

  it.each([
    ['once it has asked nothing for a while', 299, false],
    ['after 3 s where it goes on asking', 2999, true],
  ])('has the app begin %s', (_, before, asks) => {
    const { desk, opened, told } = newDeskWindow()
    desk.show()
    opened[0]?.emit('ready-to-show')
    let passed = 0
    if (asks)
      for (; passed < 2800; passed += 100) {
        desk.called(Promise.resolve())
        vi.advanceTimersByTime(100)
      }
    vi.advanceTimersByTime(before - passed)
    expect(told).not.toContain('begin')
    vi.advanceTimersByTime(1)
    expect(told).toContain('begin')
  })

  it.each([
    ['a while after a late answer', 1000, 1300],
    ['after 3 s where an answer takes longer', 10_000, 3000],
  ])('has the app begin %s', async (_, answeredAt, beginsAt) => {
    const { desk, opened, told } = newDeskWindow()
    desk.show()
    opened[0]?.emit('ready-to-show')
    desk.called(new Promise((resolve) => setTimeout(resolve, answeredAt)))
    await vi.advanceTimersByTimeAsync(beginsAt - 1)
    expect(told).not.toContain('begin')
    await vi.advanceTimersByTimeAsync(1)
    expect(told).toContain('begin')
  })
})
