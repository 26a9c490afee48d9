/**
 * Watches whether the content of a line fits, on changes of size or text. After an overflow, it fits again only once the
 * line is as wide as the content was.
 * @param notify called with true if everything fits
 */
export const fits =
  (notify: (whole: boolean) => void) =>
  (line: HTMLElement): (() => void) => {
    /** Width of the overflowing content, in CSS pixels; null while everything fits. */
    let needed: number | null = null

    function measure(): void {
      const { scrollWidth, clientWidth } = line
      if (needed === null && scrollWidth > clientWidth) needed = scrollWidth
      else if (needed !== null && clientWidth >= needed) needed = null
      else return
      notify(needed === null)
    }

    notify(true)
    // Observes only the line: parts that change as a result would trigger it again.
    const sizes = new ResizeObserver(measure)
    const parts = new MutationObserver(measure)
    sizes.observe(line)
    parts.observe(line, { subtree: true, childList: true, characterData: true })
    return () => {
      sizes.disconnect()
      parts.disconnect()
    }
  }
