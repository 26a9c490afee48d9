import { parseNetwork } from '#shared/archives/network.ts'
import type { CellTest, RowsCondition } from '#shared/archives/rows.ts'
import type { RowsColumn } from '#shared/archives/rows-file.ts'
import { holdsAddresses } from './columns.ts'
import { readMoment } from './moments.ts'

/** A test and whether it keeps or leaves out, as one choice. */
export type Choice = { readonly is: Exclude<CellTest['kind'], 'once'>; readonly out: boolean }

const both = (is: Choice['is']): Choice[] => [
  { is, out: false },
  { is, out: true },
]

/** What can be asked of a column: moments by time, addresses by their range too. */
export function choicesFor(column: RowsColumn): readonly Choice[] {
  if (column.kind === 'time') return [...both('between'), ...both('contains'), ...both('empty')]
  const text = (['is', 'contains', 'begins-with', 'one-of', 'empty'] as const).flatMap(both)
  return holdsAddresses(column) ? [...both('in-network'), ...text] : text
}

/** What stands in the form's fields. */
export type Typed = { readonly text: string; readonly from: string; readonly to: string }

export type ReadFilter =
  | { readonly kind: 'condition'; readonly condition: RowsCondition }
  | { readonly kind: 'fault'; readonly fault: string }

/** The condition that a form says, or what is wrong with it. */
export function readFilter(column: string, { is, out }: Choice, typed: Typed, zone: string): ReadFilter {
  const good = (test: CellTest): ReadFilter => ({ kind: 'condition', condition: { column, out, test } })
  const bad = (fault: string): ReadFilter => ({ kind: 'fault', fault })
  switch (is) {
    case 'is':
    case 'contains':
    case 'begins-with':
      return typed.text === '' ? bad('Type what to look for.') : good({ kind: is, value: typed.text })
    case 'one-of': {
      const values = typed.text
        .split('\n')
        .map((value) => value.trim())
        .filter(Boolean)
      if (values.length === 0) return bad('Type one value on each line.')
      return values.length > 1000 ? bad('At most 1,000 values.') : good({ kind: is, values })
    }
    case 'empty':
      return good({ kind: is })
    case 'in-network': {
      const network = typed.text.trim()
      return parseNetwork(network)
        ? good({ kind: is, network })
        : bad('Type an address or a range of them, such as 198.51.100.0/24 or 2001:db8::/32.')
    }
    case 'between': {
      const [from, to] = [readMoment(typed.from, zone), readMoment(typed.to, zone)]
      if (from === null && to === null) return bad('Choose when it begins, when it ends, or both.')
      if (from !== null && to !== null && to <= from) return bad('The end lies before the beginning.')
      return good({ kind: is, from, to })
    }
  }
}
