import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { watchWindow } from '../../../src-main/shell/window-trouble.ts'

/** A window whose process can be ended, and what came of it. */
function watched() {
  const window = Object.assign(new EventEmitter(), {
    webContents: new EventEmitter(),
    loadURL: () => Promise.resolve(void (seen.loaded += 1)),
  })
  const seen = { loaded: 0, givenUp: 0, raised: [] as string[], logged: [] as string[], now: 0 }
  watchWindow(window as unknown as Parameters<typeof watchWindow>[0], {
    raise: ({ title }) => seen.raised.push(title),
    log: (words) => seen.logged.push(words),
    now: () => seen.now,
    giveUp: () => (seen.givenUp += 1),
  })
  const end = (reason: string) => window.webContents.emit('render-process-gone', {}, { reason, exitCode: 9 })
  return { seen, window, end }
}

describe("a window's process", () => {
  it('that has gone is made anew, with words', () => {
    const { seen, end } = watched()
    end('crashed')
    expect(seen).toMatchObject({ loaded: 1, givenUp: 0, raised: ['The window had stopped'] })
    expect(seen.logged.join()).toContain('crashed')
  })

  it('that goes again within a minute is given up', () => {
    const { seen, end } = watched()
    end('oom')
    seen.now = 59_000
    end('oom')
    expect(seen).toMatchObject({ loaded: 1, givenUp: 1 })
  })

  it('that goes again much later is made anew', () => {
    const { seen, end } = watched()
    end('killed')
    seen.now = 61_000
    end('killed')
    expect(seen).toMatchObject({ loaded: 2, givenUp: 0 })
  })

  it('that ends as it should is left alone', () => {
    const { seen, end } = watched()
    end('clean-exit')
    expect(seen).toMatchObject({ loaded: 0, raised: [] })
  })

  it('that does not answer is written down', () => {
    const { seen, window } = watched()
    window.emit('unresponsive')
    window.emit('responsive')
    expect(seen.logged).toEqual(['The window does not answer', 'The window answers again'])
  })
})
