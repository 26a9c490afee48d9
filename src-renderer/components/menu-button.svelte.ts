/** State of a button whose menu is loaded on first use. */
export class MenuButton {
  open = $state(false)
  /** True once the menu was opened. From then on the menu is mounted. */
  isMounted = $state(false)

  readonly toggle = (): void => {
    this.isMounted = true
    this.open = !this.open
  }

  /** Opens the menu with arrow down, as system menus do. */
  readonly openDownwards = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    this.isMounted = true
    this.open = true
  }
}
