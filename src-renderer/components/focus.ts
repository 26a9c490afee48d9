/**
 * Gives the focus a place when what had it goes away: a button that has served, a table that is drawn anew, a view.
 * What is only put elsewhere, as in a list that is ordered, has it back. Otherwise it falls to the page, and the
 * keyboard begins at its top. Whoever moves the focus by itself goes first.
 * @returns ends it
 */
export function restoreFocus(page: Document): () => void {
  /** What has the focus, then all that it lies in. */
  let path: readonly Element[] = []
  const observer = new MutationObserver(() => {
    if (path.length > 0 && page.activeElement === page.body) setTimeout(restoreLost)
  })

  function watch({ target }: FocusEvent): void {
    path = target instanceof Element ? lineOf(target) : []
    observer.disconnect()
    // Only what holds it can take it away: the many changes elsewhere cost nothing.
    for (const holder of path.slice(1)) observer.observe(holder, { childList: true })
  }

  function restoreLost(): void {
    for (const refuge of refugesOf(page, path)) {
      if (page.activeElement !== page.body) return
      if (refuge instanceof HTMLElement) refuge.focus({ preventScroll: true })
    }
  }

  /** A click beside everything takes the focus away on purpose. */
  function click(): void {
    if (page.activeElement === page.body) path = []
  }

  page.addEventListener('focusin', watch)
  page.addEventListener('click', click, true)
  return () => {
    page.removeEventListener('focusin', watch)
    page.removeEventListener('click', click, true)
    observer.disconnect()
  }
}

/**
 * Where the focus goes: what had it, if it is only elsewhere, the dialog that it was in, the one that is open, the heading of
 * the view, the view. Each may be unable to take it, as a heading is that is not made for it.
 */
function refugesOf(page: Document, path: readonly Element[]): (Element | null | undefined)[] {
  const left = path.filter(({ isConnected }) => isConnected)
  return [
    left[0] === path[0] ? left[0] : null,
    left.find((element) => element.getAttribute('role') === 'dialog'),
    Array.from(page.querySelectorAll('[role="dialog"]')).at(-1),
    page.querySelector('#content h1'),
    page.getElementById('content'),
  ]
}

function lineOf(element: Element): Element[] {
  const line = [element]
  for (let holder = element.parentElement; holder; holder = holder.parentElement) line.push(holder)
  return line
}

/**
 * Keeps the focus in a list while what had it goes away: a button that has served, a row that is removed. It stays in
 * its entry, at the control of the same `data-control` or the nearest that stood before it, never at one that stood after it:
 * a key that was meant for what is gone must not remove the entry. Where the entry is gone, it goes to the entry that has taken
 * its place. A list that is empty keeps nothing, nor does an entry where nothing stood before.
 * @param entries which elements of the list are its entries
 */
export const listFocus = (entries: string) => (list: HTMLElement) => {
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

/**
 * Moves the focus to a view's heading when a link led to the view, so that a screen reader reads where one is, and when
 * the focus waits in the place of the views for one to come. It stays where it is at start.
 */
export function headingFocus(heading: HTMLElement): void {
  const { activeElement } = document
  const waits = activeElement?.id === 'content'
  if (waits || activeElement instanceof HTMLAnchorElement) heading.focus({ preventScroll: true })
}

/** Gives the focus back to the button of a panel that closes, unless it went elsewhere by itself. */
export function returnFocus(button: HTMLElement | undefined): void {
  const { activeElement, body } = document
  if (activeElement === body || activeElement?.closest('[data-popover-content]')) button?.focus()
}

/** For a floating part: a press on the button that opened it is the button's to answer. */
export const leavesButton = (button: HTMLElement) => (event: Event) => {
  if (event.target instanceof Node && button.contains(event.target)) event.preventDefault()
}

/**
 * Leads the focus from a menu that was opened by keys to its first item. A menu that is loaded with its first use has
 * not seen the key that opened it.
 */
export function toFirstItem({ target, currentTarget, relatedTarget }: FocusEvent): void {
  if (target !== currentTarget || !(currentTarget instanceof HTMLElement)) return
  const fromItem = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
  if (fromItem || !currentTarget.matches(':focus-visible')) return
  currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
}
