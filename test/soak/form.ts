import { expect } from 'vitest'
import type { Raw } from '#main/raw/raw.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import type { AccountId, RawReportId } from '#shared/values/ids.ts'

/** A person who asks for raw reports in the app's form: they wait in its queue, and go whatever else the service answers. */
export class Form {
  readonly #asking: Raw['requests']
  readonly #account: AccountId
  readonly #made: (report: RawReportId) => void
  readonly #waiting = new Set<Promise<void>>()
  readonly #queued = new Set<string>()
  #becameReports = 0

  /** @param made hears of each report once it is known */
  constructor({ requests: asking }: Raw, account: AccountId, made: (report: RawReportId) => void) {
    this.#asking = asking
    this.#account = account
    this.#made = made
  }

  /** Sends it off. Whoever filled it in goes on with something else. */
  ask(draft: RawDraft): void {
    const asked = this.#asking.request({ account: this.#account, draft, template: null })
    const heard = asked.then((requested) => {
      if (requested.kind === 'report') this.#made(requested.report)
      if (requested.kind === 'queued') this.#queued.add(draft.name)
      if (requested.kind === 'refused') throw new Error(JSON.stringify(requested))
      this.#waiting.delete(heard)
    })
    this.#waiting.add(heard)
  }

  /** Finds what the form did not wait for in the list of the service, before it goes from there again. */
  find(listed: readonly { readonly id: RawReportId; readonly name: string }[]): void {
    for (const { id, name } of listed) {
      if (!this.#queued.delete(name)) continue
      this.#becameReports += 1
      this.#made(id)
    }
  }

  /** Once nothing is sent any more: all became reports but those whose end nobody knows, and the person is told so. */
  async expectNoneForgotten(): Promise<void> {
    await Promise.all(this.#waiting)
    const { requests } = await this.#asking.queue({ account: this.#account })
    expect(requests.filter(({ state }) => state.kind !== 'unclear')).toEqual([])
    const unclear = requests.map(({ draft }) => draft.name)
    console.log({ fromTheQueue: this.#becameReports, unclear: unclear.length })
    expect([...this.#queued].filter((name) => !unclear.includes(name))).toEqual([])
  }
}
