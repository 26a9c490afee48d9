import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createDeskShell } from '#main/shell/desk-shell.ts'
import { usualSettings } from '#shared/app/settings.ts'

const thirdParty = join(import.meta.dirname, '../../../resources/third-party')

function newShell(refuses = false) {
  const told: unknown[] = []
  const theme = { themeSource: 'system' as 'system' | 'light' | 'dark' }
  const desk = createDeskShell({
    clipboard: {
      writeText: (text: string) => {
        told.push(['copy', text])
        return Promise.resolve()
      },
    },
    dialog: { showOpenDialog: () => Promise.resolve({ canceled: true, filePaths: ['/x'] }) },
    shell: { showItemInFolder: () => undefined, openPath: () => Promise.resolve('') },
    theme,
    thirdParty,
    downloads: () => '/downloads',
    window: () => null,
    print: () => Promise.resolve(new Uint8Array()),
    startAtLogin: (start) => {
      if (refuses) throw new Error('refused')
      told.push(['login', start])
    },
    repairStartAtLogin: () => told.push('login repaired'),
    restart: () => undefined,
    showTray: (wanted) => told.push(['tray', wanted]),
  })
  return { desk, told, theme }
}

describe('what the desk asks of the machine', () => {
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
