import type { DeskEventName, DeskEvents } from '#shared/bridge/calls.ts'
import { eventChannel } from '#shared/bridge/channels.ts'

/** The part of a window's contents that is used. */
type Listener = {
  readonly isDestroyed: () => boolean
  readonly send: (channel: string, ...carried: unknown[]) => void
}

/** Tells every open window that something changed. */
export type Notify = <N extends DeskEventName>(name: N, carried: DeskEvents[N]) => void

/** @param windows the contents of the windows that are open at the moment of the call */
export function notifierOf(windows: () => readonly Listener[]): Notify {
  return (name, carried) => {
    for (const window of windows()) if (!window.isDestroyed()) window.send(eventChannel, name, carried)
  }
}

/** What tells events of one name apart, where they do not say all there is: windows need the newest of each. */
const marks = ['account', 'key', 'id', 'file'] as const

/** Holds back what windows would be told while they are locked; what was said over again is told once. */
export class HeldEvents {
  readonly #emit: Notify
  readonly #locked: () => boolean
  readonly #held = new Map<string, () => void>()

  constructor(emit: Notify, locked: () => boolean) {
    this.#emit = emit
    this.#locked = locked
  }

  readonly notify: Notify = (name, carried) => {
    // Of the lock itself nothing is held back; what a menu asks for is over by then.
    if (!this.#locked() || name === 'lock/changed') this.#emit(name, carried)
    else if (name === 'downloads/changed') {
      // Hours of progress are not told one by one: the list is to be asked for anew.
      this.#held.set(name, () =>
        this.#emit('downloads/changed', { changed: [], removed: [], reordered: true }),
      )
    } else if (name !== 'desk/command') this.#hold(name, carried)
  }

  readonly #hold: Notify = (name, carried) => {
    const all = Object.entries(carried)
    const told = name === 'raw/removed' ? all : all.filter(([mark]) => marks.some((each) => each === mark))
    const key = JSON.stringify([name, told])
    this.#held.delete(key)
    this.#held.set(key, () => this.#emit(name, carried))
  }

  /** Tells what was held back, in the order in which it was said last. */
  release(): void {
    const held = [...this.#held.values()]
    this.#held.clear()
    for (const emit of held) emit()
  }
}
