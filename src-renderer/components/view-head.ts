/**
 * Watches whether the content of a line fits without the class `collapsed`, on changes of size or content. A collapsed line
 * is measured without its class, so that it widens again as soon as its content fits.
 * @param notify called with whether everything fits, when that changes
 */
export const fits =
  (notify: (whole: boolean) => void) =>
  (line: HTMLElement): (() => void) => {
    let whole = true

    function measure(): void {
      const isCollapsed = line.classList.contains('collapsed')
      line.classList.remove('collapsed')
      const fitsNow = line.scrollWidth <= line.clientWidth
      line.classList.toggle('collapsed', isCollapsed)
      if (fitsNow === whole) return
      whole = fitsNow
      notify(whole)
    }

    const sizes = new ResizeObserver(measure)
    const parts = new MutationObserver(measure)
    sizes.observe(line)
    parts.observe(line, { subtree: true, childList: true, characterData: true })
    return () => {
      sizes.disconnect()
      parts.disconnect()
    }
  }
