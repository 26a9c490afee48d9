const SURROGATE = /[\ud800-\udfff]/

/** Orders texts by their code points. JavaScript's own order differs beyond the basic plane: it compares half characters. */
export function byCodePoints(one: string, other: string): number {
  if (one === other) return 0
  if (!SURROGATE.test(one) && !SURROGATE.test(other)) return one < other ? -1 : 1
  const [left, right] = [[...one], [...other]]
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const difference = (left[index]?.codePointAt(0) ?? 0) - (right[index]?.codePointAt(0) ?? 0)
    if (difference !== 0) return difference
  }
  return left.length - right.length
}
