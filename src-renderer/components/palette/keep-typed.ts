/**
 * Keeps what is typed before the palette has come: it is meant for the palette, and not for the field that still has the focus.
 *
 * @returns ends it, and gives what was typed
 */
export function keepTyped(page: Document): () => string {
  let text = ''
  const keep = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key.length === 1) text += event.key
    else if (event.key === 'Backspace') text = text.slice(0, -1)
    else if (event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
  }
  page.addEventListener('keydown', keep, true)
  return () => {
    page.removeEventListener('keydown', keep, true)
    return text
  }
}
