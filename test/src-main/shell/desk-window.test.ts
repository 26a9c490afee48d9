import type { BrowserWindow } from 'electron'
import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { DeskWindow } from '#main/shell/desk-window.ts'

class FakeWindow extends EventEmitter {
  shown = 0
  isMinimized = () => false
  show = () => (this.shown += 1)
  focus = () => undefined
}

function newDeskWindow() {
  const windows: FakeWindow[] = []
  const told: unknown[] = []
  const desk = new DeskWindow({
    open: (address) => {
      told.push(['open', address])
      windows.push(new FakeWindow())
      return windows.at(-1) as unknown as BrowserWindow
    },
    navigate: (address) => told.push(['navigate', address]),
    watched: (open) => told.push(['watched', open]),
  })
  return { desk, windows, told }
}

describe('the window of the desk', () => {
  it('is one: asked for again, it comes to the front and goes where a link leads', () => {
    const { desk, windows, told } = newDeskWindow()
    desk.show()
    desk.show()
    desk.show('#/raw')
    expect(told).toEqual([
      ['open', null],
      ['navigate', '#/raw'],
    ])
    expect(windows[0]?.shown).toBe(2)
  })

  it('is gone once closed, and opened anew where a link leads', () => {
    const { desk, windows, told } = newDeskWindow()
    desk.show()
    windows[0]?.emit('ready-to-show')
    windows[0]?.emit('closed')
    expect(desk.window).toBeNull()
    desk.show('#/raw')
    expect(windows).toHaveLength(2)
    expect(told).toEqual([
      ['open', null],
      ['watched', true],
      ['watched', false],
      ['open', '#/raw'],
    ])
  })
})
