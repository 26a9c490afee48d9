import { plainRaw, writeAddress } from '#shared/views/address.ts'
import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Emitter } from '#main/lib/app-events.ts'
import type { Place } from '#main/shell/tray.ts'

/** Opens places that are told of outside the window. */
export class Navigation {
  readonly #accounts: Pick<AccountStore, 'active' | 'activate'>
  readonly #events: Emitter

  constructor(accounts: Pick<AccountStore, 'active' | 'activate'>, events: Emitter) {
    this.#accounts = accounts
    this.#events = events
  }

  /**
   * Has the window show a place, at its account. An account that has gone meanwhile changes nothing: its place is said to be
   * gone by the view itself.
   */
  async open(place: Place): Promise<void> {
    this.#events.emit({ kind: 'window/wanted', address: await this.#addressOf(place) })
  }

  async #addressOf(place: Place): Promise<string> {
    if (place.kind === 'downloads') return writeAddress({ kind: 'downloads' })
    if (place.kind === 'about') return writeAddress({ kind: 'help', topic: 'about' })
    const { account, report } = place
    if (this.#accounts.active() !== account) await this.#accounts.activate(account).catch(() => undefined)
    return writeAddress({ ...plainRaw, report })
  }
}
