/**
 * Tells whether all that stands in a line fits into it, and again when the line has another width or other words. What was too wide
 * once fits again only where the line is as wide as it would have had to be.
 * @param notify true where everything fits
 */
export const fits =
  (notify: (whole: boolean) => void) =>
  (line: HTMLElement): (() => void) => {
    /** How wide it would have to be; null while all fits. In CSS pixels. */
    let needed: number | null = null

    function measure(): void {
      const { scrollWidth, clientWidth } = line
      if (needed === null && scrollWidth > clientWidth) needed = scrollWidth
      else if (needed !== null && clientWidth >= needed) needed = null
      else return
      notify(needed === null)
    }

    notify(true)
    // The line alone: a part that is watched, and changes for it, would be told of once too often.
    const sizes = new ResizeObserver(measure)
    const parts = new MutationObserver(measure)
    sizes.observe(line)
    parts.observe(line, { subtree: true, childList: true, characterData: true })
    return () => {
      sizes.disconnect()
      parts.disconnect()
    }
  }
