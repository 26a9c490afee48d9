import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { RawDone } from '#shared/raw/listed.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { Messages } from './messages.svelte.ts'

type Failed = RawDone['failed'][number]

/**
 * What became of removing reports. It is sent some seconds after it was asked for, when the person may be anywhere: what
 * failed is said, and stays named in the view until it is dismissed.
 */
export class RawRemovals {
  #failed = $state.raw<readonly (Failed & { readonly account: AccountId })[]>([])

  constructor(bridge: DeskBridge, messages: Messages) {
    bridge.on('raw/removed', ({ account, done, failed }) => {
      if (failed.length === 0) return
      this.#failed = [...this.#failed, ...failed.map((item) => ({ ...item, account }))]
      const all = done.length + failed.length
      messages.say(
        all === 1
          ? 'The report could not be removed.'
          : `${failed.length} of ${all} reports could not be removed.`,
      )
    })
  }

  failedOf(account: AccountId): readonly Failed[] {
    return this.#failed.filter((item) => item.account === account)
  }

  dismiss(account: AccountId): void {
    this.#failed = this.#failed.filter((item) => item.account !== account)
  }
}
