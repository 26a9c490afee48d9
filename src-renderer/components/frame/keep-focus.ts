/**
 * Gives the focus a place when what had it goes away: a button that has served, a table that is drawn anew, a view.
 * What is only put elsewhere, as in a list that is ordered, has it back. Otherwise it falls to the page, and the
 * keyboard begins at its top. Whoever moves the focus by itself goes first.
 * @returns ends it
 */
export function keepFocus(page: Document): () => void {
  /** What has the focus, then all that it lies in. */
  let path: readonly Element[] = []
  const observer = new MutationObserver(() => {
    if (path.length > 0 && page.activeElement === page.body) setTimeout(settle)
  })

  function watch({ target }: FocusEvent): void {
    path = target instanceof Element ? lineOf(target) : []
    observer.disconnect()
    // Only what holds it can take it away: the many changes elsewhere cost nothing.
    for (const holder of path.slice(1)) observer.observe(holder, { childList: true })
  }

  function settle(): void {
    if (page.activeElement !== page.body) return
    const [had] = path
    if (had instanceof HTMLElement && had.isConnected) had.focus({ preventScroll: true })
    if (page.activeElement === page.body) refugeOf(page, path)?.focus({ preventScroll: true })
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

/** The dialog that the focus was in, else the one that is open, else the heading of the view, else the view. */
function refugeOf(page: Document, path: readonly Element[]): HTMLElement | null {
  const dialog = path.find((element) => element.isConnected && element.getAttribute('role') === 'dialog')
  const open = Array.from(page.querySelectorAll('[role="dialog"]')).at(-1)
  const found = dialog ?? open ?? page.querySelector('#content h1') ?? page.getElementById('content')
  return found instanceof HTMLElement ? found : null
}

function lineOf(element: Element): Element[] {
  const line = [element]
  for (let holder = element.parentElement; holder; holder = holder.parentElement) line.push(holder)
  return line
}
