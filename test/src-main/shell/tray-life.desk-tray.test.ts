import type { MenuItemConstructorOptions } from 'electron'
import { describe, expect, it } from 'vitest'
import { DeskTray } from '#main/shell/tray-life.ts'
import type { AppPlace, TrayPicture } from '#main/shell/tray.ts'
import type { LockScreen } from '#main/shell/lock-screen.ts'
import type { RunningApp } from '#main/shell/window.ts'
import { fake } from '#test/helpers/fake.ts'

type Made = {
  images: string[]
  tooltips: string[]
  menus: MenuItemConstructorOptions[][]
  destroyed: boolean
  click: () => void
}

function newTray() {
  const made: Made[] = []
  const asked: unknown[] = []
  class FakeTray {
    readonly #made: Made

    constructor(image: string) {
      const one: Made = { images: [image], tooltips: [], menus: [], destroyed: false, click: () => {} }
      this.#made = one
      made.push(one)
    }

    setImage = (image: unknown) => void this.#made.images.push(String(image))
    setToolTip = (words: string) => void this.#made.tooltips.push(words)
    setContextMenu = (menu: unknown) => void this.#made.menus.push(menu as MenuItemConstructorOptions[])
    on = (_: string, listener: () => void) => void (this.#made.click = listener)
    destroy = () => void (this.#made.destroyed = true)
  }
  const electron = {
    Tray: FakeTray,
    Menu: { buildFromTemplate: (template: unknown) => template },
    app: { quit: () => void asked.push('quit') },
  } as unknown as ConstructorParameters<typeof DeskTray>[0]
  const app = fake<RunningApp>('app', {
    open: (place: AppPlace) => void asked.push(['open', place]),
    pause: (paused: boolean) => void asked.push(['pause', paused]),
    lock: { locked: false, lock: () => void asked.push('lock') },
  })
  const screen = fake<LockScreen>('screen', { reveal: () => void asked.push(['open', null]) })
  const tray = new DeskTray(electron, (icon) => icon, app, screen)
  return { tray, made, asked }
}

const working: TrayPicture = {
  icon: 'working',
  tooltip: 'Traffic Desk: 1 report in progress',
  groups: [
    [{ words: 'Smith & Sons, in progress for 4 min', place: { kind: 'downloads' } }],
    [],
    [{ words: 'Up to date at 14:03', place: null }],
  ],
  paused: false,
  canLock: false,
}

const labels = (menu: MenuItemConstructorOptions[] | undefined) =>
  menu?.map(({ label, type }) => (type === 'separator' ? '-' : label))

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

  it('opens the desk, pauses and ends it', () => {
    const { tray, made, asked } = newTray()
    tray.show(true)
    made[0]?.click()
    for (const { label, click } of made[0]?.menus[0] ?? []) if (label) (click as unknown as () => void)()
    expect(labels(made[0]?.menus[0])).toEqual(['Open Traffic Desk', '-', 'Pause', 'Quit'])
    expect(asked).toEqual([['open', null], ['open', null], ['pause', true], 'quit'])
  })

  it('shows what happens, with a line between the groups, and opens what has a place', () => {
    const { tray, made, asked } = newTray()
    tray.show(true)
    tray.picture(working)
    const [one] = made
    expect(one?.images.at(-1)).toBe('working')
    expect(one?.tooltips.at(-1)).toBe('Traffic Desk: 1 report in progress')
    expect(labels(one?.menus.at(-1))).toEqual([
      'Open Traffic Desk',
      '-',
      'Smith && Sons, in progress for 4 min',
      '-',
      'Up to date at 14:03',
      '-',
      'Pause',
      'Quit',
    ])
    const [, , report, , state] = one?.menus.at(-1) ?? []
    ;(report?.click as unknown as () => void)()
    expect(asked).toEqual([['open', { kind: 'downloads' }]])
    expect(state?.enabled).toBe(false)
  })

  it('leaves alone what has not changed, so that an open menu stays', () => {
    const { tray, made } = newTray()
    tray.show(true)
    tray.picture(working)
    tray.picture({ ...working, tooltip: 'Traffic Desk: 1 report in progress, 2 ready' })
    expect(made[0]?.menus).toHaveLength(2)
    expect(made[0]?.images).toEqual(['idle', 'working'])
    tray.picture({ ...working, paused: true })
    expect(made[0]?.menus.at(-1)?.find(({ label }) => label === 'Pause')?.checked).toBe(true)
  })

  it('is made anew, as it was, where a panel appears after it', () => {
    const { tray, made } = newTray()
    tray.panelChanged()
    expect(made).toHaveLength(0)
    tray.show(true)
    tray.picture(working)
    tray.panelChanged()
    expect(made[0]?.destroyed).toBe(true)
    expect(made[1]?.images).toEqual(['working'])
    expect(labels(made[1]?.menus[0])).toContain('Smith && Sons, in progress for 4 min')
  })

  it('keeps names from making the menu as wide as the screen', () => {
    const { tray, made } = newTray()
    tray.show(true)
    tray.picture({ ...working, groups: [[{ words: 'x'.repeat(4000), place: null }]] })
    const [, , long] = made[0]?.menus.at(-1) ?? []
    expect(long?.label).toHaveLength(60)
  })
})
