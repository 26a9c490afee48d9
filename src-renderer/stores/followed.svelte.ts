import type { Failure, Outcome } from '#shared/api/failure.ts'

/** Changes that follow each other quickly are read together: so long after the last reading began, in milliseconds. */
const CHANGE_INTERVAL = 300

/**
 * Something that the main process keeps, read again whenever it says that it changed. The newest reading wins; what was
 * read stays while it is read anew.
 */
export class Followed<T> {
  value = $state.raw<T | null>(null)
  /** Why the newest reading brought nothing; null where it did. */
  failure = $state.raw<Failure | null>(null)
  asking = $state(false)
  readonly #ask: (force: boolean) => Promise<Outcome<T>>
  #turn = 0
  #begunAt = 0
  #changedMeanwhile = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(ask: (force: boolean) => Promise<Outcome<T>>) {
    this.#ask = ask
  }

  async read(force = false): Promise<void> {
    clearTimeout(this.#timer)
    this.#turn += 1
    const turn = this.#turn
    this.#begunAt = Date.now()
    this.#changedMeanwhile = false
    this.asking = true
    const outcome = await this.#ask(force)
    if (turn !== this.#turn) return
    this.asking = false
    this.failure = outcome.ok ? null : outcome.failure
    if (outcome.ok) this.value = outcome.value
    if (this.#changedMeanwhile) this.changed()
  }

  /** It changed: it is read again, soon. */
  changed(): void {
    if (this.asking) {
      this.#changedMeanwhile = true
      return
    }
    clearTimeout(this.#timer)
    const rest = this.#begunAt + CHANGE_INTERVAL - Date.now()
    this.#timer = setTimeout(() => void this.read(), Math.min(Math.max(0, rest), CHANGE_INTERVAL))
  }

  /** Nobody looks at it any more: what is still on its way is dropped. */
  close(): void {
    clearTimeout(this.#timer)
    this.#turn += 1
    this.asking = false
  }
}
