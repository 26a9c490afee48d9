import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { RawListAnswer, RawListQuery } from '#shared/raw/listed.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { Failure } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Followed } from './followed.svelte.ts'
import type { ShownQuestion } from './shown.svelte.ts'

type Asked = { readonly query: RawListQuery; readonly answer: RawListAnswer }

/** A page of the list of raw reports, as it is kept; it follows what becomes of them. */
export class RawList implements ShownQuestion {
  readonly answered = null
  #query = $state.raw<RawListQuery | null>(null)
  readonly #asked: Followed<Asked>
  readonly #stops: readonly (() => void)[]

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#asked = new Followed(async (force) => {
      const query = this.#query
      if (!query) return { ok: false, failure: { kind: 'internal', message: 'Nothing was asked.' } }
      const outcome = await bridge.call('raw/list', { account, query, force })
      return outcome.ok ? { ok: true, value: { query, answer: outcome.value } } : outcome
    })
    const changed = () => this.#query && this.#asked.changed()
    this.#stops = [
      bridge.on('raw/changed', (event) => void (event.account === account && changed())),
      bridge.on('connection/changed', (event) => {
        if (event.account === account && event.connection.kind === 'online') changed()
      }),
    ]
  }

  ask(query: RawListQuery): void {
    this.#query = query
    void this.#asked.read()
  }

  again(force: boolean): void {
    if (this.#query) void this.#asked.read(force)
  }

  close(): void {
    this.#stops.forEach((stop) => stop())
    this.#asked.close()
  }

  /** The last page that was answered; null before there was any. */
  get page(): RawListAnswer | null {
    return this.#asked.value?.answer ?? null
  }

  /** Whether `page` answers what is asked now, and not what was asked before. */
  get settled(): boolean {
    return this.#asked.value?.query === this.#query
  }

  get asking(): boolean {
    return this.#asked.asking
  }

  get refreshing(): boolean {
    return this.#asked.asking || (this.page?.refreshing ?? false)
  }

  /** Why there is nothing, or nothing newer. */
  get failure(): Failure | null {
    return this.#asked.failure ?? this.page?.failure ?? null
  }

  /** For the status in the header: how old the list is. */
  get answer(): { readonly provenance: Provenance } | null {
    const fetchedAt = this.page?.fetchedAt ?? null
    if (fetchedAt === null) return null
    const { failure, refreshing } = this
    return {
      provenance: {
        from: 'stored',
        fetchedAt,
        refreshing,
        failure,
        missing: [],
        doubt: null,
        restated: null,
      },
    }
  }
}
