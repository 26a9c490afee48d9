/**
 * Keeps the focus in a list while what had it goes away: a button that has served, a row that is removed. It stays in
 * its entry, at the control of the same `data-control` or the nearest that stood before it, never at one that stood after it:
 * a key that was meant for what is gone must not remove the entry. Where the entry is gone, it goes to the entry that has taken
 * its place. A list that is empty keeps nothing, nor does an entry where nothing stood before.
 * @param entries which elements of the list are its entries
 */
export const keepPlace = (entries: string) => (list: HTMLElement) => {
  let held: Held | null = null

  function hold({ target }: FocusEvent): void {
    const control = target instanceof HTMLElement ? target : null
    const entry = control?.closest(entries)
    if (!control || !entry) return
    const place = Array.from(list.querySelectorAll(entries)).indexOf(entry)
    const controls = controlsOf(entry)
    held = { control, entry, place, before: controls.slice(0, controls.indexOf(control)).reverse() }
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

  function replaces({ place, control }: Held): HTMLElement | undefined {
    const left = Array.from(list.querySelectorAll(entries))
    const next = left[Math.min(place, left.length - 1)]
    if (!next) return undefined
    const controls = controlsOf(next)
    return named(controls, control) ?? controls[0]
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
  readonly entry: Element
  readonly place: number
  /** The entry's controls that stood before it, the nearest first. */
  readonly before: readonly HTMLElement[]
}

const controlsOf = (entry: Element) =>
  Array.from(entry.querySelectorAll<HTMLElement>('a[href], button, input, select'))

const named = (controls: readonly HTMLElement[], { dataset }: HTMLElement) =>
  controls.find(
    (control) => dataset['control'] !== undefined && control.dataset['control'] === dataset['control'],
  )

/** The first of them that is still there, or has another in its place. */
function besides({ entry, control, before }: Held): HTMLElement | undefined {
  const controls = controlsOf(entry)
  for (const hTMLElement of [control, ...before]) {
    const there = controls.includes(hTMLElement) ? hTMLElement : named(controls, hTMLElement)
    if (there) return there
  }
  return undefined
}
