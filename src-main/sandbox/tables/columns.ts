import { headersOf } from '#shared/api/dimensions.ts'
import type { Dimension } from '#shared/api/dimensions.ts'
import type { Family } from '#shared/api/families.ts'
import type { Behaviour } from '../contracts/behaviour.ts'
import { ruleSets } from '../events/catalogue/rules.ts'
import { byCodePoints } from '../request/code-points.ts'
import { countUnder } from './counts.ts'
import type { Figure } from './counts.ts'
import { SLOTS, slots } from './tally.ts'
import type { Tally } from './tally.ts'

/** A column after the label: its title, and what stands in a row of it. */
export type Column = {
  readonly header: string
  readonly cell: (counts: Tally, row: number) => Figure | string
}

type Additions = { readonly rates: Behaviour['rates']; readonly rules: boolean }

/** The share of one figure in another, in percent with two decimals; null where there is nothing to share. */
function rateColumn(header: string, base: string, written: 'numbers' | 'texts'): Column {
  const part = countUnder(header)
  const whole = countUnder(base)
  return {
    header: `${header} Rate`,
    cell: (counts, row) => {
      const of = whole(counts, row)
      const count = part(counts, row)
      if (of === null || of === 0 || count === null) return null
      const percent = Math.round((count * 10_000) / of) / 100
      return written === 'numbers' ? percent : percent.toFixed(2)
    },
  }
}

const ruleColumn = (bit: number, code: string): Column => ({
  header: code,
  cell: (counts, row) => counts[row * SLOTS + slots.rules + bit] as number,
})

/**
 * The columns after the label: the counts of the specification; with `rates` a rate directly after each count, of
 * Requests (of Responses where there are no Requests); with `rules` one for each rule set that the selection broke at all.
 * @param sum the tally of all rows, which says which rule sets were broken
 */
export function columnsOf(family: Family, dimension: Dimension, additions: Additions, sum: Tally): Column[] {
  const headers = headersOf(family, dimension).slice(1)
  const base = headers[0] as string
  const counts = headers.flatMap((header): Column[] => {
    const count = { header, cell: countUnder(header) }
    return additions.rates === 'none' ? [count] : [count, rateColumn(header, base, additions.rates)]
  })
  const broken = ruleSets
    .flatMap(({ code }, bit) => (sum[slots.rules + bit] ? [ruleColumn(bit, code)] : []))
    .sort((one, other) => byCodePoints(one.header, other.header))
  return additions.rules ? [...counts, ...broken] : counts
}
