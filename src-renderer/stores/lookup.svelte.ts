import { SvelteMap } from 'svelte/reactivity'
import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { Instant } from '#shared/values/ids.ts'
import { distinct } from './lookup-page.ts'
import type { Choice, LookupPage, LookupSource } from './lookup-page.ts'

/** Typing asks when it pauses for so long, not with every key. */
export const PAUSE = 200

/** What was asked of the list: the newest question wins, whatever an older one still brings. */
type Asked = { readonly about: string; readonly search: string }

/** A list to choose from: the pages that were asked for so far of what was typed. */
export class Lookup {
  choices = $state.raw<readonly Choice[]>([])
  /** How many there are that match what `choices` answer; null until there was an answer. */
  found = $state<number | null>(null)
  /** Why there is no newer list, or none at all. */
  failure = $state.raw<Failure | null>(null)
  fetchedAt = $state<Instant | null>(null)
  asking = $state(false)
  /** What `choices` answer. */
  searched = $state('')
  /** What is wanted: what was typed last. */
  typed = $state('')
  readonly #bridge: DeskBridge
  readonly #source: LookupSource
  readonly #names = new SvelteMap<string, string>()
  #answered: Asked | null = null
  #page = 0
  #pages = 0
  #turn = 0
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(bridge: DeskBridge, source: LookupSource) {
    this.#bridge = bridge
    this.#source = source
  }

  /** Follows changes of the list for as long as somebody looks at it; the result ends that. */
  listen(): () => void {
    const { account, path } = this.#source
    const stops = [
      this.#bridge.on('reports/changed', ({ account: whose, key }) => {
        if (whose === account && key.startsWith(path)) this.#again()
      }),
      this.#bridge.on('connection/changed', ({ account: whose, connection }) => {
        if (whose === account && connection.kind === 'online' && this.failure) this.#again()
      }),
    ]
    return () => {
      stops.forEach((stop) => stop())
      clearTimeout(this.#timer)
      this.#turn += 1
      this.asking = false
    }
  }

  /** Sees that the list is there, and is of what is wanted now. */
  want(): void {
    if (!this.settled && !this.asking) void this.#ask(1)
  }

  /** Narrows the list to what has `text` in it, once typing pauses; blank for all of it. */
  type(text: string): void {
    if (text.trim() === this.typed) return
    this.typed = text.trim()
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#ask(1), this.typed === '' ? 0 : PAUSE)
  }

  /** Asks for what follows, where there is more. */
  more(): void {
    if (this.hasMore && !this.asking) void this.#ask(this.#page + 1)
  }

  get hasMore(): boolean {
    return this.settled && this.#page < this.#pages
  }

  /** Whether `choices` are what is wanted, and not what was wanted before. */
  get settled(): boolean {
    return (
      !this.asking &&
      this.found !== null &&
      this.searched === this.typed &&
      this.#answered?.about === this.#source.about()
    )
  }

  /** What is read for a value: its name where one was ever seen. */
  nameOf(value: string): string | undefined {
    return this.#names.get(value)
  }

  /** Tells the name of a value that was seen elsewhere. */
  learn({ value, text }: Choice): void {
    this.#names.set(value, text)
  }

  #again(): void {
    if (this.#answered !== null || this.failure !== null) void this.#ask(1)
  }

  async #ask(page: number): Promise<void> {
    clearTimeout(this.#timer)
    const asked = { about: this.#source.about(), search: this.typed }
    this.#turn += 1
    const turn = this.#turn
    this.asking = true
    const found = await this.#source.ask(asked.search === '' ? null : asked.search, page)
    if (turn !== this.#turn) return
    this.asking = false
    this.failure = found.ok ? found.value.failure : found.failure
    if (found.ok) this.#take(asked, page, found.value)
  }

  #take(asked: Asked, page: number, found: LookupPage): void {
    for (const choice of found.choices) this.learn(choice)
    this.choices = distinct(page === 1 ? found.choices : [...this.choices, ...found.choices])
    this.found = Math.max(found.results, this.choices.length)
    this.fetchedAt = found.fetchedAt
    this.searched = asked.search
    this.#answered = asked
    this.#page = page
    this.#pages = found.pages
  }
}
