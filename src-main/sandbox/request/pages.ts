import { limits } from '#shared/api/limits.ts'

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
