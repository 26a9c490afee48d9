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
