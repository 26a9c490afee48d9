/** A list in which one thing stands so many places further on, or back; null where it stays where it is. */
export function withMoved<Id, T extends { readonly id: Id }>(
  list: readonly T[],
  id: Id,
  by: number,
): readonly T[] | null {
  const from = list.findIndex((item) => item.id === id)
  const to = Math.min(Math.max(from + by, 0), list.length - 1)
  const moved = list[from]
  if (!moved || to === from) return null
  const others = list.filter((item) => item !== moved)
  return [...others.slice(0, to), moved, ...others.slice(to)]
}
