import { byCodePoints } from '#shared/values/code-points.ts'

/**
 * One order for the columns of several tables that does not contradict any of theirs; where they leave it open, the
 * smaller header first. Tables that contradict each other get an order all the same.
 */
export function joinOrders(orders: readonly (readonly string[])[]): string[] {
  const before = new Map<string, Set<string>>()
  for (const order of orders) {
    for (const [place, header] of order.entries()) {
      const earlier = before.get(header) ?? new Set<string>()
      before.set(header, earlier)
      const previous = order[place - 1]
      if (previous !== undefined) earlier.add(previous)
    }
  }
  const waiting = [...before.keys()].sort(byCodePoints)
  const placed = new Set<string>()
  while (waiting.length > 0) {
    const free = waiting.findIndex((header) =>
      [...(before.get(header) ?? [])].every((value) => placed.has(value)),
    )
    const [next] = waiting.splice(Math.max(0, free), 1)
    if (next !== undefined) placed.add(next)
  }
  return [...placed]
}
