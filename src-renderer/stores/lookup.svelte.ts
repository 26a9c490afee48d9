import { createInfiniteQuery } from '@tanstack/svelte-query'
import { SvelteMap } from 'svelte/reactivity'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { readTyped } from '#shared/values/typed-text.ts'
import type { Asking } from '../queries/answers.ts'
import { distinct, lookupPages } from '../queries/lookups.ts'
import type { Choice, LookupFilters, LookupList } from '../queries/lookups.ts'

/** Typing asks when it pauses for so long. In milliseconds. */
const DEBOUNCE = 200

type Pages = {
  readonly choices: readonly Choice[]
  readonly results: number
  readonly failure: Failure | null
}

/** A list to choose from: the pages of it that were read so far. To be made while a component is set up. */
export class Lookup {
  /** Whether the list is open: only then it follows what it depends on. */
  open = $state(false)
  #wanted = $state(false)
  /** What was typed last. */
  #typed = $state('')
  #search = $state('')
  /** What the list showed last. It stays while something else is searched, and where that fails. */
  #last: Pages | null = null
  #timer: ReturnType<typeof setTimeout> | undefined
  readonly #names = new SvelteMap<string, string>()
  readonly #query
  readonly #pages: Pages | null

  constructor(app: Asking, account: () => AccountId, list: () => LookupList) {
    const query = createInfiniteQuery(
      () => ({
        ...lookupPages(app.bridge, account(), list(), this.#search),
        enabled: (this.open || this.#wanted) && this.#search === this.#typed,
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

  /** How many there are that match what `choices` answer; null until there was an answer. */
  get results(): number | null {
    return this.#pages && Math.max(this.#pages.results, this.choices.length)
  }

  /** Why there is no newer list, or none at all. */
  get failure(): Failure | null {
    return this.#query.error?.failure ?? this.#pages?.failure ?? null
  }

  /** Whether `choices` are what is wanted, and not what was wanted before. */
  get isCurrent(): boolean {
    const { data, isFetching } = this.#query
    return data !== undefined && !isFetching && this.#search === this.#typed
  }

  /** Reads the list for the names in it, though it is closed. */
  want(): void {
    this.#wanted = true
  }

  /** Narrows the list to what has `text` in it, once typing pauses; blank for all of it. */
  type(text: string): void {
    const typed = readTyped(text, 'search')
    if (typed === this.#typed) return
    this.#typed = typed
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => (this.#search = this.#typed), this.#typed === '' ? 0 : DEBOUNCE)
  }

  /** Reads what follows, where there is more. */
  more(): void {
    if (this.isCurrent && this.#query.hasNextPage) void this.#query.fetchNextPage()
  }

  /** What is read for a value: its name where one was ever seen. */
  nameOf(value: string): string | undefined {
    return this.#names.get(value)
  }

  /** Takes the name of a value that was seen elsewhere. */
  learn({ value, text }: Choice): void {
    this.#names.set(value, text)
  }
}

/** The lists that a view is limited by. To be called while a component is set up. */
export const lookupsOf = (app: Asking, account: () => AccountId, filters: () => LookupFilters) => ({
  instances: new Lookup(app, account, () => ({ kind: 'instances' })),
  sources: new Lookup(app, account, () => {
    const { range, instance } = filters()
    return { kind: 'sources', filters: { range, instance } }
  }),
  campaigns: new Lookup(app, account, () => ({ kind: 'campaigns', filters: filters() })),
})
