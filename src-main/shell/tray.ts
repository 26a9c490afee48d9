import type { MenuItemConstructorOptions, Tray } from 'electron'
import type { Place } from './desktop/place.ts'

/** What the icon shows at a glance. */
export const trayIcons = ['idle', 'working', 'ready', 'attention'] as const
export type TrayIcon = (typeof trayIcons)[number]

/** Something that stands in the menu; with a place, it is opened there. */
export type TrayLine = { readonly words: string; readonly place: Place | null }

/** All that the tray shows. */
export type TrayPicture = {
  readonly icon: TrayIcon
  /** One sentence. */
  readonly tooltip: string
  /** What runs, what ended last, what is being saved, and whether the desk is up to date: a line between the groups. */
  readonly groups: readonly (readonly TrayLine[])[]
  /** Whether nothing is watched, renewed or saved until the person wants it again. */
  readonly paused: boolean
  /** Whether the window can be locked at this moment. */
  readonly canLock: boolean
}

type SystemTray = Pick<Tray, 'setImage' | 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>

export type DeskTrayParts = {
  readonly create: (icon: TrayIcon) => SystemTray
  readonly image: (icon: TrayIcon) => Parameters<Tray['setImage']>[0]
  readonly menu: (template: MenuItemConstructorOptions[]) => Parameters<Tray['setContextMenu']>[0]
  readonly open: (place: Place | null) => void
  readonly pause: (paused: boolean) => void
  readonly lock: () => void
  readonly quit: () => void
}

/** What it shows while nothing happens. */
export const restingPicture: TrayPicture = {
  icon: 'idle',
  tooltip: 'Traffic Desk',
  groups: [],
  paused: false,
  canLock: false,
}

/** The icon by which the app is found while it has no window. It is there only as long as the person wants it. */
export class DeskTray {
  readonly #parts: DeskTrayParts
  #tray: SystemTray | null = null
  #picture = restingPicture

  constructor(parts: DeskTrayParts) {
    this.#parts = parts
  }

  get shown(): boolean {
    return this.#tray !== null
  }

  show(wanted: boolean): void {
    if (wanted === this.shown) return
    if (wanted) this.#create()
    else this.#remove()
  }

  /** A panel appeared or went: an icon belongs to the one that was there when it was made. */
  panelChanged(): void {
    if (!this.shown) return
    this.#remove()
    this.#create()
  }

  /** Shows this from now on; what has not changed is left alone, so that an open menu stays as it is. */
  picture(next: TrayPicture): void {
    const before = this.#picture
    this.#picture = next
    if (!this.#tray) return
    if (next.icon !== before.icon) this.#tray.setImage(this.#parts.image(next.icon))
    if (next.tooltip !== before.tooltip) this.#tray.setToolTip(next.tooltip)
    const inMenu = ({ groups, paused, canLock }: TrayPicture) => JSON.stringify([groups, paused, canLock])
    if (inMenu(next) !== inMenu(before)) this.#setMenu(this.#tray)
  }

  #create(): void {
    const tray = this.#parts.create(this.#picture.icon)
    tray.setToolTip(this.#picture.tooltip)
    this.#setMenu(tray)
    tray.on('click', () => this.#parts.open(null))
    this.#tray = tray
  }

  #remove(): void {
    this.#tray?.destroy()
    this.#tray = null
  }

  #setMenu(tray: SystemTray): void {
    tray.setContextMenu(this.#parts.menu(trayMenu(this.#picture, this.#parts)))
  }
}

const line: MenuItemConstructorOptions = { type: 'separator' }

/** An ampersand would underline the letter behind it; a menu as wide as the screen helps nobody. */
const plain = (words: string) => (words.length > 60 ? `${words.slice(0, 59)}…` : words).replaceAll('&', '&&')

/** The menu for a picture. */
export function trayMenu(
  { groups, paused, canLock }: TrayPicture,
  { open, pause, lock, quit }: Pick<DeskTrayParts, 'open' | 'pause' | 'lock' | 'quit'>,
): MenuItemConstructorOptions[] {
  const entries = groups
    .filter((group) => group.length > 0)
    .flatMap((group) => [
      ...group.map(({ words, place }): MenuItemConstructorOptions => ({
        label: plain(words),
        enabled: place !== null,
        ...(place !== null && { click: () => open(place) }),
      })),
      line,
    ])
  return [
    { label: 'Open Traffic Desk', click: () => open(null) },
    line,
    ...entries,
    { label: 'Pause', type: 'checkbox', checked: paused, click: () => pause(!paused) },
    ...(canLock ? [{ label: 'Lock now', click: lock }] : []),
    { label: 'Quit', click: quit },
  ]
}
