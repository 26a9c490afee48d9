import { limits } from '#shared/api/parameters.ts'

/** Returns a search test (specification: broad match): contains the text, or starts with it, ignoring case. */
export function matcher(search: string | undefined, startsWith: boolean): (text: string) => boolean {
  if (search === undefined) return () => true
  const wanted = search.toLowerCase()
  return startsWith
    ? (text) => text.toLowerCase().startsWith(wanted)
    : (text) => text.toLowerCase().includes(wanted)
}

/** Returns a page of a list, and the two counts for `query`. A page after the last is empty. */
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
