/** The state of a button whose menu is loaded with its first use. */
export class MenuButton {
  open = $state(false)
  /** Whether it was ever to be opened: from then on there is a menu. */
  wanted = $state(false)

  readonly toggle = (): void => {
    this.wanted = true
    this.open = !this.open
  }

  /** The arrow down opens, as it does with every menu of the system. */
  readonly openDownwards = (event: KeyboardEvent): void => {
    if (event.key !== 'ArrowDown') return
    event.preventDefault()
    this.wanted = true
    this.open = true
  }
}
