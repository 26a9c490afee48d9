import type { AnswerFor } from '#shared/api/endpoints.ts'
import type { Instant } from '#shared/values/ids.ts'
import { lookupKey } from './lookup-kinds.ts'
import type { LookupParams, LookupKind, LookupPath } from './lookup-kinds.ts'

/** A kept page of a list. */
export type StoredPage<P extends LookupPath> = {
  readonly key: string
  readonly answer: AnswerFor<P>
  readonly fetchedAt: Instant
}

/**
 * Answers a look-up from whatever pages are kept, for when the service cannot be asked: every entry that stands on one
 * of them, once, by a broad match on its name (specification: interface endpoints). Pages of other days help as well;
 * pages that were limited to another instance or source do not.
 * @param pages the newest first
 * @returns null where nothing is kept
 */
export function fromStored<P extends LookupPath>(
  kind: LookupKind<P>,
  pages: readonly StoredPage<P>[],
  params: LookupParams<P>,
): StoredPage<P> | null {
  const key = lookupKey(kind, params)
  const useful = pages.filter((page) => kind.limitedBy.every((name) => sameArgument(page.key, key, name)))
  const known = everyEntry(kind, useful)
  if (known.length === 0) return null
  const matching = known.filter((entry) => matches(kind, entry, kind.searched(params)))
  const first = (params.page - 1) * params.limit
  const query = { results: matching.length, pages: Math.ceil(matching.length / params.limit), echo: {} }
  return {
    key,
    fetchedAt: Math.min(...useful.map((storedPage) => storedPage.fetchedAt)) as Instant,
    answer: kind.answerWith(matching.slice(first, first + params.limit), query),
  }
}

const argumentOf = (key: string, name: string): string | null =>
  new URLSearchParams(key.slice(key.indexOf('?'))).get(name)

const sameArgument = (one: string, other: string, name: string): boolean =>
  argumentOf(one, name) === argumentOf(other, name)

type EntryOf<P extends LookupPath> = ReturnType<LookupKind<P>['entriesOf']>[number]

/** The newest page says how an entry is called now. */
function everyEntry<P extends LookupPath>(
  kind: LookupKind<P>,
  pages: readonly StoredPage<P>[],
): EntryOf<P>[] {
  const known = new Map<string, EntryOf<P>>()
  for (const { answer } of pages) {
    for (const entry of kind.entriesOf(answer)) {
      const id = kind.idOf(entry)
      if (!known.has(id)) known.set(id, entry)
    }
  }
  return [...known.values()]
}

function matches<P extends LookupPath>(
  kind: LookupKind<P>,
  entry: EntryOf<P>,
  searched: string | null,
): boolean {
  if (searched === null) return true
  return !kind.isAll(entry) && kind.nameOf(entry).toLowerCase().includes(searched.toLowerCase())
}
