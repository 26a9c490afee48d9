import type { DeskBridge } from '#shared/bridge/calls.ts'
import type {
  AccountsAddress,
  OverviewAddress,
  RawAddress,
  ReportAddress,
  RowsAddress,
  ViewAddress,
} from '#shared/views/view-address.ts'
import {
  plainCases,
  plainOverview,
  plainRaw,
  plainReport,
  plainRows,
  readWholeAddress,
  writeAddress,
} from '#shared/views/address.ts'

/** Default comparison of All accounts. */
const periodBefore = { kind: 'preset', preset: 'period-before' } as const

/** Maximum address length of the bridge. Longer addresses are shown but not remembered. */
const LONGEST_REMEMBERED = 8000

/** Parts of an opened address that were not understood. */
type PassedOver = { readonly from: 'link' | 'view'; readonly parts: readonly string[] }

/** The open view. The window's address holds it: navigation writes the address, back and forward read it. */
export class Navigation {
  address = $state.raw<ViewAddress>(plainOverview)
  /** Null if the whole address was understood, or after `dismiss` or another navigation. */
  passedOver = $state.raw<PassedOver | null>(null)
  readonly #bridge: DeskBridge
  readonly #window: Window
  #overview = plainOverview
  #report = plainReport
  #raw = plainRaw
  #rows = plainRows
  #rememberedAddress = ''

  constructor(bridge: DeskBridge, view: Window) {
    this.#bridge = bridge
    this.#window = view
    view.addEventListener('hashchange', () => this.#read())
    this.#read()
  }

  /** Opens the last view, unless the window was opened at an address. */
  restore(lastView: string | null): void {
    if (this.#window.location.hash !== '' || lastView === null) return
    this.open(lastView, 'view', { replace: true })
    this.#rememberedAddress = writeAddress(this.address)
  }

  /** Opens the address of a link or a saved view. Parts that are not understood are listed in `passedOver`. */
  open(text: string, from: PassedOver['from'], how?: { readonly replace: boolean }): void {
    const { address, passedOver } = readWholeAddress(text)
    this.go(address, how)
    this.#passOver(passedOver, from)
  }

  /** Closes the notice about parts that were not understood. */
  dismiss(): void {
    this.passedOver = null
  }

  /** Opens a view. `replace` adds no history entry, for changes with every keystroke. */
  go(address: ViewAddress, how: { readonly replace: boolean } = { replace: false }): void {
    const text = writeAddress(address)
    if (text === this.#window.location.hash) return
    this.#window.history[how.replace ? 'replaceState' : 'pushState'](null, '', text)
    this.#read()
  }

  /** Target of the link to Overview: the last overview, with the current days and filters. */
  get overview(): OverviewAddress {
    return { ...this.#overview, ...this.#shared }
  }

  /** Target of the link to All accounts: the current days, compared with the period before by default. */
  get accounts(): AccountsAddress {
    const { period, compare } = this.overview
    const compared = compare.kind === 'custom' || compare.preset !== 'none'
    return { kind: 'accounts', period, compare: compared ? compare : periodBefore }
  }

  /** Target of the link to Reports. Coming from Overview, the report starts at its first page. */
  get report(): ReportAddress {
    const report = { ...this.#report, ...this.#shared }
    return this.address.kind === 'overview' ? { ...report, page: 1 } : report
  }

  /** Target of the link to Raw reports: the last list, with no report or form open. */
  get raw(): RawAddress {
    return { ...this.#raw, report: null, form: null }
  }

  /** Target of the link to Raw rows: from rows or cases the list of archives, from elsewhere the last rows. */
  get rows(): RowsAddress {
    return this.address.kind === 'rows' || this.address.kind === 'cases' ? plainRows : this.#rows
  }

  /** Clears the filters when the account changes, because another account has other instances. The days stay. */
  forgetFilters(): void {
    const none = { instance: null, source: null, campaign: null }
    this.#overview = { ...this.#overview, ...none }
    this.#report = { ...this.#report, ...none, filters: {}, search: null, page: 1 }
    this.#raw = plainRaw
    this.#rows = plainRows
    if (this.address.kind === 'rows') this.go(plainRows, { replace: true })
    if (this.address.kind === 'cases') this.go(plainCases, { replace: true })
    if (this.address.kind === 'raw') this.go(plainRaw, { replace: true })
    if (this.address.kind === 'overview') this.go(this.#overview, { replace: true })
    if (this.address.kind === 'reports') this.go(this.#report, { replace: true })
  }

  get #shared() {
    const { address } = this
    if (address.kind === 'accounts') return { period: address.period, compare: address.compare }
    if (address.kind !== 'overview' && address.kind !== 'reports') return {}
    const { period, compare, instance, source, campaign } = address
    return { period, compare, instance, source, campaign }
  }

  #read(): void {
    const { address, passedOver } = readWholeAddress(this.#window.location.hash)
    if (address.kind === 'overview') this.#overview = address
    if (address.kind === 'reports') this.#report = address
    if (address.kind === 'raw') this.#raw = address
    if (address.kind === 'rows') this.#rows = address
    this.address = address
    this.#passOver(passedOver, 'link')
  }

  #passOver(parts: readonly string[], from: PassedOver['from']): void {
    this.passedOver = parts.length > 0 ? { from, parts } : null
  }

  /** Stores the address for the next start, except that of the connect page. */
  remember(): void {
    const view = writeAddress(this.address)
    if (
      view === this.#rememberedAddress ||
      this.address.kind === 'connect' ||
      view.length > LONGEST_REMEMBERED
    )
      return
    this.#rememberedAddress = view
    void this.#bridge.call('desk/remember-view', { view })
  }
}
