/** What measures the time that something stays: the window, or a test's clock. */
export type Timers = {
  readonly setTimeout: (run: () => void, after: number) => number
  readonly clearTimeout: (timer: number) => void
}

/** Why nothing goes at the moment: somebody looks at it, or nobody can see it. */
export type HeldFor = 'looked-at' | 'hidden'

/** Lets what is on screen go by itself, each after its time; what is held has its whole time afterwards. */
export class Stays<Id> {
  readonly #timers: Timers
  readonly #gone: (id: Id) => void
  readonly #items = new Map<Id, { readonly after: number; timer: number | null }>()
  readonly #held = new Set<HeldFor>()

  /** @param gone hears of each whose time is over */
  constructor(timers: Timers, gone: (id: Id) => void) {
    this.#timers = timers
    this.#gone = gone
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
    // What was looked at is gone, and nobody tells that the pointer has left it.
    if (this.#items.size === 0) this.#held.delete('looked-at')
  }

  hold(why: HeldFor, held: boolean): void {
    if (held === this.#held.has(why)) return
    if (held) this.#held.add(why)
    else this.#held.delete(why)
    if (held) for (const id of this.#items.keys()) this.#stop(id)
    else this.#run()
  }

  #run(): void {
    if (this.#held.size > 0) return
    for (const [id, item] of this.#items)
      item.timer ??= this.#timers.setTimeout(() => {
        this.end(id)
        this.#gone(id)
      }, item.after)
  }

  #stop(id: Id): void {
    const item = this.#items.get(id)
    if (!item || item.timer === null) return
    this.#timers.clearTimeout(item.timer)
    item.timer = null
  }
}
