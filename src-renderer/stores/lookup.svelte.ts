import { createInfiniteQuery } from '@tanstack/svelte-query'
import { SvelteMap } from 'svelte/reactivity'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import type { Asking } from '../queries/answers.ts'
import { distinct, lookupPages } from '../queries/lookups.ts'
import type { Choice, LookupFilters, LookupList } from '../queries/lookups.ts'

/** Typing is sent after a pause of this length, in ms. */
const DEBOUNCE = 200

type Pages = {
  readonly choices: readonly Choice[]
  readonly results: number
  readonly failure: Failure | null
}

/** A list to choose from, loaded page by page. Create it during component initialisation. */
export class Lookup {
  /** Only an open list follows its dependencies. */
  open = $state(false)
  #isWanted = $state(false)
  #text = $state('')
  #search = $state('')
  /** Last loaded list, which stays while another search runs or fails. */
  #last: Pages | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #names = new SvelteMap<string, string>()
  readonly #query
  readonly #pages: Pages | null

  constructor(app: Asking, account: () => AccountId, list: () => LookupList) {
    const query = createInfiniteQuery(
      () => ({
        ...lookupPages(app.bridge, account(), list(), this.#search),
        enabled: (this.open || this.#isWanted) && this.#search === this.#text,
      }),
      () => app.queries,
    )
    this.#query = query
    this.#pages = $derived.by(() => {
      const pages = query.data?.pages
      const last = pages?.at(-1)
      if (pages && last)
        this.#last = {
          choices: distinct(pages.flatMap(({ choices }) => choices)),
          results: last.results,
          failure: last.failure,
        }
      return this.#last
    })
    $effect(() => {
      for (const { value, text } of this.choices) this.#names.set(value, text)
    })
  }

  get choices(): readonly Choice[] {
    return this.#pages?.choices ?? []
  }

  /** Number of entries that match; null before the first answer. */
  get results(): number | null {
    return this.#pages && Math.max(this.#pages.results, this.choices.length)
  }

  /** Why the list is missing or outdated. */
  get failure(): Failure | null {
    return this.#query.error?.failure ?? this.#pages?.failure ?? null
  }

  /** Whether `choices` belongs to the current search. */
  get isCurrent(): boolean {
    const { data, isFetching } = this.#query
    return data !== undefined && !isFetching && this.#search === this.#text
  }

  /** Loads the list for its names, although it is closed. */
  want(): void {
    this.#isWanted = true
  }

  /** Filters the list by `text` after a pause in typing; blank for all entries. */
  type(text: string): void {
    const typed = readTyped(text, 'search')
    if (typed === this.#text) return
    this.#text = typed
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#search = this.#text), this.#text === '' ? 0 : DEBOUNCE)
  }

  /** Loads the next page, if any. */
  more(): void {
    if (this.isCurrent && this.#query.hasNextPage) void this.#query.fetchNextPage()
  }

  /** Display name of a value; undefined if it was never loaded. */
  nameOf(value: string): string | undefined {
    return this.#names.get(value)
  }

  /** Adds the name of a value that was loaded elsewhere. */
  learn({ value, text }: Choice): void {
    this.#names.set(value, text)
  }
}

/** Lists for the filters of a view. Call it during component initialisation. */
export const lookupsOf = (app: Asking, account: () => AccountId, filters: () => LookupFilters) => ({
  instances: new Lookup(app, account, () => ({ kind: 'instances' })),
  sources: new Lookup(app, account, () => {
    const { range, instance } = filters()
    return { kind: 'sources', filters: { range, instance } }
  }),
  campaigns: new Lookup(app, account, () => ({ kind: 'campaigns', filters: filters() })),
})
