const anySurrogate = /[\ud800-\udfff]/
const isLeading = (unit: number) => unit >= 0xd800 && unit <= 0xdbff

/** Orders texts as JavaScript does: by half characters, and so wrongly beyond the basic plane. Fast. */
const byUnits = (one: string, other: string): number => (one === other ? 0 : one < other ? -1 : 1)

/** Orders texts by their code points, the order in which the service breaks ties. */
export function byCodePoints(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let index = 0
  while (index < shorter && one.charCodeAt(index) === other.charCodeAt(index)) index += 1
  if (index === shorter) return one.length - other.length
  // Where the second halves of two characters differ, the characters begin one unit before.
  const begin = index > 0 && isLeading(one.charCodeAt(index - 1)) ? index - 1 : index
  return pointAt(one, begin) - pointAt(other, begin) || pointAt(one, index) - pointAt(other, index)
}

const pointAt = (text: string, offset: number): number => text.codePointAt(offset) ?? 0

/** The comparison to sort these texts with: the fast one where it gives the same order. */
export function comparisonFor(texts: readonly string[]): (one: string, other: string) => number {
  return texts.some((text) => anySurrogate.test(text)) ? byCodePoints : byUnits
}
