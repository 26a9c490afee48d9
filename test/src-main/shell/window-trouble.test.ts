import { EventEmitter } from 'node:events'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import { watchWindow } from '#main/shell/window-trouble.ts'
import type { Dialogs } from '#main/shell/dialogs.ts'
import { fake } from '#test/helpers/fake.ts'

const view = 'traffic-desk-app://desk/index.html'
const plain = 'traffic-desk-app://desk/safe.html'

afterEach(() => void vi.restoreAllMocks())

/** A window whose process can be ended, and what came of it. */
function watched(answer: 'wait' | 'reload' | 'none' = 'none', only?: string) {
  const seen = { loaded: [] as string[], closed: 0, raised: [] as string[], logged: [] as string[], now: 0 }
  const questions: AbortSignal[] = []
  vi.spyOn(Date, 'now').mockImplementation(() => seen.now)
  let address = `${view}#/overview`
  const end = (reason: string) => webContents.emit('render-process-gone', {}, { reason, exitCode: 9 })
  const webContents = Object.assign(new EventEmitter(), {
    getURL: () => address,
    isCrashed: () => false,
    forcefullyCrashRenderer: () => end('killed'),
  })
  const window = Object.assign(new EventEmitter(), {
    webContents,
    loadURL: (url: string) => {
      address = url
      return Promise.resolve(void seen.loaded.push(url))
    },
    destroy: () => window.emit('closed'),
  })
  const dialogs = fake<Dialogs>('dialogs', {
    waitOrReload: (signal: AbortSignal) => {
      questions.push(signal)
      return answer === 'none' ? new Promise<never>(() => undefined) : Promise.resolve(answer)
    },
    windowClosed: () => void (seen.closed += 1),
  })
  const events = new AppEvents()
  events.on('notice/shown', ({ notice }) => void seen.raised.push(notice.title))
  const log = (_: string, words: string) => void seen.logged.push(words)
  watchWindow(window as unknown as Parameters<typeof watchWindow>[0], dialogs, events, log, only)
  return { seen, window, end, questions, goTo: (url: string) => (address = url) }
}

describe("a window's process", () => {
  it('that has gone is made anew, with words', () => {
    const { seen, end } = watched()
    end('crashed')
    expect(seen).toMatchObject({ loaded: [view], closed: 0, raised: ['The window stopped'] })
    expect(seen.logged.join()).toContain('crashed')
  })

  it('that goes again within a minute shows the plain page, and what goes on without a window does', () => {
    const { seen, end } = watched()
    end('oom')
    seen.now = 59_000
    end('oom')
    expect(seen).toMatchObject({ loaded: [view, plain], closed: 0 })
  })

  it('that goes once more after a view was opened from there shows the plain page again', () => {
    const { seen, end, goTo } = watched()
    end('oom')
    end('oom')
    goTo(`${view}#/reports`)
    end('oom')
    expect(seen).toMatchObject({ loaded: [view, plain, plain], closed: 0 })
  })

  it('that cannot even show the plain page is closed, in words', () => {
    const { seen, end } = watched()
    for (let time = 0; time < 3; time += 1) end('oom')
    expect(seen).toMatchObject({ loaded: [view, plain], closed: 1 })
  })

  it('that goes again much later is made anew', () => {
    const { seen, end } = watched()
    end('killed')
    seen.now = 61_000
    end('killed')
    expect(seen).toMatchObject({ loaded: [view, view], closed: 0 })
  })

  it('with one view alone shows that anew, and is closed where it goes again within a minute', () => {
    const { seen, end } = watched('none', '#/lock')
    end('crashed')
    expect(seen).toMatchObject({ loaded: [`${view}#/lock`], closed: 0 })
    seen.now = 61_000
    end('crashed')
    expect(seen).toMatchObject({ loaded: [`${view}#/lock`, `${view}#/lock`], closed: 0 })
    end('crashed')
    expect(seen.loaded).toHaveLength(2)
    expect(seen.closed).toBe(1)
  })

  it('that ends as it should is left alone', () => {
    const { seen, end } = watched()
    end('clean-exit')
    expect(seen).toMatchObject({ loaded: [], raised: [] })
  })
})

describe('a window that does not answer', () => {
  it('is written down, and asked about until it answers again', () => {
    const { seen, window, questions } = watched()
    window.emit('unresponsive')
    expect(questions.map(({ aborted }) => aborted)).toEqual([false])
    window.emit('responsive')
    expect(questions.map(({ aborted }) => aborted)).toEqual([true])
    expect(seen.logged).toEqual(['The window is not responding', 'The window answers again'])
  })

  it('is loaded again where the person says so, however often', async () => {
    const { seen, window } = watched('reload')
    for (const time of [1, 2]) {
      window.emit('unresponsive')
      await expect.poll(() => seen.loaded).toHaveLength(time)
    }
    expect(seen).toMatchObject({ loaded: [view, view], closed: 0 })
  })

  it('is left alone where the person waits', async () => {
    const { seen, window, questions } = watched('wait')
    window.emit('unresponsive')
    await expect.poll(() => questions).toHaveLength(1)
    expect(seen).toMatchObject({ loaded: [], raised: [] })
  })
})
