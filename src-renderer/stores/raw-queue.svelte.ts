import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { RawRequest, RawRequestId } from '#shared/raw/asking.ts'
import type { Failure, Outcome } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { Followed } from './followed.svelte.ts'
import { withMoved } from './moving.ts'

/** The requests that wait to become reports, in the person's order. */
export class RawQueue {
  readonly #bridge: DeskBridge
  readonly #account: AccountId
  readonly #read: Followed<readonly RawRequest[]>
  readonly #stop: () => void
  /** The order on screen, until the main process has it too. */
  #moved = $state.raw<readonly RawRequest[] | null>(null)

  constructor(bridge: DeskBridge, account: AccountId) {
    this.#bridge = bridge
    this.#account = account
    this.#read = new Followed(async () => {
      const outcome = await bridge.call('raw/queue', { account })
      return outcome.ok ? { ok: true, value: outcome.value.requests } : outcome
    })
    this.#stop = bridge.on('raw/changed', (event) => {
      if (event.account === account) this.#read.changed()
    })
    void this.#read.read()
  }

  get requests(): readonly RawRequest[] {
    return this.#moved ?? this.#read.value ?? []
  }

  get failure(): Failure | null {
    return this.#read.failure
  }

  /** Whether it was read: before that nobody knows what waits. */
  get known(): boolean {
    return this.#read.value !== null
  }

  /** Moves a request by so many places, at once on screen; answers why it could not be. */
  async move(id: RawRequestId, by: number): Promise<Failure | null> {
    const moved = withMoved(this.requests, id, by)
    if (moved === null) return null
    this.#moved = moved
    const requests = moved.map((rawRequest) => rawRequest.id)
    return this.#do(this.#bridge.call('raw/order-queue', { account: this.#account, requests }))
  }

  drop(request: RawRequestId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/drop-request', { account: this.#account, request }))
  }

  /** Asks for a request that was dropped as if it were a new one: it comes last. */
  askAgain({ draft, template }: RawRequest): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/request', { account: this.#account, draft, template }))
  }

  sendAgain(request: RawRequestId): Promise<Failure | null> {
    return this.#do(this.#bridge.call('raw/send-again', { account: this.#account, request }))
  }

  close(): void {
    this.#stop()
    this.#read.close()
  }

  async #do(doing: Promise<Outcome<unknown>>): Promise<Failure | null> {
    const outcome = await doing
    await this.#read.read()
    this.#moved = null
    return outcome.ok ? null : outcome.failure
  }
}
