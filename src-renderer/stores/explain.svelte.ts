import type { Label } from '#shared/api/answers.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import type { ExplainQuery } from '#shared/reports/explain-answer.ts'
import { changeHeader } from '#shared/reports/query.ts'
import { labelKey, labelText, rateHeader } from '#shared/reports/rows.ts'
import type { Day } from '#shared/values/day.ts'
import { beforeAt, plainReport } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'
import type { ReportAddress, SharedAddress } from '#shared/views/view-address.ts'

/** A figure that changed: its address and header, and its row unless it is a total. */
export type ChangedFigure = {
  readonly address: SharedAddress
  readonly family: Family
  readonly header: string
  /** Header of the count that the rate is a share of; null if there is no rate. */
  readonly base: string | null
  readonly by: 'count' | 'rate'
  readonly row: { readonly dimension: Dimension; readonly label: Label } | null
  /** Name of the part, if the figure was opened from one. */
  readonly partName?: string
}

/** Figures of the explanation dialog: the current one, and those that led to it. */
export class Explaining {
  #shownFigures = $state.raw<readonly ChangedFigure[]>([])

  /** Figure that is explained now; null if the dialog is closed. */
  get figure(): ChangedFigure | null {
    return this.#shownFigures.at(-1) ?? null
  }

  get canGoBack(): boolean {
    return this.#shownFigures.length > 1
  }

  open(figure: ChangedFigure): void {
    this.#shownFigures = [figure]
  }

  /** Opens a part of the current figure. */
  further(figure: ChangedFigure): void {
    this.#shownFigures = [...this.#shownFigures, figure]
  }

  change(difference: Pick<ChangedFigure, 'by'>): void {
    this.#shownFigures = this.#shownFigures.map((figure) => ({ ...figure, ...difference }))
  }

  back(): void {
    this.#shownFigures = this.#shownFigures.slice(0, -1)
  }

  close(): void {
    this.#shownFigures = []
  }
}

const periodBefore = { kind: 'preset', preset: 'period-before' } as const

/** Compares with the previous period, unless the address compares already. */
export const comparedAddress = <A extends Pick<SharedAddress, 'compare'>>(address: A): A =>
  address.compare.kind === 'preset' && address.compare.preset === 'none'
    ? { ...address, compare: periodBefore }
    : address

/** Returns the query for a figure; null if the address compares with nothing. */
export function explainQueryOf(
  { address, family, header, base, by, row }: ChangedFigure,
  today: Day,
): ExplainQuery | null {
  const compared = comparedAddress(address)
  const before = beforeAt(compared, today)
  const { instance, source, campaign, period } = compared
  if (!before) return null
  const range = rangeOf(period, today)
  return {
    query: { kind: 'overview', family, range, instance, source, campaign, chart: false },
    ...{ before, header, base, by },
    ...(row && { row: { dimension: row.dimension, key: labelKey(row.label) } }),
  }
}

/** Returns the compared table of a dimension, sorted by the largest change. @param change its sign decides the direction */
export function tableOf(
  { address, family, header, base, by }: ChangedFigure,
  dimension: Dimension,
  change: number,
): ReportAddress {
  const { period, compare, instance, source, campaign } = comparedAddress(address)
  const isRated = by === 'rate' && base !== null
  const direction = change < 0 ? 'asc' : 'desc'
  return {
    ...{ ...plainReport, family, dimension, period, compare, instance, source, campaign },
    sort: [{ header: changeHeader(isRated ? rateHeader(header) : header), direction }],
  }
}

/** Returns the same figure for a single value; null if the service cannot break down that value. */
export function figureOf(figure: ChangedFigure, dimension: Dimension, label: Label): ChangedFigure | null {
  const { address } = figure
  const by = dimensionEntry(dimension).composedOf
  const partName = labelText(label)
  if (label.kind === 'instance')
    return { ...figure, partName, row: null, address: { ...address, instance: label.id } }
  if (by === undefined || label.kind !== 'text') return null
  if (label.text === '' || label.text === otherLabel) return null
  return { ...figure, partName, row: null, address: { ...address, [by]: label.text } }
}
