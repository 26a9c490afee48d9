import { withSignal, withTimeout } from './async.ts'
import type { Clock } from './async.ts'
import type { AnnouncementParts, ShownLog } from './shown-log.ts'

/** Above this number, announcements are combined into a summary. */
export const maxSingly = 3

/** What an announcer shows, and where it is stored. */
export type Announced<Item, Key extends AnnouncementParts> = {
  readonly clock: Clock
  readonly log: ShownLog<Key>
  readonly keyOf: (item: Item) => Key
  /** Returns the stored announcements to show now, each group in one notification. Marks what is not to be shown. */
  readonly groups: (signal: AbortSignal) => Promise<readonly (readonly Item[])[]>
  /** Marks announcements as shown in the store. */
  readonly mark: (keys: readonly Key[]) => Promise<void>
  /** Called directly before showing: a group may have changed since it was read. */
  readonly stillCurrent: (items: readonly Item[]) => readonly Item[]
  /**
   * Shows a group that is not empty. Resolves once the desktop has shown it. Rejects otherwise, and it is shown again later.
   * @param handing must be called synchronously before the desktop call
   */
  readonly show: (items: readonly Item[], handing: () => void) => Promise<void>
}

/**
 * Shows each stored announcement once. It is recorded as shown directly before, so that a killed app never repeats it. At worst
 * the app loses one notification.
 */
export class Announcer<Item, Key extends AnnouncementParts> {
  readonly #announced: Announced<Item, Key>
  readonly #ending = new AbortController()
  #holds = 0
  #running: Promise<void> | null = null
  #again = false

  constructor(announced: Announced<Item, Key>) {
    this.#announced = announced
  }

  /** Whether announcements are being shown. */
  get isRunning(): boolean {
    return this.#running !== null
  }

  /** Shows pending announcements. Never rejects. */
  flush(): Promise<void> {
    if (this.#holds > 0 || this.#ending.signal.aborted) return Promise.resolve()
    if (this.#running) {
      this.#again = true
      return this.#running
    }
    this.#running = this.#rounds().finally(() => (this.#running = null))
    return this.#running
  }

  /** Postpones announcements until `work` settles or `max` milliseconds pass, then shows all at once. */
  async hold(work: Promise<unknown>, max: number): Promise<void> {
    this.#holds += 1
    await withTimeout({ milliseconds: max, clock: this.#announced.clock }, () => work).catch(() => undefined)
    this.#holds -= 1
    await this.flush()
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#running
  }

  async #rounds(): Promise<void> {
    do {
      this.#again = false
      // After a store failure, announcements wait for the next round. The store reports its own errors.
      await this.#round().catch(() => undefined)
    } while (this.#again && this.#holds === 0 && !this.#ending.signal.aborted)
  }

  async #round(): Promise<void> {
    await this.#markLogged()
    for (const group of await this.#announced.groups(this.#ending.signal)) await this.#show(group)
    await this.#markLogged()
  }

  /** If the desktop refuses, the announcements remain pending. */
  async #show(found: readonly Item[]): Promise<void> {
    const { log, keyOf, stillCurrent, show } = this.#announced
    if (this.#ending.signal.aborted) return
    const items = stillCurrent(found)
    if (items.length === 0) return
    const keys = items.map(keyOf)
    const shown = show(items, () => log.add(keys)).then(
      () => {
        log.add(keys)
        log.flush()
      },
      () => log.takeBack(keys),
    )
    // When the app ends before the desktop responds, the log already has the announcements.
    await withSignal(this.#ending.signal, () => shown).catch(() => undefined)
  }

  /** Marks logged announcements in the store, then clears the log. */
  async #markLogged(): Promise<void> {
    const { log, mark } = this.#announced
    const keys = log.keys()
    if (keys.length > 0) await mark(keys)
    log.clear()
  }
}
