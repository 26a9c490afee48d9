import { say } from '../common/say.mjs'
import { sum, tallyOfOne } from '../testing/tally.mjs'

/** One thing after the other: after the first that fails, the rest is left out, except for what cleans up. */
export class Checks {
  /** @type {import('../testing/tally.mjs').Tally[]} */
  #tallies = []

  get total() {
    return sum(this.#tallies)
  }

  /**
   * @param {string} title
   * @param {() => Promise<void>} body rejects where the check fails
   */
  async check(title, body) {
    if (this.total.failed > 0) {
      this.#tallies.push({ passed: 0, failed: 0, skipped: 1 })
      say(`skipped  ${title}`)
      return
    }
    await this.always(title, body)
  }

  /**
   * A check that runs whatever happened before it.
   *
   * @param {string} title
   * @param {() => Promise<void>} body
   */
  async always(title, body) {
    try {
      await body()
      say(`ok       ${title}`)
      this.#tallies.push(tallyOfOne(0))
    } catch (error) {
      say(`FAILED   ${title}: ${error instanceof Error ? error.message : String(error)}`)
      this.#tallies.push(tallyOfOne(1))
    }
  }
}
