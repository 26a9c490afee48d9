/**
 * Moves the focus when the focused element is removed, for example a button, a table or a view. Otherwise the focus would
 * fall to the body, and Tab would start at the top. An element that was only moved gets the focus back. Code that moves the
 * focus itself takes precedence.
 * @returns a function that stops it
 */
export function restoreFocus(page: Document): () => void {
  /** The focused element and its ancestors. */
  let path: readonly Element[] = []
  const observer = new MutationObserver(() => {
    if (path.length > 0 && page.activeElement === page.body) setTimeout(restoreLost)
  })

  function watch({ target }: FocusEvent): void {
    path = target instanceof Element ? lineOf(target) : []
    observer.disconnect()
    // Only its ancestors can remove it, so changes elsewhere cost nothing.
    for (const holder of path.slice(1)) observer.observe(holder, { childList: true })
  }

  function restoreLost(): void {
    for (const refuge of refugesOf(page, path)) {
      if (page.activeElement !== page.body) return
      if (refuge instanceof HTMLElement) refuge.focus({ preventScroll: true })
    }
  }

  /** A click on the background removes the focus on purpose. */
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
 * Candidates for the focus, in order: the element itself if it was only moved, its dialog, the open dialog, the view's
 * heading, the view. Some may not be focusable.
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
 * Keeps the focus in a list when the focused control or its row is removed. Within the entry, the focus moves to the control
 * with the same `data-control`, or to the nearest one before. The focus never moves to a later control: a repeated key press
 * must not remove the entry. If the entry is gone, the focus moves to the entry in its place. In an empty list, or without
 * an earlier control, nothing is focused.
 * @param entries selector of the entries
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

  /** The focus is not restored after the user moves it. Removing a control fires `focusout` while it is still connected. */
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
    return sameControl(controls, control) ?? controls[0]
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
  /** Controls of the entry before this one, the nearest first. */
  readonly before: readonly HTMLElement[]
}

const controlsOf = (entry: Element) =>
  Array.from(entry.querySelectorAll<HTMLElement>('a[href], button, input, select'))

const sameControl = (controls: readonly HTMLElement[], { dataset }: HTMLElement) =>
  controls.find(
    (control) => dataset['control'] !== undefined && control.dataset['control'] === dataset['control'],
  )

/** Returns the first control that still exists or has a replacement. */
function besides({ entry, control, before }: Held): HTMLElement | undefined {
  const controls = controlsOf(entry)
  for (const hTMLElement of [control, ...before]) {
    const there = controls.includes(hTMLElement) ? hTMLElement : sameControl(controls, hTMLElement)
    if (there) return there
  }
  return undefined
}

/** Focuses a view's heading after a link or from the content area, so that screen readers announce the view. */
export function headingFocus(heading: HTMLElement): void {
  const { activeElement } = document
  const waits = activeElement?.id === 'content'
  if (waits || activeElement instanceof HTMLAnchorElement) heading.focus({ preventScroll: true })
}

/** Returns the focus to the button of a panel that closes, unless the focus moved elsewhere. */
export function returnFocus(button: HTMLElement | undefined): void {
  const { activeElement, body } = document
  if (activeElement === body || activeElement?.closest('[data-popover-content]')) button?.focus()
}

/** For a floating part: leaves a press on its own button to that button. */
export const leavesButton = (button: HTMLElement) => (event: Event) => {
  if (event.target instanceof Node && button.contains(event.target)) event.preventDefault()
}

/** Focuses the first item of a menu opened by keyboard. A menu that loads on first use misses the opening key. */
export function toFirstItem({ target, currentTarget, relatedTarget }: FocusEvent): void {
  if (target !== currentTarget || !(currentTarget instanceof HTMLElement)) return
  const fromItem = relatedTarget instanceof Node && currentTarget.contains(relatedTarget)
  if (fromItem || !currentTarget.matches(':focus-visible')) return
  currentTarget.querySelector<HTMLElement>('[role^="menuitem"]')?.focus()
}

/** Attributes of an element that scrolls, so that the keyboard reaches it. @param label its name for screen readers */
export const scrollRegion = (label: string) => ({ role: 'region', 'aria-label': label, tabindex: 0 }) as const
