/** A short word about what was just done, with a way back where there is one. */
export type Message = {
  readonly id: number
  readonly text: string
  readonly action: { readonly words: string; readonly run: () => void } | null
}

/** What measures the time that a message stays: the window, or a test's clock. */
export type Timers = {
  readonly setTimeout: (run: () => void, after: number) => number
  readonly clearTimeout: (timer: number) => void
}

/** Long enough to be read; longer where there is something to decide. In milliseconds. */
const STAYS = 6_000
const STAYS_WITH_ACTION = 12_000
const MOST = 3
const MOST_PAST = 100

/** What was just done, said at the window's foot and by screen readers. It goes by itself, unless it is held. */
export class Messages {
  list = $state.raw<readonly Message[]>([])
  /** What was said since the window opened, the newest first, with its time. */
  past = $state.raw<readonly { readonly id: number; readonly text: string; readonly at: number }[]>([])
  readonly #timers: Timers
  readonly #now: () => number
  #running: readonly { readonly id: number; readonly timer: number }[] = []
  #held = false
  #last = 0

  constructor(timers: Timers, now: () => number = Date.now) {
    this.#timers = timers
    this.#now = now
  }

  say(text: string, action: Message['action'] = null): void {
    this.#last += 1
    const said = { id: this.#last, text, action }
    this.list.slice(0, 1 - MOST).forEach(({ id }) => this.dismiss(id))
    this.list = [...this.list, said]
    this.past = [{ id: this.#last, text, at: this.#now() }, ...this.past].slice(0, MOST_PAST)
    if (!this.#held) this.#time(said)
  }

  dismiss(id: number): void {
    this.#stop(id)
    this.list = this.list.filter((each) => each.id !== id)
    if (this.list.length === 0) this.#held = false
  }

  /** Does what a message offers, and takes it away. */
  act(message: Message): void {
    this.dismiss(message.id)
    message.action?.run()
  }

  /** Does what the newest message offers; false where none offers anything. */
  actOnNewest(): boolean {
    const message = this.list.findLast(({ action }) => action !== null)
    if (message) this.act(message)
    return message !== undefined
  }

  /** While somebody looks at them (pointer or keyboard is there), no message goes by itself. */
  hold(held: boolean): void {
    if (held === this.#held) return
    this.#held = held
    for (const message of this.list) {
      this.#stop(message.id)
      if (!held) this.#time(message)
    }
  }

  #time({ id, action }: Message): void {
    const after = action ? STAYS_WITH_ACTION : STAYS
    const timer = this.#timers.setTimeout(() => this.dismiss(id), after)
    this.#running = [...this.#running, { id, timer }]
  }

  #stop(message: number): void {
    this.#running.filter(({ id }) => id === message).forEach(({ timer }) => this.#timers.clearTimeout(timer))
    this.#running = this.#running.filter(({ id }) => id !== message)
  }
}
