import type {
  CampaignsAnswer,
  Instance,
  InstancesAnswer,
  PagedEcho,
  SourcesAnswer,
} from '#shared/api/answers.ts'
import type { AnswerFor, ArgumentsFor } from '#shared/api/endpoints.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import type { DayRange } from '#shared/values/day.ts'
import { instantOf } from '#shared/values/ids.ts'
import type { Instant } from '#shared/values/ids.ts'

export type LookupPath = 'interface/instances' | 'interface/sources' | 'interface/campaigns'

/** Parameters of a look-up call, without the account. */
export type LookupParams<P extends LookupPath> = Omit<
  {
    'interface/instances': CallArgument<'lookups/instances'>
    'interface/sources': CallArgument<'lookups/sources'>
    'interface/campaigns': CallArgument<'lookups/campaigns'>
  }[P],
  'account'
>

/** Entry of a list: an instance, or the text of a source or campaign. */
type Entry<P extends LookupPath> = P extends 'interface/instances' ? Instance : string

/** Differences between the look-up lists (specification: interface endpoints). */
export type LookupKind<P extends LookupPath> = {
  readonly path: P
  readonly argumentsFor: (params: LookupParams<P>) => ArgumentsFor<P>
  /** The search text, which matches any part of a name. */
  readonly searched: (params: LookupParams<P>) => string | null
  /** Range of the list; null for a list without days. */
  readonly rangeOf: (params: LookupParams<P>) => DayRange | null
  readonly over: (params: LookupParams<P>, range: DayRange) => LookupParams<P>
  readonly entriesOf: (answer: AnswerFor<P>) => readonly Entry<P>[]
  /** Identity of an entry, and the text that a search is matched against. */
  readonly idOf: (entry: Entry<P>) => string
  readonly nameOf: (entry: Entry<P>) => string
  /** Whether this is the entry for all, which no search finds. */
  readonly isAll: (entry: Entry<P>) => boolean
  readonly answerWith: (entries: readonly Entry<P>[], query: PagedEcho) => AnswerFor<P>
  /** Arguments, besides days and search, that must be equal for a stored page to be usable. */
  readonly limitedBy: readonly string[]
}

const blankToNull = (typed: string | null): string | null => (typed === '' ? null : typed)

/** An argument that is omitted if null. */
const optionalArgument = <N extends string>(name: N, value: string | null) =>
  (value === null ? {} : { [name]: value }) as { readonly [K in N]?: string }

export const instances: LookupKind<'interface/instances'> = {
  path: 'interface/instances',
  argumentsFor: ({ name, page, limit }) => ({ ...optionalArgument('name', blankToNull(name)), page, limit }),
  searched: ({ name }) => blankToNull(name),
  rangeOf: () => null,
  over: (params) => params,
  entriesOf: (answer: InstancesAnswer) => answer.instances,
  idOf: ({ id }) => id,
  nameOf: ({ name }) => name,
  isAll: ({ all }) => all,
  answerWith: (entries, query) => ({ instances: entries, query }),
  limitedBy: [],
}

/** Of lists with days, whose entries are texts. */
const ofTexts = {
  rangeOf: ({ range }: { readonly range: DayRange }) => range,
  idOf: (entry: string) => entry,
  nameOf: (entry: string) => entry,
  isAll: () => false,
}

export const sources: LookupKind<'interface/sources'> = {
  path: 'interface/sources',
  argumentsFor: ({ range, instance, source, page, limit }) => ({
    ...range,
    ...optionalArgument('instance', instance),
    ...optionalArgument('source', blankToNull(source)),
    all: false,
    page,
    limit,
  }),
  ...ofTexts,
  searched: ({ source }) => blankToNull(source),
  over: (params, range) => ({ ...params, range }),
  entriesOf: (answer: SourcesAnswer) => answer.sources,
  answerWith: (entries, query) => ({ sources: entries, query }),
  limitedBy: ['instance'],
}

export const campaigns: LookupKind<'interface/campaigns'> = {
  path: 'interface/campaigns',
  argumentsFor: ({ range, instance, source, campaign, page, limit }) => ({
    ...range,
    ...optionalArgument('instance', instance),
    ...optionalArgument('source', source),
    ...optionalArgument('campaign', blankToNull(campaign)),
    all: false,
    page,
    limit,
  }),
  ...ofTexts,
  searched: ({ campaign }) => blankToNull(campaign),
  over: (params, range) => ({ ...params, range }),
  entriesOf: (answer: CampaignsAnswer) => answer.campaigns,
  answerWith: (entries, query) => ({ campaigns: entries, query }),
  limitedBy: ['instance', 'source'],
}

/** Key under which a page of a list is stored. */
export function lookupKey<P extends LookupPath>(kind: LookupKind<P>, params: LookupParams<P>): string {
  const written = new URLSearchParams()
  for (const [name, value] of Object.entries(kind.argumentsFor(params))) written.set(name, String(value))
  return `${kind.path}?${written}`
}

/** A stored page of a list. */
export type StoredPage<P extends LookupPath> = {
  readonly key: string
  readonly answer: AnswerFor<P>
  readonly fetchedAt: Instant
}

/**
 * Answers a look-up from all stored pages while the service is unreachable: each entry once, with a broad match on its name
 * (specification: interface endpoints). Pages of other days are used too; pages limited to another instance or source are not.
 * @param pages the newest first
 * @returns null if no page can be used
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
    fetchedAt: instantOf(Math.min(...useful.map((storedPage) => storedPage.fetchedAt))),
    answer: kind.answerWith(matching.slice(first, first + params.limit), query),
  }
}

const argumentOf = (key: string, name: string): string | null =>
  new URLSearchParams(key.slice(key.indexOf('?'))).get(name)

const sameArgument = (one: string, other: string, name: string): boolean =>
  argumentOf(one, name) === argumentOf(other, name)

export type EntryOf<P extends LookupPath> = ReturnType<LookupKind<P>['entriesOf']>[number]

/** Returns the entries of all pages, each once. The newest page decides the name. */
export function everyEntry<P extends LookupPath>(
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
