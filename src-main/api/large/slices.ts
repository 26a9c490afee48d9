/** So many entries are handed over at a time: reading them takes the other thread about a millisecond. */
const max = 500
/** Lists of answers lie no deeper. */
const deepest = 3

/** Where a list was cut out of a value, and what belongs there. */
export type Slice = { readonly place: readonly string[]; readonly items: readonly unknown[] }

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Takes the long lists out of a value. @returns the value with empty lists in their places, and the lists in slices */
export function cutUp(value: unknown): { readonly rest: unknown; readonly slices: readonly Slice[] } {
  const slices: Slice[] = []
  const cut = (item: unknown, place: readonly string[]): unknown => {
    if (Array.isArray(item) && item.length > max) {
      for (let from = 0; from < item.length; from += max)
        slices.push({ place, items: item.slice(from, from + max) })
      return []
    }
    if (!isObject(item) || place.length >= deepest) return item
    return Object.fromEntries(
      Object.entries(item).map(([name, within]) => [name, cut(within, [...place, name])]),
    )
  }
  return { rest: cut(value, []), slices }
}

/** Puts a slice where it belongs, behind those that were put there before. */
export function putBack(rest: unknown, { place, items }: Slice): void {
  let found: unknown = rest
  for (const name of place) found = isObject(found) ? found[name] : undefined
  if (!Array.isArray(found)) throw new RangeError('A slice belongs nowhere')
  for (const item of items) found.push(item)
}
