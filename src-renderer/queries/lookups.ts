import { infiniteQueryOptions, queryOptions } from '@tanstack/svelte-query'
import type { PagedEcho } from '#shared/api/answers.ts'
import { instanceText } from '#shared/api/instance-names.ts'
import type { Failure } from '#shared/api/failure.ts'
import { limits } from '#shared/api/parameters.ts'
import type { DeskBridge, StoredLookup, StoredNames } from '#shared/bridge/calls.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { AccountId, InstanceId } from '#shared/values/ids.ts'
import { answerOf, eachOpening } from './answers.ts'

/** An entry to choose: its value and its label. */
export type Choice = { readonly value: string; readonly text: string }

/** Days and filters that limit a list. */
export type LookupFilters = {
  readonly range: DayRange
  readonly instance: InstanceId | null
  readonly source: string | null
}

/** A list, and its filters besides the search. */
export type LookupList =
  | { readonly kind: 'instances' }
  | { readonly kind: 'sources'; readonly filters: Omit<LookupFilters, 'source'> }
  | { readonly kind: 'campaigns'; readonly filters: LookupFilters }

type LookupPage = {
  readonly choices: readonly Choice[]
  /** Number of all matches. */
  readonly results: number
  readonly pages: number
  /** Why these are stored entries: the request failed. */
  readonly failure: Failure | null
}

/** A list page by page, limited to entries that contain `search`; blank for all. Uses the largest page of the service. */
export const lookupPages = (bridge: DeskBridge, account: AccountId, list: LookupList, search: string) =>
  infiniteQueryOptions({
    // Change events of a list start with the path of its endpoint.
    queryKey: ['lookups', account, `interface/${list.kind}`, list, search],
    queryFn: ({ pageParam }) =>
      readPage(bridge, list, search || null, { account, page: pageParam, limit: limits.rowsPerPage }),
    initialPageParam: 1,
    getNextPageParam: ({ pages }, _, page) => (page < pages ? page + 1 : undefined),
  })

/** First page of the instances that the token sees. */
export const firstInstances = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['lookups', account, 'interface/instances', 'first'],
    queryFn: async () => {
      const params = { account, name: null, page: 1, limit: limits.rowsPerPage }
      return (await answerOf(bridge.call('lookups/instances', params))).answer.instances
    },
    gcTime: 0,
  })

/** All instances that the token sees. @throws if a page cannot be loaded */
export const everyInstance = (bridge: DeskBridge, account: AccountId) =>
  queryOptions({
    queryKey: ['lookups', account, 'interface/instances', 'every'],
    queryFn: async (): Promise<readonly Choice[]> => {
      const choices: Choice[] = []
      for (let page = 1, pages = 1; page <= pages; page += 1) {
        const params = { account, page, limit: limits.rowsPerPage }
        const found = await readPage(bridge, { kind: 'instances' }, null, params)
        choices.push(...found.choices)
        pages = found.pages
      }
      return distinct(choices)
    },
    gcTime: 0,
  })

/** Names in stored look-ups and tables of an account. Works offline. */
export const storedNames = (bridge: DeskBridge, account: AccountId) =>
  eachOpening(bridge, ['names', account], 'lookups/names', { account })

/** Maximum of names per kind for a search. */
const MAX_NAMES = 8

/** Instances, and sources of some days, whose name contains a text. A list that fails is left out. */
export const namesWith = (bridge: DeskBridge, account: AccountId, name: string, range: DayRange) =>
  queryOptions({
    queryKey: ['names with', account, name, range],
    gcTime: 0,
    queryFn: async (): Promise<StoredNames> => {
      const page = { account, page: 1, limit: MAX_NAMES }
      const [instances, sources] = await Promise.all([
        bridge.call('lookups/instances', { ...page, name }),
        bridge.call('lookups/sources', { ...page, range, instance: null, source: name }),
      ])
      return {
        instances: instances.ok ? instances.value.answer.instances.filter(({ all }) => !all) : [],
        names: { sources: sources.ok ? sources.value.answer.sources : [] },
      }
    },
  })

async function readPage(
  bridge: DeskBridge,
  list: LookupList,
  search: string | null,
  page: { readonly account: AccountId; readonly page: number; readonly limit: number },
): Promise<LookupPage> {
  switch (list.kind) {
    case 'instances':
      return pageOf(await answerOf(bridge.call('lookups/instances', { ...page, name: search })), (answer) =>
        answer.instances
          .filter(({ all }) => !all)
          .map((instance) => ({ value: instance.id, text: instanceText(instance) })),
      )
    case 'sources': {
      const params = { ...page, ...list.filters, source: search }
      return pageOf(await answerOf(bridge.call('lookups/sources', params)), ({ sources }) =>
        choicesOf(sources),
      )
    }
    case 'campaigns': {
      const params = { ...page, ...list.filters, campaign: search }
      return pageOf(await answerOf(bridge.call('lookups/campaigns', params)), ({ campaigns }) =>
        choicesOf(campaigns),
      )
    }
  }
}

const pageOf = <A extends { readonly query: PagedEcho }>(
  { answer, failure }: StoredLookup<A>,
  choices: (answer: A) => readonly Choice[],
): LookupPage => {
  const { results, pages } = answer.query
  return { choices: choices(answer), results, pages, failure }
}

/** A text is its own value. A blank text is left out, because it would filter nothing. */
const choicesOf = (texts: readonly string[]): readonly Choice[] =>
  texts.filter((text) => text !== '').map((text) => ({ value: text, text }))

/** Removes repeated values, so that a list with duplicates can still be rendered. */
export function distinct(choices: readonly Choice[]): readonly Choice[] {
  const first = new Map<string, Choice>()
  for (const choice of choices) if (!first.has(choice.value)) first.set(choice.value, choice)
  return [...first.values()]
}
