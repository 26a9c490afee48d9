import { ServiceFailure } from '#main/api/network-failure.ts'

/** How many columns are named in a failure, and how long each name may be. */
const maxNamed = 3
const longestName = 40

/** Pages that cannot be read as one table. Waiting does not help, unless the service was being changed just then. */
export class OddPages extends ServiceFailure {
  constructor(what: string) {
    super({
      kind: 'malformed',
      message: `${what} If it stays so, tell the people who run the service.`,
    })
  }
}

/** @param headers those of page 1, and those of the page that has others */
export function otherColumns(page: number, first: readonly string[], headers: readonly string[]): OddPages {
  const missing = namesOf('Missing', first, headers)
  const added = namesOf('New', headers, first)
  return new OddPages(`The service answered page ${page} with other columns.${missing}${added}`)
}

export const repeatedPage = (page: number, total: number): OddPages =>
  new OddPages(`The service answered page ${page} with rows of page ${total}.`)

/** A failure to read a page that says which: without, nobody could tell it from the others. */
export function onPage(page: number, { failure }: ServiceFailure): ServiceFailure {
  return new ServiceFailure({ ...failure, message: `Page ${page} of the table: ${failure.message}` })
}

/** ` Missing: “Good”, “Bad”.` for what stands in one list and not in the other; nothing where that is none. */
function namesOf(word: string, from: readonly string[], without: readonly string[]): string {
  const found = from.filter((header) => !without.includes(header))
  if (found.length === 0) return ''
  const more = found.length - maxNamed
  const named = found.slice(0, maxNamed).map((header) => `“${shortened(header)}”`)
  return ` ${word}: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`
}

const shortened = (header: string): string =>
  header.length <= longestName ? header : `${header.slice(0, longestName)}…`
