/** Something that a context menu can do. */
export type MenuItem = {
  readonly words: string
  readonly run: () => void
  /** What stands at its end: its keys. */
  readonly note?: string | null
}

/** Items in groups, with a line between them; groups without any are left out. */
export type MenuGroups = readonly (readonly MenuItem[])[]

/** A place in the window that a menu opens at, in CSS pixels. */
type Place = { readonly getBoundingClientRect: () => DOMRect }

type Shown = {
  /** What it is about, for whoever does not see where it is. */
  readonly label: string
  readonly groups: MenuGroups
  readonly anchor: Place
  /** What had the focus, and gets it back. */
  readonly from: HTMLElement | null
}

/** The context menu of the window: one at a time, of whatever was clicked or has the keyboard. */
export class ContextMenu {
  shown = $state.raw<Shown | null>(null)

  /**
   * Opens a menu for a `contextmenu` event, which the menu key and Shift+F10 send too. Where nothing is offered the
   * event is left alone.
   * @param about what the menu is opened at where keys asked for it; the event's own target unless another is named
   */
  open(event: MouseEvent, label: string, groups: MenuGroups, about?: Element | null): void {
    const offered = groups.filter((group) => group.length > 0)
    if (offered.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    const target = about ?? (event.target instanceof Element ? event.target : null)
    const { clientX, clientY } = event
    const point = new DOMRect(clientX, clientY, 0, 0)
    // Keys press no button of a pointer.
    const anchor = event.button === 2 || !target ? { getBoundingClientRect: () => point } : target
    const { activeElement } = document
    this.shown = {
      label,
      groups: offered,
      anchor: anchor,
      from: activeElement instanceof HTMLElement ? activeElement : null,
    }
  }

  close(): void {
    this.shown = null
  }
}
