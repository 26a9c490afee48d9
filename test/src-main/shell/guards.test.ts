import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { guardContents, guardSession } from '#main/shell/guards.ts'
import { safePreferences } from '#main/shell/window.ts'

/** Contents as they are made, and whether what they try is refused. */
function contents(
  change: object = {},
  read: (() => unknown) | null = () => ({
    ...safePreferences({ preload: '', devTools: false }),
    ...change,
  }),
  type = 'window',
) {
  const refused: string[] = []
  const app = new EventEmitter()
  guardContents(app as unknown as Parameters<typeof guardContents>[0], (what) => refused.push(what))
  let open: (details: { url: string }) => { action: string } = () => ({ action: 'allow' })
  let closed = false
  const made = Object.assign(new EventEmitter(), {
    setWindowOpenHandler: (handler: typeof open) => void (open = handler),
    getType: () => type,
    ...(read && { getLastWebPreferences: read }),
    close: () => (closed = true),
  })
  app.emit('web-contents-created', {}, made)
  const tries = (name: string, details: object) => {
    let prevented = false
    made.emit(name, { ...details, preventDefault: () => (prevented = true) })
    return prevented
  }
  return { refused, tries, open: (url: string) => open({ url }).action, closed: () => closed }
}

describe('what a window is made with', () => {
  it('is as safe as it was asked for', () => {
    const { refused, closed, tries } = contents()
    tries('did-navigate', {})
    expect([refused, closed()]).toEqual([[], false])
  })

  it.each([
    { sandbox: false },
    { contextIsolation: false },
    { nodeIntegration: true },
    { webSecurity: false },
    { webviewTag: true },
    { allowRunningInsecureContent: true },
    { enableBlinkFeatures: 'x' },
  ])('is looked at, and closed where it is not: %j', (change) => {
    const { refused, closed, tries } = contents(change)
    tries('did-navigate', {})
    expect(refused).toEqual([expect.stringContaining(Object.keys(change)[0] ?? '')])
    expect(closed()).toBe(true)
  })

  it.each([
    ['is nothing', () => null],
    ['is no object', () => 'sandbox'],
    [
      'fails',
      () => {
        throw new Error('gone')
      },
    ],
  ])('closes it where what is read %s', (_, read) => {
    const { refused, closed, tries } = contents({}, read)
    tries('did-navigate', {})
    expect(refused).toEqual(['a window whose preferences cannot be read'])
    expect(closed()).toBe(true)
  })

  it('closes it where there is no way to read it', () => {
    const { refused, closed, tries } = contents({}, null)
    tries('did-navigate', {})
    expect([refused, closed()]).toEqual([['a window whose preferences cannot be read'], true])
  })

  it.each(['offscreen', 'browserView', 'webview', 'backgroundPage'])(
    'is looked at in contents of the type %s too',
    (type) => {
      const { closed, tries } = contents({}, null, type)
      tries('did-navigate', {})
      expect(closed()).toBe(true)
    },
  )

  it('is not asked of the tools for developers, which have none', () => {
    const { refused, closed, tries } = contents({}, () => null, 'remote')
    tries('did-navigate', {})
    expect([refused, closed()]).toEqual([[], false])
  })
})

describe('what contents may not do', () => {
  it.each([
    ['will-frame-navigate', { isMainFrame: true, url: 'https://reports.example/' }],
    ['will-frame-navigate', { isMainFrame: true, url: 'traffic-desk-app://desk.example/' }],
    ['will-frame-navigate', { isMainFrame: false, url: 'traffic-desk-app://desk/index.html' }],
    ['will-redirect', { url: 'traffic-desk-app://desk/index.html' }],
    ['will-attach-webview', {}],
  ])('%s %j', (name, details) => {
    const { tries, refused } = contents()
    expect(tries(name, details)).toBe(true)
    expect(refused).toHaveLength(1)
  })

  it('open a window, even one of our own', () => {
    expect(contents().open('traffic-desk-app://desk/index.html')).toBe('deny')
  })

  it('but they may load our own page', () => {
    const own = { isMainFrame: true, url: 'traffic-desk-app://desk/index.html' }
    expect(contents().tries('will-frame-navigate', own)).toBe(false)
  })
})

describe('what a session refuses', () => {
  it('is every permission, device, screen, download and request to the outside', () => {
    const refused: string[] = []
    const answers: unknown[] = []
    const answer = (given: unknown) => void answers.push(given)
    let prevented = false
    const session = Object.assign(new EventEmitter(), {
      setPermissionRequestHandler: (handler: (...given: unknown[]) => void) => handler({}, 'media', answer),
      setPermissionCheckHandler: (handler: () => unknown) => answer(handler()),
      setDevicePermissionHandler: (handler: () => unknown) => answer(handler()),
      setDisplayMediaRequestHandler: (handler: (...given: unknown[]) => void) => handler({}, answer),
      setSpellCheckerEnabled: answer,
      setSpellCheckerLanguages: answer,
      webRequest: {
        onBeforeRequest: (filter: { urls: string[] }, handler: (...given: unknown[]) => void) => {
          expect(filter.urls).toEqual(expect.arrayContaining(['http://*/*', 'https://*/*', 'file://*/*']))
          handler({}, answer)
        },
      },
    })
    guardSession(session as unknown as Parameters<typeof guardSession>[0], (what) => refused.push(what))
    session.emit('will-download', { preventDefault: () => (prevented = true) })
    expect(answers).toEqual([false, false, false, {}, { cancel: true }, false, []])
    expect(prevented).toBe(true)
    expect(refused).toEqual(['the permission media', 'a request to the outside', 'a download'])
  })
})
