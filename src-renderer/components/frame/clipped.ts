/**
 * Watches a single line of text. While the line is cut, it is focusable, unless inside a button. The full text is then in a
 * tip and in `data-whole`.
 * @param holder has one element `.one-line`
 */
export function markClipped(holder: HTMLElement): () => void {
  const measure = () => {
    const line = holder.querySelector('.one-line')
    const words = line?.textContent?.trim().replaceAll(/\s+/g, ' ') ?? ''
    const isCut = line !== null && line.scrollWidth > line.clientWidth
    if (!isCut) {
      delete holder.dataset['whole']
      holder.removeAttribute('tabindex')
      holder.removeAttribute('title')
      return
    }
    holder.dataset['whole'] = words
    holder.title = words
    if (!line.closest('button')) holder.tabIndex = 0
    else holder.removeAttribute('tabindex')
  }
  const sizes = new ResizeObserver(measure)
  const texts = new MutationObserver(measure)
  sizes.observe(holder)
  texts.observe(holder, { subtree: true, childList: true, characterData: true })
  return () => {
    sizes.disconnect()
    texts.disconnect()
  }
}
