import type { NamedFigures } from '#main/watch/judging/rule.ts'
import { mixLabel } from '#shared/watch/rule-mix.ts'
import { drawsFrom } from '#test/bench/alerts/draws.ts'
import { firstDay } from './made-alerts.ts'

/** Rule sets, with what share of all that is broken they usually have. */
export const usualShares = { UE: 0.18, SP: 0.3, FR: 0.25, BT: 0.15, GE: 0.12 } as const

type Code = keyof typeof usualShares
const codes = Object.keys(usualShares) as readonly Code[]

type MadeMix = {
  readonly rows?: number
  readonly days?: number
  readonly seed?: number
  /** Broken rule sets of a row on a day. */
  readonly broken?: (row: number) => number
  /** Factor of a rule set's weight in a row on a day; null for a day of which nothing is known. */
  readonly change?: (row: number, code: Code, index: number) => number | null
}

/** Rows whose mix of rule sets swings by 10 %, and what a test changes. */
export function madeMix(made: MadeMix = {}): NamedFigures {
  const { rows = 20, days = 120, seed = 3, broken = () => 400, change = () => 1 } = made
  const { normal, binomial, poisson } = drawsFrom(seed)
  const byRow = Array.from({ length: rows }, (_, row) =>
    Array.from({ length: days }, (__, index) => {
      const weights = codes.map((code) => {
        const factor = change(row, code, index)
        return factor === null ? null : usualShares[code] * factor * Math.exp(0.1 * normal())
      })
      if (weights.includes(null)) return { whole: null, counts: codes.map(() => null) }
      let left = poisson(broken(row) * (index % 7 > 4 ? 0.7 : 1))
      const whole = left
      let weight = weights.reduce<number>((sum, each) => sum + (each ?? 0), 0)
      const counts = weights.map((each) => {
        const count = binomial(left, Math.min(1, (each ?? 0) / weight))
        left -= count
        weight -= each ?? 0
        return count
      })
      return { whole, counts }
    }),
  )
  return {
    ...{ firstDay, settlesAfter: 3, settled: new Array<boolean>(days).fill(true) },
    rows: byRow.flatMap((all, row) =>
      codes.map((code, nth) => ({
        ...{ label: mixLabel({ row: `text row-${row}`, code }), text: `row-${row}`, group: null },
        rule: { row: `text row-${row}`, code },
        isPart: true,
        requests: all.map(({ whole }) => whole),
        bad: all.map(({ counts }) => counts[nth] ?? null),
      })),
    ),
  }
}
