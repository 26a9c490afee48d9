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
  readonly #each = new Map<Id, { readonly after: number; timer: number | null }>()
  readonly #held = new Set<HeldFor>()

  /** @param gone hears of each whose time is over */
  constructor(timers: Timers, gone: (id: Id) => void) {
    this.#timers = timers
    this.#gone = gone
  }

  /** @param after in milliseconds */
  begin(id: Id, after: number): void {
    this.end(id)
    this.#each.set(id, { after, timer: null })
    this.#run()
  }

  end(id: Id): void {
    this.#stop(id)
    this.#each.delete(id)
    // What was looked at is gone, and nobody tells that the pointer has left it.
    if (this.#each.size === 0) this.#held.delete('looked-at')
  }

  hold(why: HeldFor, held: boolean): void {
    if (held === this.#held.has(why)) return
    if (held) this.#held.add(why)
    else this.#held.delete(why)
    if (held) for (const id of this.#each.keys()) this.#stop(id)
    else this.#run()
  }

  #run(): void {
    if (this.#held.size > 0) return
    for (const [id, each] of this.#each)
      each.timer ??= this.#timers.setTimeout(() => {
        this.end(id)
        this.#gone(id)
      }, each.after)
  }

  #stop(id: Id): void {
    const each = this.#each.get(id)
    if (!each || each.timer === null) return
    this.#timers.clearTimeout(each.timer)
    each.timer = null
  }
}
