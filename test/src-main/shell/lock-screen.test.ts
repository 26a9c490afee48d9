import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { expect, it } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import { LockScreen } from '#main/shell/lock-screen.ts'
import type { DeskWindow, AppWindows } from '#main/shell/window.ts'
import { fake } from '#test/helpers/fake.ts'

class FakeWindow extends EventEmitter {
  readonly did: string[] = []
  webContents = { getURL: () => 'traffic-desk-app://desk/index.html#/reports/script/browsers?period=today' }
  isMinimized = () => false
  show = () => this.did.push('show')
  focus = () => undefined
  close = () => {
    this.did.push('close')
    this.emit('closed')
  }
  destroy = () => {
    this.did.push('destroy')
    this.emit('closed')
  }
}

const asWindow = (window: FakeWindow) => window as unknown as BrowserWindow

function newScreen(desk: FakeWindow | null) {
  const opened: FakeWindow[] = []
  const did: (string | null)[] = []
  const windows: AppWindows = fake<AppWindows>('windows', {
    desk: desk && asWindow(desk),
    lock: null,
    openLock: () => {
      // The desk's window is there still: where it is, the lock is shown.
      did.push(windows.desk ? 'lock at the desk' : 'lock')
      const window = new FakeWindow()
      opened.push(window)
      return (windows.lock = asWindow(window))
    },
  })
  desk?.once('closed', () => (windows.desk = null))
  const lock = { locked: false }
  const events = new AppEvents()
  const show = (shown: string | null = null) => void did.push(`desk at ${shown}`)
  const screen = new LockScreen(lock, fake<DeskWindow>('desk', { show }), windows, events)
  const set = (locked: boolean) => {
    lock.locked = locked
    events.emit({ kind: 'lock/changed', locked, after: null, waitsUntil: null })
  }
  return { screen, set, opened, did, windows, events }
}

const address = '#/reports/script/browsers?period=today'

it('ends the window of the desk, shows one of its own, and opens the desk again where it was', () => {
  const desk = new FakeWindow()
  const { set, opened, did, windows } = newScreen(desk)
  set(true)
  expect(desk.did).toEqual(['destroy'])
  expect(windows.lock).toBe(opened[0])
  set(false)
  expect(did).toEqual(['lock at the desk', `desk at ${address}`])
  expect(opened[0]?.did).toEqual(['close'])
  expect(windows.lock).toBeNull()
})

it('opens the desk where it was though the lock was asked for once more', () => {
  const { screen, set, did } = newScreen(new FakeWindow())
  set(true)
  screen.reveal()
  set(false)
  expect(did.at(-1)).toBe(`desk at ${address}`)
})

it('shows the lock where the desk is asked for, and does the newest of that once it is open', () => {
  const { screen, set, opened, did } = newScreen(null)
  set(true)
  expect(opened).toHaveLength(0)
  screen.reveal(() => did.push('an older link'))
  screen.reveal(() => did.push('link'))
  expect(opened).toHaveLength(1)
  expect(did).toEqual(['lock'])
  set(false)
  expect(did).toEqual(['lock', 'link'])
  screen.reveal()
  expect(did.at(-1)).toBe('desk at null')
})

it('forgets where the desk was for whoever closes the lock', () => {
  const { screen, set, opened, did } = newScreen(new FakeWindow())
  set(true)
  opened[0]?.close()
  set(false)
  expect(did).toEqual(['lock at the desk'])
  screen.reveal()
  expect(did.at(-1)).toBe('desk at null')
})

it('goes to the place that is wanted outside the window, once the lock is open', () => {
  const { set, events, did } = newScreen(null)
  set(true)
  events.emit({ kind: 'window/wanted', address })
  expect(did).toEqual(['lock'])
  set(false)
  expect(did.at(-1)).toBe(`desk at ${address}`)
})
