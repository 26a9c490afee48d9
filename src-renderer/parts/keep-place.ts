/**
 * Keeps the focus in a list while what had it goes away: a button that has served, a row that is removed. It stays in
 * its entry, at the control of the same `data-control` or the one before it; where the entry is gone, it goes to the entry
 * that has taken its place. A list that is empty keeps nothing.
 * @param entries which elements of the list are its entries
 */
export const keepPlace = (entries: string) => (list: HTMLElement) => {
  let held: Held | null = null

  function hold({ target }: FocusEvent): void {
    const control = target instanceof HTMLElement ? target : null
    const entry = control?.closest(entries)
    if (!control || !entry) return
    const place = Array.from(list.querySelectorAll(entries)).indexOf(entry)
    held = {
      control,
      name: control.dataset['control'],
      entry,
      place,
      nth: controlsOf(entry).indexOf(control),
    }
  }

  /** Whoever leaves by himself is not brought back. A control that goes away leaves, too, while it is still there. */
  function release({ relatedTarget }: FocusEvent): void {
    const left = held
    if (relatedTarget !== null) held = null
    queueMicrotask(() => {
      if (held === left && left?.control.isConnected) held = null
    })
  }

  function restore(): void {
    const { activeElement, body } = list.ownerDocument
    if (!held || held.control.isConnected || activeElement !== body) return
    const goesTo = held.entry.isConnected ? besides(held) : replaces(held)
    goesTo?.focus()
  }

  function replaces({ place, name }: Held): HTMLElement | undefined {
    const left = Array.from(list.querySelectorAll(entries))
    const next = left[Math.min(place, left.length - 1)]
    if (!next) return undefined
    const controls = controlsOf(next)
    return named(controls, name) ?? controls[0]
  }

  const observer = new MutationObserver(restore)
  observer.observe(list, { childList: true, subtree: true })
  list.addEventListener('focusin', hold)
  list.addEventListener('focusout', release)
  return () => {
    observer.disconnect()
    list.removeEventListener('focusin', hold)
    list.removeEventListener('focusout', release)
  }
}

type Held = {
  readonly control: HTMLElement
  readonly name: string | undefined
  readonly entry: Element
  readonly place: number
  /** Which of the entry's controls it was. */
  readonly nth: number
}

const controlsOf = (entry: Element) =>
  Array.from(entry.querySelectorAll<HTMLElement>('a[href], button, input, select'))

const named = (controls: readonly HTMLElement[], name: string | undefined) =>
  name === undefined ? undefined : controls.find((each) => each.dataset['control'] === name)

function besides({ entry, name, nth }: Held): HTMLElement | undefined {
  const controls = controlsOf(entry)
  return named(controls, name) ?? controls[Math.min(Math.max(nth - 1, 0), controls.length - 1)]
}
