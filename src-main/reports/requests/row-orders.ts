import { idOf } from '#main/lib/async.ts'
import { failureOf } from '#shared/api/failure.ts'
import type { AccountId } from '#shared/values/ids.ts'
import type { FirstColumn, RowOrder } from './report-calls.ts'

/** Orders to try for a table, the best first. */
type Orders = {
  readonly account: AccountId
  /** Assumed number of the service's first column. */
  readonly first: FirstColumn
  readonly orders: readonly RowOrder[]
}

/** Orders that each account's service accepts. The interface does not say whether labels can be sorted by. */
export class RowOrders {
  /** Whether an order was accepted last time, or refused while another one was accepted; by account, numbering and order. */
  readonly #acceptance = new Map<string, boolean>()

  /**
   * Sends a request in the first order that the service accepts, or else as the query asks. Refused orders are not tried again
   * in this session.
   * @throws the error of `ask` in the last order tried
   */
  async ask<T>(
    { account, first, orders }: Orders,
    ask: (order: RowOrder) => Promise<T>,
  ): Promise<{ readonly order: RowOrder; readonly reply: T }> {
    const nameOf = (order: RowOrder) => idOf(account, `${first} ${order}`)
    const open = orders.filter((order) => this.#acceptance.get(nameOf(order)) !== false)
    for (const [place, order] of open.entries()) {
      const wasTaken = this.#acceptance.get(nameOf(order)) === true
      try {
        const reply = await ask(order)
        this.#acceptance.set(nameOf(order), true)
        for (const refused of open.slice(0, place)) this.#acceptance.set(nameOf(refused), false)
        return { order, reply }
      } catch (error) {
        if (failureOf(error).kind !== 'bad-request') throw error
        this.#acceptance.delete(nameOf(order))
        // The refusal has another reason than the order, or the service has changed.
        if (wasTaken) throw error
      }
    }
    const reply = await ask('by-sort')
    for (const refused of open) this.#acceptance.set(nameOf(refused), false)
    return { order: 'by-sort', reply }
  }
}
