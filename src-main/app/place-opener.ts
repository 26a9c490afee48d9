import { plainRaw, writeAddress } from '#shared/views/address.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { AppPlace } from '#main/shell/tray.ts'

/** Opens places in the window from notifications and the tray. */
export class PlaceOpener {
  readonly #accounts: Accounts
  readonly #events: AppEvents

  constructor(accounts: Accounts, events: AppEvents) {
    this.#accounts = accounts
    this.#events = events
  }

  /** Shows a place in the window and activates its account. If the account was removed, the view itself shows that. */
  async open(place: AppPlace): Promise<void> {
    this.#events.emit({ kind: 'window/wanted', address: await this.#addressOf(place) })
  }

  async #addressOf(place: AppPlace): Promise<string> {
    if (place.kind === 'downloads') return writeAddress({ kind: 'downloads' })
    if (place.kind === 'about') return writeAddress({ kind: 'help', topic: 'about' })
    const { account } = place
    if (this.#accounts.active() !== account) await this.#accounts.activate(account).catch(() => undefined)
    switch (place.kind) {
      case 'finding':
        return writeAddress({ kind: 'findings', part: 'findings', id: place.id })
      case 'schedules':
        return writeAddress({ kind: 'schedules' })
      case 'raw':
        return writeAddress({ ...plainRaw, report: place.report })
    }
  }
}
