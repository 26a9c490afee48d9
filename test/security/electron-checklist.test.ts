import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FuseV1Options } from '@electron/fuses'
import { describe, expect, it } from 'vitest'
import { wantedFuses } from '../../scripts/packaging/fuses.mjs'
import { pinnedVersion, supportFault, supportedUntil } from '../../scripts/runtime/support.mjs'
import { isOurs } from '#main/bridge/gateway.ts'
import { appHeaders, windowAddress, safeAddress, declareAppScheme } from '#main/shell/app-scheme.ts'
import { guardContents, guardSession, unsafeIn } from '#main/shell/guards.ts'
import { safePreferences } from '#main/shell/window.ts'

/**
 * Electron's security checklist, item by item (electronjs.org/docs/latest/tutorial/security). What only a running window can
 * show is in test/e2e/security.e2e.ts; what only an installed app can show is tried by `npm run test:package`.
 */
const root = join(import.meta.dirname, '../..')
const preferences = safePreferences({ preload: '/preload.cjs', devTools: false })

/** Our own sources, without comments. */
const sources = ['src-main', 'src-preload', 'src-renderer'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|svelte|html)$/.test(name))
    .map((name) => ({
      name: `${folder}/${name}`,
      text: readFileSync(join(root, folder, name), 'utf8').replaceAll(/\/\*[\s\S]*?\*\/|\/\/ .*/g, ''),
    })),
)
const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ name }) => name)

const policy = new Map(
  appHeaders['Content-Security-Policy'].split('; ').map((each) => {
    const [name = '', ...values] = each.split(' ')
    return [name, values]
  }),
)

/** What a session or the app was told, by the name of the method or event. */
function recorder(): { readonly told: Map<string, unknown>; readonly made: object } {
  const told = new Map<string, unknown>()
  const made: object = new Proxy(
    {},
    {
      get: (_, name) =>
        name === 'webRequest'
          ? made
          : (...given: unknown[]) =>
              void told.set(String(given[0] && typeof given[0] === 'string' ? given[0] : name), given.at(-1)),
    },
  )
  return { told, made }
}

const sessionTold = () => {
  const { told, made } = recorder()
  guardSession(made as Parameters<typeof guardSession>[0], () => undefined)
  return told
}

const contentsTold = () => {
  const app = recorder()
  guardContents(app.made as Parameters<typeof guardContents>[0], () => undefined)
  const contents = recorder()
  const created = app.told.get('web-contents-created') as (event: object, contents: object) => void
  created({}, contents.made)
  return contents.told
}

