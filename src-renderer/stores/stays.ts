/** Timers of the window, or of a test. */
export type Timers = {
  readonly setTimeout: (run: () => void, after: number) => number
  readonly clearTimeout: (timer: number) => void
}

/** Why nothing disappears now: the user is on it, or the window is hidden. */
export type HeldFor = 'looked-at' | 'hidden'

/** Removes items from the screen, each after its time. After a hold, the full time starts again. */
export class Stays<Id> {
  readonly #timers: Timers
  readonly #onGone: (id: Id) => void
  readonly #items = new Map<Id, { readonly after: number; timer: number | null }>()
  readonly #holders = new Set<HeldFor>()

  /** @param gone called with each item whose time is over */
  constructor(timers: Timers, gone: (id: Id) => void) {
    this.#timers = timers
    this.#onGone = gone
  }

  /** @param after in milliseconds */
  begin(id: Id, after: number): void {
    this.end(id)
    this.#items.set(id, { after, timer: null })
    this.#run()
  }

  end(id: Id): void {
    this.#stop(id)
    this.#items.delete(id)
    // Removing an element under the pointer sends no event.
    if (this.#items.size === 0) this.#holders.delete('looked-at')
  }

  hold(why: HeldFor, held: boolean): void {
    if (held === this.#holders.has(why)) return
    if (held) this.#holders.add(why)
    else this.#holders.delete(why)
    if (held) for (const id of this.#items.keys()) this.#stop(id)
    else this.#run()
  }

  #run(): void {
    if (this.#holders.size > 0) return
    for (const [id, item] of this.#items)
      item.timer ??= this.#timers.setTimeout(() => {
        this.end(id)
        this.#onGone(id)
      }, item.after)
  }

  #stop(id: Id): void {
    const item = this.#items.get(id)
    if (!item || item.timer === null) return
    this.#timers.clearTimeout(item.timer)
    item.timer = null
  }
}
