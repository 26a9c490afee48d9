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

/** What All accounts compares with unless something else is compared already. */
const periodBefore = { kind: 'preset', preset: 'period-before' } as const

/** The bridge takes no longer address; a longer one is shown and not remembered. */
const LONGEST_REMEMBERED = 8000

/** Parts of the address that the open view was opened with and that were not understood. */
type PassedOver = { readonly from: 'link' | 'view'; readonly parts: readonly string[] }

/** The view that is open. The window's address says which; going elsewhere writes it, back and forward read it. */
export class Navigation {
  address = $state.raw<ViewAddress>(plainOverview)
  /** Null if all of the address was understood, and from the next step or `dismiss` on. */
  passedOver = $state.raw<PassedOver | null>(null)
  readonly #bridge: DeskBridge
  readonly #window: Window
  #overview = plainOverview
  #report = plainReport
  #raw = plainRaw
  #rows = plainRows
  #remembered = ''

  constructor(bridge: DeskBridge, view: Window) {
    this.#bridge = bridge
    this.#window = view
    view.addEventListener('hashchange', () => this.#read())
    this.#read()
  }

  /** Opens the view that was open last, unless the window was opened at an address. */
  restore(lastView: string | null): void {
    if (this.#window.location.hash !== '' || lastView === null) return
    this.open(lastView, 'view', { replace: true })
    this.#remembered = writeAddress(this.address)
  }

  /** Opens the address of a link or of a saved view. It may hold parts that are not understood: `passedOver` has them. */
  open(text: string, from: PassedOver['from'], how?: { readonly replace: boolean }): void {
    const { address, passedOver } = readWholeAddress(text)
    this.go(address, how)
    this.#passOver(passedOver, from)
  }

  /** Closes the notice about parts that were not understood. */
  dismiss(): void {
    this.passedOver = null
  }

  /** Goes to a view. `replace` leaves no step to go back to, for what changes with every key. */
  go(address: ViewAddress, how: { readonly replace: boolean } = { replace: false }): void {
    const text = writeAddress(address)
    if (text === this.#window.location.hash) return
    this.#window.history[how.replace ? 'replaceState' : 'pushState'](null, '', text)
    this.#read()
  }

  /** Where the link to Overview leads: what it showed last, over the days and the instance of now. */
  get overview(): OverviewAddress {
    return { ...this.#overview, ...this.#shared }
  }

  /** Where the link to All accounts leads: the days of now, compared with those before unless they are compared already. */
  get accounts(): AccountsAddress {
    const { period, compare } = this.overview
    const compared = compare.kind === 'custom' || compare.preset !== 'none'
    return { kind: 'accounts', period, compare: compared ? compare : periodBefore }
  }

  /** Where the link to Reports leads. A filter that was set elsewhere begins at the first page. */
  get report(): ReportAddress {
    const report = { ...this.#report, ...this.#shared }
    return this.address.kind === 'overview' ? { ...report, page: 1 } : report
  }

  /** Where the link to Raw reports leads: the list as it was, with nothing open. */
  get raw(): RawAddress {
    return { ...this.#raw, report: null, form: null }
  }

  /** Where the link to Raw rows leads: from the rows that were open to the list of archives, from elsewhere back to those rows. */
  get rows(): RowsAddress {
    return this.address.kind === 'rows' || this.address.kind === 'cases' ? plainRows : this.#rows
  }

  /** Another account has other instances: the figures begin anew, over the same days. */
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

  /** Writes down where one is, for the next start. The page for connecting is no place to start at. */
  remember(): void {
    const view = writeAddress(this.address)
    if (view === this.#remembered || this.address.kind === 'connect' || view.length > LONGEST_REMEMBERED)
      return
    this.#remembered = view
    void this.#bridge.call('desk/remember-view', { view })
  }
}