describe("Electron's checklist", () => {
  it('1: only what came with the app is loaded', () => {
    expect(
      [windowAddress, safeAddress].every((address) => address.startsWith('traffic-desk-app://desk/')),
    ).toBe(true)
    expect(filesWith(/loadURL\((?!`?\$?\{?(?:windowAddress|safeAddress)|'about:blank')/)).toEqual([])
    expect(policy.get('default-src')).toEqual(["'none'"])
    expect(policy.get('connect-src')).toEqual(["'none'"])
  })

  it('2: no Node in pages', () => {
    expect(preferences).toMatchObject({
      nodeIntegration: false,
      nodeIntegrationInWorker: false,
      nodeIntegrationInSubFrames: false,
    })
  })

  it('3: pages and preload are apart', () => expect(preferences.contextIsolation).toBe(true))

  it('4: renderers are sandboxed, and nobody switches that off', () => {
    expect(preferences.sandbox).toBe(true)
    expect(filesWith(/appendSwitch\(\s*'no-sandbox'/)).toEqual([])
  })

  it('5: every permission is refused', () => {
    const told = sessionTold()
    expect([...told.keys()]).toEqual(
      expect.arrayContaining([
        'setPermissionRequestHandler',
        'setPermissionCheckHandler',
        'setDevicePermissionHandler',
        'setDisplayMediaRequestHandler',
      ]),
    )
    expect((told.get('setPermissionCheckHandler') as () => boolean)()).toBe(false)
    expect((told.get('setDevicePermissionHandler') as () => boolean)()).toBe(false)
  })

  it('6: web security stays on', () => expect(preferences.webSecurity).toBe(true))

  it('7: the policy allows own scripts and styles, nothing inline, nothing evaluated', () => {
    expect(policy.get('script-src')).toEqual(["'self'"])
    expect(policy.get('style-src')).toEqual(["'self'"])
    expect([...policy.values()].flat().filter((each) => each.startsWith("'unsafe"))).toEqual([])
    for (const name of ['object-src', 'base-uri', 'form-action', 'frame-ancestors'])
      expect(policy.get(name)).toEqual(["'none'"])
  })

  it('8: no insecure content runs', () =>
    expect(preferences).not.toHaveProperty('allowRunningInsecureContent'))

  it('9: no experimental features', () => expect(preferences).not.toHaveProperty('experimentalFeatures'))

  it('10: no Blink features are switched on', () => {
    expect(preferences).not.toHaveProperty('enableBlinkFeatures')
    expect(filesWith(/enable-blink-features/)).toEqual([])
  })

  it('11: there is no webview that could open windows', () => {
    expect(preferences.webviewTag).toBe(false)
    expect(filesWith(/<webview|allowpopups/i)).toEqual([])
  })

  it('12: a webview is refused before it is there', () => {
    let prevented = false
    const refuse = contentsTold().get('will-attach-webview') as (event: {
      preventDefault: () => void
    }) => void
    refuse({ preventDefault: () => (prevented = true) })
    expect(prevented).toBe(true)
  })

  it('13: pages navigate nowhere else', () => {
    const told = contentsTold()
    const tries = (name: string, event: object) => {
      let prevented = false
      const hear = told.get(name) as (event: object) => void
      hear({ ...event, preventDefault: () => (prevented = true) })
      return prevented
    }
    expect(tries('will-frame-navigate', { isMainFrame: true, url: 'https://elsewhere.example/' })).toBe(true)
    expect(tries('will-frame-navigate', { isMainFrame: true, url: windowAddress })).toBe(false)
    expect(tries('will-redirect', { url: windowAddress })).toBe(true)
  })

  it('14: pages open no windows', () => {
    const open = contentsTold().get('setWindowOpenHandler') as () => object
    expect(open()).toEqual({ action: 'deny' })
  })

  it('15: nothing is handed to the system to open as an address but a mail of our own', () => {
    expect(filesWith(/openExternal\(/)).toEqual(['src-main/shell/electron-shell.ts'])
    expect(filesWith(/openExternal\(\s*`mailto:\?subject=/)).toEqual(['src-main/shell/electron-shell.ts'])
  })

  it('16: the pinned Electron gets repairs', () => {
    expect(supportFault(pinnedVersion(), new Date(), supportedUntil())).toBeUndefined()
  })

  it('17: the sender of every message is looked at, at the one place where messages come in', () => {
    const callers = { origin: 'traffic-desk-app://desk', isOurWindow: () => true }
    const from = (url: string, parent: unknown = null) =>
      isOurs({ sender: { id: 1 }, senderFrame: { url, parent } }, callers)
    expect(from(windowAddress)).toBe(true)
    expect(from('https://elsewhere.example/')).toBe(false)
    expect(from('traffic-desk-app://desk.elsewhere/')).toBe(false)
    expect(from(windowAddress, {})).toBe(false)
    expect(filesWith(/\bipcMain\.(?:on|handle)|ipc\.handle\(/)).toEqual(['src-main/bridge/gateway.ts'])
  })

  it('18: pages come over a scheme of their own, not from files', () => {
    const declared: { scheme: string; privileges?: object }[] = []
    declareAppScheme({ registerSchemesAsPrivileged: (schemes) => void declared.push(...schemes) })
    expect(declared).toEqual([
      { scheme: 'traffic-desk-app', privileges: { standard: true, secure: true, codeCache: true } },
    ])
    expect(filesWith(/loadFile\(/)).toEqual([])
  })

  it('19: the fuses of an installed app are set', () => {
    const linux = {
      [FuseV1Options.RunAsNode]: false,
      [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: false,
      [FuseV1Options.EnableNodeCliInspectArguments]: false,
      // It works on macOS and Windows alone.
      [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: false,
      [FuseV1Options.OnlyLoadAppFromAsar]: true,
      [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
      [FuseV1Options.GrantFileProtocolExtraPrivileges]: false,
    }
    expect(wantedFuses('linux')).toEqual(linux)
    const elsewhere = { ...linux, [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: true }
    expect(wantedFuses('win32')).toEqual(elsewhere)
    expect(wantedFuses('darwin')).toEqual(elsewhere)
  })

  it('20: pages get two functions, and nothing of Electron', () => {
    expect(filesWith(/exposeInMainWorld/)).toEqual(['src-preload/index.ts'])
    const [preload] = sources.filter(({ name }) => name === 'src-preload/index.ts')
    expect(preload?.text.match(/exposeInMainWorld\(.*\)/g)).toEqual(["exposeInMainWorld('desk', bridge)"])
  })

  it('beyond it: nothing of a crash is collected or sent', () => {
    expect(filesWith(/crashReporter/)).toEqual([])
  })

  it('of all of it, what a window is really made with is looked at when it runs', () => {
    expect(unsafeIn({ ...preferences })).toEqual([])
    expect(unsafeIn({})).toContain('sandbox')
  })
})
