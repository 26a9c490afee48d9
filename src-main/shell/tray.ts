import type { MenuItemConstructorOptions, Tray } from 'electron'

export type DeskTrayParts = {
  readonly create: () => Pick<Tray, 'setToolTip' | 'setContextMenu' | 'on' | 'destroy'>
  readonly menu: (template: MenuItemConstructorOptions[]) => Parameters<Tray['setContextMenu']>[0]
  readonly open: () => void
  readonly quit: () => void
}

/** The icon by which the app is found while it has no window. It is there only as long as the person wants it. */
export class DeskTray {
  readonly #parts: DeskTrayParts
  #tray: ReturnType<DeskTrayParts['create']> | null = null

  constructor(parts: DeskTrayParts) {
    this.#parts = parts
  }

  get shown(): boolean {
    return this.#tray !== null
  }

  show(wanted: boolean): void {
    if (!wanted) {
      this.#tray?.destroy()
      this.#tray = null
      return
    }
    if (this.#tray) return
    const { create, menu, open, quit } = this.#parts
    const tray = create()
    tray.setToolTip('Traffic Desk')
    tray.setContextMenu(
      menu([
        { label: 'Open Traffic Desk', click: open },
        { type: 'separator' },
        { label: 'Quit', click: quit },
      ]),
    )
    tray.on('click', open)
    this.#tray = tray
  }
}
