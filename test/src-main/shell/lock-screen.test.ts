import { EventEmitter } from 'node:events'
import type { BrowserWindow } from 'electron'
import { expect, it } from 'vitest'
import { LockScreen } from '#main/shell/lock-screen.ts'

class FakeWindow extends EventEmitter {
  readonly did: string[] = []
  webContents = new EventEmitter()
  isMinimized = () => false
  hide = () => this.did.push('hide')
  show = () => this.did.push('show')
  focus = () => undefined
  close = () => {
    this.did.push('close')
    this.emit('closed')
  }
}

const asWindow = (window: FakeWindow) => window as unknown as BrowserWindow

function newScreen(desk: FakeWindow | null) {
  const state = { locked: false, desk }
  const opened: FakeWindow[] = []
  const did: string[] = []
  const screen = new LockScreen({
    isLocked: () => state.locked,
    desk: () => state.desk && asWindow(state.desk),
    open: () => {
      opened.push(new FakeWindow())
      return asWindow(opened.at(-1) ?? new FakeWindow())
    },
    show: () => did.push('desk'),
  })
  const set = (locked: boolean) => {
    state.locked = locked
    screen.changed()
  }
  return { screen, set, opened, did, state }
}

it('hides the window of the desk behind one of its own, and brings it back as it was', () => {
  const desk = new FakeWindow()
  const { set, opened, did } = newScreen(desk)
  set(true)
  expect(desk.did).toEqual(['hide'])
  expect(opened).toHaveLength(1)
  set(false)
  expect(did).toEqual(['desk'])
  expect(opened[0]?.did).toEqual(['close'])
  expect(desk.did).toEqual(['hide'])
})

it('hides a window that is about to be shown as well', () => {
  const desk = new FakeWindow()
  const { set } = newScreen(desk)
  set(true)
  desk.emit('show')
  expect(desk.did).toEqual(['hide', 'hide'])
})

it('shows the lock where the desk is asked for, and does the newest of that once it is open', () => {
  const { screen, set, opened, did } = newScreen(null)
  set(true)
  expect(opened).toHaveLength(0)
  screen.reveal()
  screen.reveal(() => did.push('link'))
  expect(opened).toHaveLength(1)
  expect(did).toEqual([])
  set(false)
  expect(did).toEqual(['link'])
  screen.reveal()
  expect(did).toEqual(['link', 'desk'])
})

it('closes the desk with the lock, for whoever closes that', () => {
  const desk = new FakeWindow()
  const { set, opened } = newScreen(desk)
  set(true)
  opened[0]?.close()
  expect(desk.did).toEqual(['hide', 'close'])
})
