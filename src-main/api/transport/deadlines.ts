import { withSignal } from '#main/lib/async.ts'
import type { Timeout } from '#main/lib/async.ts'

/** What ends an exchange from this side. */
export type EndedBy = 'cancelled' | 'first-byte' | 'idle' | 'whole' | 'size' | 'coding' | 'charset'

/** An exchange that this side ended; `amount` is the limit that was passed, in seconds (for `size`, in MiB). */
export class ExchangeEnded extends Error {
  readonly by: EndedBy
  readonly amount: number

  constructor(by: EndedBy, amount = 0) {
    super(`Ended: ${by}`)
    this.name = 'ExchangeEnded'
    this.by = by
    this.amount = amount
  }
}

/** How long finding the way to a host may take. @param milliseconds the limit */
export const timeToConnect = (milliseconds: number, signal: AbortSignal): Timeout => ({
  milliseconds,
  signal,
  late: () => new ExchangeEnded('first-byte', Math.round(milliseconds / 100) / 10),
})

/** How long each part of an exchange may take, in milliseconds. */
export type Timeouts = {
  /** Until a connection stands. */
  readonly connect: number
  /** Until the answer begins: wide data takes minutes (field notes: answers and failures). */
  readonly firstByte: number
  /** Between two pieces of an answer. */
  readonly idle: number
  /** From the beginning of the answer to its end. */
  readonly whole: number
}

export const plainTimeouts: Timeouts = { connect: 15_000, firstByte: 120_000, idle: 60_000, whole: 600_000 }

/** One abort signal for a person's cancelling and for every time-out of one exchange; its reason says which. */
export class Deadlines {
  readonly #controller = new AbortController()
  readonly #timers = new Map<string, NodeJS.Timeout>()
  readonly #outer: AbortSignal
  readonly #cancel = () => this.#controller.abort(new ExchangeEnded('cancelled'))

  constructor(outer: AbortSignal) {
    this.#outer = outer
    if (outer.aborted) this.#cancel()
    else outer.addEventListener('abort', this.#cancel, { once: true })
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Starts, or starts again, one of the time-outs. */
  start(by: 'first-byte' | 'idle' | 'whole', milliseconds: number): void {
    const running = this.#timers.get(by)
    if (running) running.refresh()
    else {
      const end = () => this.#controller.abort(new ExchangeEnded(by, Math.round(milliseconds / 100) / 10))
      this.#timers.set(by, setTimeout(end, milliseconds))
    }
  }

  stop(by: 'first-byte' | 'idle' | 'whole'): void {
    clearTimeout(this.#timers.get(by))
    this.#timers.delete(by)
  }

  /** Waits for something that does not look at the signal itself. */
  race<T>(something: Promise<T>): Promise<T> {
    // Where the signal is aborted already, nobody hears how it ends.
    something.catch(() => undefined)
    return withSignal(
      this.signal,
      () => something,
      () => this.signal.reason as Error,
    )
  }

  /** Lets go of every timer and listener; to be called when the exchange is over, however it went. */
  end(): void {
    for (const timer of this.#timers.values()) clearTimeout(timer)
    this.#timers.clear()
    this.#outer.removeEventListener('abort', this.#cancel)
  }
}
