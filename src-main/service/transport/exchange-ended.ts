/** What ends an exchange from this side. */
export type EndedBy = 'cancelled' | 'first-byte' | 'idle' | 'whole' | 'size' | 'coding'

/** An exchange that this side ended; `amount` is the limit that was passed, in seconds (for `size`, in MiB). */
export class ExchangeEnded extends Error {
  readonly by: EndedBy
  readonly amount: number

  constructor(by: EndedBy, amount = 0) {
    super(`Ended: ${by}`)
    this.name = 'ExchangeEnded'
    this.by = by
    this.amount = amount
  }
}
