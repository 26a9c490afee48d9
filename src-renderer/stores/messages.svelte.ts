import { Stays } from './stays.ts'
import type { HeldFor, Timers } from './stays.ts'

/** A confirmation of an action, with an optional undo. */
type Message = {
  readonly id: number
  readonly text: string
  readonly action: { readonly words: string; readonly run: () => void } | null
}

/** Time on screen, in ms. A message with an action stays longer. */
const STAYS = 6_000
const STAYS_WITH_ACTION = 12_000
const MAX = 3
const MAX_PAST = 100

/** Confirmations at the bottom of the window, also announced by screen readers. Messages disappear unless held. */
export class Messages {
  list = $state.raw<readonly Message[]>([])
  /** Messages since the window opened, with their times, the newest first. */
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

  /** Adds a text that is shown elsewhere to the past messages. */
  note(text: string): void {
    this.#last += 1
    this.past = [{ id: this.#last, text, time: this.#now() }, ...this.past].slice(0, MAX_PAST)
  }

  dismiss(id: number): void {
    this.#stays.end(id)
    this.list = this.list.filter((message) => message.id !== id)
  }

  /** Dismisses the messages that offer an action, because it is done in another way. @param words of the action */
  dismissOffer(words: string): void {
    this.list.filter(({ action }) => action?.words === words).forEach(({ id }) => this.dismiss(id))
  }

  /** Dismisses a message and runs its action. */
  act(message: Message): void {
    this.dismiss(message.id)
    message.action?.run()
  }

  /** Runs the action of the newest message that has one; returns false if none has. */
  actOnNewest(): boolean {
    const message = this.list.findLast(({ action }) => action !== null)
    if (message) this.act(message)
    return message !== undefined
  }

  /** While held (pointer or focus on them, or window hidden), no message disappears. */
  hold(why: HeldFor, held: boolean): void {
    this.#stays.hold(why, held)
  }
}
