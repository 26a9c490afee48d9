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
