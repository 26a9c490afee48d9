import { Stays } from './stays.ts'
import type { HeldFor, Timers } from './stays.ts'

/** A short word about what was just done, with a way back where there is one. */
type Message = {
  readonly id: number
  readonly text: string
  readonly action: { readonly words: string; readonly run: () => void } | null
}

/** Long enough to be read; longer where there is something to decide. In milliseconds. */
const STAYS = 6_000
const STAYS_WITH_ACTION = 12_000
const MAX = 3
const MAX_PAST = 100

/** What was just done, said at the window's foot and by screen readers. It goes by itself, unless it is held. */
export class Messages {
  list = $state.raw<readonly Message[]>([])
  /** What was said since the window opened, the newest first, with its time. */
  past = $state.raw<readonly { readonly id: number; readonly text: string; readonly time: number }[]>([])
  readonly #stays: Stays<number>
  readonly #now: () => number
  #last = 0

  constructor(timers: Timers, now: () => number = Date.now) {
    this.#stays = new Stays(timers, (id) => this.dismiss(id))
    this.#now = now
  }

  show(text: string, action: Message['action'] = null): void {
    this.note(text)
    this.list.slice(0, 1 - MAX).forEach(({ id }) => this.dismiss(id))
    this.list = [...this.list, { id: this.#last, text, action }]
    this.#stays.begin(this.#last, action ? STAYS_WITH_ACTION : STAYS)
  }

  /** Keeps what is said elsewhere among what happened. */
  note(text: string): void {
    this.#last += 1
    this.past = [{ id: this.#last, text, time: this.#now() }, ...this.past].slice(0, MAX_PAST)
  }

  dismiss(id: number): void {
    this.#stays.end(id)
    this.list = this.list.filter((message) => message.id !== id)
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

  /** While somebody looks at them (pointer or keyboard is there), or nobody can, no message goes by itself. */
  hold(why: HeldFor, held: boolean): void {
    this.#stays.hold(why, held)
  }
}
