import type { MenuItemConstructorOptions, Tray } from 'electron'
import { describe, expect, it } from 'vitest'
import { DeskTray } from '../../../src-main/shell/tray.ts'

function newTray() {
  const made: { destroyed: boolean; menu: MenuItemConstructorOptions[]; click: () => void }[] = []
  const asked: string[] = []
  const tray = new DeskTray({
    create: () => {
      const one = { destroyed: false, menu: [] as MenuItemConstructorOptions[], click: () => {} }
      made.push(one)
      return {
        setToolTip: () => {},
        setContextMenu: (menu: unknown) => void (one.menu = menu as MenuItemConstructorOptions[]),
        on: (_: string, listener: () => void) => void (one.click = listener),
        destroy: () => void (one.destroyed = true),
      } as unknown as Tray
    },
    menu: (template) => template as unknown as Electron.Menu,
    open: () => asked.push('open'),
    quit: () => asked.push('quit'),
  })
  return { tray, made, asked }
}

describe('the tray', () => {
  it('is there as long as it is wanted, once', () => {
    const { tray, made } = newTray()
    expect(tray.shown).toBe(false)
    tray.show(true)
    tray.show(true)
    expect(tray.shown).toBe(true)
    expect(made).toHaveLength(1)
    tray.show(false)
    expect(tray.shown).toBe(false)
    expect(made[0]?.destroyed).toBe(true)
  })

  it('opens the desk and ends it', () => {
    const { tray, made, asked } = newTray()
    tray.show(true)
    made[0]?.click()
    for (const { label, click } of made[0]?.menu ?? []) if (label) (click as unknown as () => void)()
    expect(made[0]?.menu.flatMap(({ label }) => label ?? [])).toEqual(['Open Traffic Desk', 'Quit'])
    expect(asked).toEqual(['open', 'open', 'quit'])
  })
})
