export type MenuItem = {
  readonly words: string
  readonly run: () => void
  /** Text at the end of the item, such as its keyboard shortcut. */
  readonly note?: string | null
}

/** Items in groups with separators; empty groups are left out. */
export type MenuGroups = readonly (readonly MenuItem[])[]

/** Position of a menu in the window, in CSS pixels. */
type Place = { readonly getBoundingClientRect: () => DOMRect }

type MenuContent = {
  /** Names the subject of the menu for screen readers. */
  readonly label: string
  readonly groups: MenuGroups
  readonly anchor: Place
  /** Element that had the focus, and gets it back. */
  readonly from: HTMLElement | null
}

/** Context menu of the window. Only one is open at a time. */
export class ContextMenu {
  content = $state.raw<MenuContent | null>(null)

  /**
   * Opens a menu for a `contextmenu` event, which the menu key and Shift+F10 send too. Ignores the event if there are no
   * items.
   * @param about anchor of a menu that was opened by keyboard; defaults to the event's target
   */
  open(event: MouseEvent, label: string, groups: MenuGroups, about?: Element | null): void {
    const offered = groups.filter((group) => group.length > 0)
    if (offered.length === 0) return
    event.preventDefault()
    event.stopPropagation()
    const target = about ?? (event.target instanceof Element ? event.target : null)
    const { clientX, clientY } = event
    const point = new DOMRect(clientX, clientY, 0, 0)
    // A keyboard event has no pointer button.
    const anchor = event.button === 2 || !target ? { getBoundingClientRect: () => point } : target
    const { activeElement } = document
    this.content = {
      label,
      groups: offered,
      anchor: anchor,
      from: activeElement instanceof HTMLElement ? activeElement : null,
    }
  }

  close(): void {
    this.content = null
  }
}
