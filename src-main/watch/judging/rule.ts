import type { MixedRow } from '#shared/watch/rule-mix.ts'
import type { AlertEntry } from '#shared/watch/alerts.ts'
import { countAt } from '../detector/figures.ts'
import type { WatchedFigures, WatchedMeasure, WatchedRow } from '../detector/figures.ts'

/** What an alert watches for, and what of it is news. */
export type WatchRule = Omit<AlertEntry, 'view' | 'family' | 'row' | 'telling'>

/** A row with the text that people know it by. Its label is its key (src-shared/reports/rows.ts: labelKey). */
export type NamedRow = WatchedRow & {
  readonly text: string
  /** The rule set whose share of the row is judged. Then `requests` are all broken rule sets, and `bad` those. */
  readonly rule?: MixedRow
}

/** Figures of rows, the one with the most requests first. */
export type NamedFigures = Omit<WatchedFigures, 'rows'> & { readonly rows: readonly NamedRow[] }

/** Label of the only row of totals. */
export const totalLabel = ''

export const measureOfRule = ({ measure, condition }: WatchRule): WatchedMeasure =>
  condition.kind === 'stopped' || measure === 'requests' ? 'volume' : 'bad-rate'

/** Sums of some days of a row; null where no day is known. Rates are shares of 1. */
export type DaysFigure = { readonly figure: number | null; readonly requests: number; readonly days: number }

/**
 * Figure of a row over days: the rate of all their requests, or requests a day. Days of which a count is unknown are
 * left out. Null without requests where it is a rate.
 * @param without indexes of days to leave out
 */
export function figureOver(
  row: WatchedRow,
  measure: WatchedMeasure,
  first: number,
  last: number,
  without?: ReadonlySet<number>,
): DaysFigure {
  let [requests, bad, days] = [0, 0, 0]
  for (let index = first; index <= last; index += 1) {
    const [own, ownBad] = [countAt(row.requests, index), countAt(row.bad, index)]
    if (without?.has(index) || Number.isNaN(own) || (measure === 'bad-rate' && Number.isNaN(ownBad))) continue
    requests += own
    bad += ownBad
    days += 1
  }
  if (days === 0) return { figure: null, requests, days }
  if (measure === 'volume') return { figure: requests / days, requests, days }
  return { figure: requests > 0 ? bad / requests : null, requests, days }
}

/** Figures as people read them: rates in percent. */
export const shown = (figure: number, measure: WatchedMeasure): number =>
  measure === 'bad-rate' ? figure * 100 : figure
