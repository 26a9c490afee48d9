import { clients, isMobile } from '../events/catalogue/clients.ts'
import { ruleSets } from '../events/catalogue/rules.ts'
import { ADBLOCK_UNKNOWN } from '../events/columns.ts'
import { DROP, verdicts } from '../events/verdicts.ts'
import type { Grouping } from './groups.ts'
import type { Selection } from './selection.ts'

/** Where each figure of a row stands in a tally: first the verdicts, last the rule sets. */
export const slots = {
  mobile: verdicts.length,
  adblockMet: verdicts.length + 1,
  adblockKnown: verdicts.length + 2,
  rules: verdicts.length + 3,
} as const

/** Figures of one row. */
export const SLOTS = slots.rules + ruleSets.length

/** Counts of every row, `SLOTS` for each, one row after the other. */
export type Tally = Int32Array

const mobile = Uint8Array.from(clients, (client) => Number(isMobile(client)))

/**
 * Counts the selected events from `first` up to, not including, `end`, row by row; in a single row without a grouping.
 * Mobile and ad blockers are counted where something came back: never in drops.
 */
export function tally(selection: Selection, first: number, end: number, rows?: Grouping): Tally {
  const { columns, judge, limits } = selection
  const counts = new Int32Array(SLOTS * (rows?.labels.length ?? 1))
  const keys = rows && columns[rows.column]
  const checks = limits.map(({ column, open }) => ({ values: columns[column], open }))
  for (let event = first; event < end; event++) {
    const verdict = judge.verdict(event)
    if (selection.verdicts[verdict] === 0) continue
    if (!checks.every(({ values, open }) => open[values[event] as number] === 1)) continue
    const base = rows && keys ? SLOTS * (rows.rowOf[keys[event] as number] as number) : 0
    add(counts, base + verdict)
    if (verdict === DROP) continue
    add(counts, base + slots.mobile, mobile[columns.client[event] as number])
    const adblock = columns.adblock[event] as number
    if (adblock !== ADBLOCK_UNKNOWN) {
      add(counts, base + slots.adblockKnown)
      add(counts, base + slots.adblockMet, adblock)
    }
    for (let rules = judge.rules(event), bit = 0; rules !== 0; rules >>>= 1, bit++) {
      if (rules & 1) add(counts, base + slots.rules + bit)
    }
  }
  return counts
}

function add(counts: Tally, slot: number, count = 1): void {
  counts[slot] = (counts[slot] as number) + count
}

/** The sum of rows, of all unless some are given, as a tally of one row. */
export function sumOf(counts: Tally, rows: Iterable<number> = Array(counts.length / SLOTS).keys()): Tally {
  const sum = new Int32Array(SLOTS)
  for (const row of rows) {
    for (let slot = 0; slot < SLOTS; slot++) add(sum, slot, counts[row * SLOTS + slot])
  }
  return sum
}
