import type { EventIndex, RawRows } from '../contracts/events.ts'
import type { OrderFilter, RawOrder } from './order.ts'

/** The events that an order asks for, in order of time: every filter has to hold. Comparisons are case-sensitive. */
export function* orderedRows(order: RawOrder, rows: RawRows): Generator<EventIndex, void> {
  const tests = (order.filters ?? []).map((filter) => ({
    column: columnOf(filter.column),
    holds: testOf(filter),
  }))
  for (const event of rows.rows(order.type, order.instance.id, order.range)) {
    if (tests.every(({ column, holds }) => holds(rows.value(order.type, column, event)))) yield event
  }
}

/** How many rows that is: counted when first asked, for it takes a walk over all of them. */
export function rowCounter(order: RawOrder, rows: RawRows): () => number {
  let counted: number | undefined
  return () => (counted ??= count(orderedRows(order, rows)))
}

function count(rows: Iterator<EventIndex, void>): number {
  let counted = 0
  while (rows.next().done !== true) counted += 1
  return counted
}

/** A filter's column as the rows know it: additional columns by number. */
function columnOf(column: string): string | number {
  return /^\d+$/.test(column) ? Number(column) : column
}

/** The filter that takes no operator compares as `equals` does. */
function testOf({ operator = 'equals', value = '' }: OrderFilter): (cell: string) => boolean {
  switch (operator) {
    case 'not_equals':
      return (cell) => cell !== value
    case 'contains':
      return (cell) => cell.includes(value)
    case 'not_contains':
      return (cell) => !cell.includes(value)
    case 'empty':
      return (cell) => cell === ''
    case 'not_empty':
      return (cell) => cell !== ''
    case 'equals':
      return (cell) => cell === value
  }
}
