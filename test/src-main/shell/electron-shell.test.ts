import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import { ElectronShell } from '#main/shell/electron-shell.ts'
import type { Printer } from '#main/shell/print.ts'
import type { StartAtLogin } from '#main/shell/start-at-login.ts'
import type { AppWindows } from '#main/shell/window.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { fake } from '#test/helpers/fake.ts'

const thirdParty = join(import.meta.dirname, '../../../resources/third-party')

function newShell(refuses = false) {
  const told: unknown[] = []
  const nativeTheme = { themeSource: 'system' as 'system' | 'light' | 'dark' }
  const electron = {
    app: { getPath: () => '/downloads', relaunch: () => undefined, quit: () => undefined },
    clipboard: {
      writeText: (text: string) => {
        told.push(['copy', text])
        return Promise.resolve()
      },
    },
    dialog: { showOpenDialog: () => Promise.resolve({ canceled: true, filePaths: ['/x'] }) },
    shell: {
      showItemInFolder: () => undefined,
      openPath: () => Promise.resolve(''),
      openExternal: (url: string) =>
        url.includes('nobody') ? Promise.reject(new Error('0x483')) : Promise.resolve(void told.push(url)),
    },
    nativeTheme,
  }
  const login = fake<StartAtLogin>('login', {
    set: (start: boolean) => {
      if (refuses) throw new Error('refused')
      told.push(['login', start])
    },
    repair: () => void told.push('login repaired'),
  })
  const events = new AppEvents()
  events.on('tray/wanted', ({ wanted }) => void told.push(['tray', wanted]))
  const desk = new ElectronShell({
    ...{ electron, login, events, thirdParty, appImage: null },
    windows: fake<AppWindows>('windows', { desk: null }),
    printer: fake<Printer>('printer', { print: () => Promise.resolve(new Uint8Array()) }),
  })
  return { desk, told, theme: nativeTheme }
}

describe('what the desk asks of the machine', () => {
  it('opens a mail whose text cannot add a recipient or anything else', async () => {
    const { desk, told } = newShell()
    await desk.mail({ subject: 'Weekly & more?to=a@b', text: 'Files:\r\n- Ä&bcc=c@d.csv' })
    expect(told).toEqual([
      'mailto:?subject=Weekly%20%26%20more%3Fto%3Da%40b&body=Files%3A%0D%0A-%20%C3%84%26bcc%3Dc%40d.csv',
    ])
    const { searchParams, pathname, protocol } = new URL(String(told[0]))
    expect([protocol, pathname, [...searchParams.keys()]]).toEqual(['mailto:', '', ['subject', 'body']])
  })

  it('says that no mail program opens', async () => {
    const { desk } = newShell()
    await expect(desk.mail({ subject: 'nobody', text: '' })).rejects.toMatchObject({
      failure: { message: 'No mail program could be opened.' },
    })
  })

  it('follows the settings; what the machine has is left alone until it changes', async () => {
    const { desk, told, theme } = newShell()
    await desk.apply({ ...usualSettings, theme: 'dark', startAtLogin: true })
    await desk.apply({ ...usualSettings, theme: 'light', startAtLogin: false, closeToTray: false })
    expect(theme.themeSource).toBe('light')
    expect(told).toEqual([
      ['tray', true],
      // Once, at the start, where it is wanted.
      'login repaired',
      ['login', false],
      ['tray', false],
    ])
  })

  it('tries again what was refused', async () => {
    const { desk, told } = newShell(true)
    await desk.apply(usualSettings)
    for (const attempt of [1, 2]) {
      await expect(desk.apply({ ...usualSettings, startAtLogin: true }), String(attempt)).rejects.toThrow(
        'refused',
      )
    }
    expect(told).toEqual([['tray', true]])
  })

  it('has the licences and the list of parts that came with the app', async () => {
    const { desk } = newShell()
    expect(await desk.notices()).toEqual({ text: await readFile(join(thirdParty, 'notices.txt'), 'utf8') })
    expect(await desk.partsList()).toBe(await readFile(join(thirdParty, 'sbom.cdx.json'), 'utf8'))
  })

  it('knows nothing where the person thought better of it', async () => {
    const { desk } = newShell()
    expect(await desk.chooseFolder()).toBeNull()
    expect(await desk.chooseViewsFile()).toBeNull()
  })
})
