import { expect } from 'vitest'
import type { Raw } from '../../src-main/raw/raw.ts'
import type { RawDraft } from '../../src-shared/raw/draft.ts'
import type { AccountId, RawReportId } from '../../src-shared/values/ids.ts'

/** A person who asks for raw reports in the app's form: they wait in its queue, and go whatever else the service answers. */
export class Form {
  readonly #asking: Raw['asking']
  readonly #account: AccountId
  readonly #made: (report: RawReportId) => void
  readonly #waiting = new Set<Promise<void>>()
  readonly #queued: string[] = []

  /** @param made hears of reports that the form still waited for */
  constructor({ asking }: Raw, account: AccountId, made: (report: RawReportId) => void) {
    this.#asking = asking
    this.#account = account
    this.#made = made
  }

  /** Sends it off. Whoever filled it in goes on with something else. */
  ask(draft: RawDraft): void {
    const asked = this.#asking.request({ account: this.#account, draft, template: null })
    const heard = asked.then((requested) => {
      if (requested.as === 'report') this.#made(requested.report)
      if (requested.as === 'queued') this.#queued.push(draft.name)
      if (requested.as === 'refused') throw new Error(JSON.stringify(requested))
      this.#waiting.delete(heard)
    })
    this.#waiting.add(heard)
  }

  /**
   * Once nothing is sent any more: what the form did not wait for has left the queue.
   * @returns the names of those that became reports; of the others nobody knows the end, and the person is told so
   */
  async later(): Promise<readonly string[]> {
    await Promise.all(this.#waiting)
    const { requests } = await this.#asking.queue({ account: this.#account })
    expect(requests.filter(({ state }) => state.as !== 'unclear')).toEqual([])
    const unclear = new Set(requests.map(({ draft }) => draft.name))
    console.log({ queued: this.#queued.length, unclear: unclear.size })
    return this.#queued.filter((name) => !unclear.has(name))
  }
}
