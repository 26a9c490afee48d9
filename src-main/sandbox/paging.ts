import { limits } from '#shared/api/parameters.ts'

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

/**
 * Whether a text is met by a search (specification: broad match): it holds the searched text, upper and lower case
 * being the same; or begins with it.
 */
export function matcher(search: string | undefined, startsWith: boolean): (text: string) => boolean {
  if (search === undefined) return () => true
  const wanted = search.toLowerCase()
  return startsWith
    ? (text) => text.toLowerCase().startsWith(wanted)
    : (text) => text.toLowerCase().includes(wanted)
}

/** One page of a list, and the two members that `query` adds for it. A page beyond the last one is empty. */
export function pageOf<T>(
  items: readonly T[],
  {
    page = 1,
    limit = limits.rowsPerPageByDefault,
  }: { page?: number | undefined; limit?: number | undefined },
): { readonly items: readonly T[]; readonly counts: { readonly results: number; readonly pages: number } } {
  const counts = { results: items.length, pages: Math.ceil(items.length / limit) }
  return { items: items.slice((page - 1) * limit, page * limit), counts }
}
