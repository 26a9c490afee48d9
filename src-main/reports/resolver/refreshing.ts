import { failureOf } from '#shared/app/desk-failure.ts'
import type { Failure } from '#shared/api/failure.ts'

/** Asked by a person, who wants everything anew, or because figures are too old. */
type Reason = 'by hand' | 'stale'

/** What is being asked behind kept answers. */
export class Refreshing {
  readonly #running = new Map<string, Set<Reason>>()

  has(id: string): boolean {
    return this.#running.has(id)
  }

  /**
   * Asks behind a kept answer, unless that is being done already.
   * @returns how it ended: null where well, undefined where it is being done already
   */
  async once(
    id: string,
    force: boolean,
    work: () => Promise<Failure | null>,
  ): Promise<Failure | null | undefined> {
    const reason: Reason = force ? 'by hand' : 'stale'
    const running = this.#running.get(id) ?? new Set<Reason>()
    // Who asks by hand asks for more than what was too old.
    if (running.has('by hand') || running.has(reason)) return undefined
    this.#running.set(id, running.add(reason))
    try {
      return await work()
    } catch (error) {
      return failureOf(error)
    } finally {
      running.delete(reason)
      if (running.size === 0) this.#running.delete(id)
    }
  }
}
