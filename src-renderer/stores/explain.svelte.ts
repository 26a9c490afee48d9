import type { Label } from '#shared/api/answers.ts'
import { dimensionEntry } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { otherLabel } from '#shared/reports/answer.ts'
import type { ExplainQuestion } from '#shared/reports/explain-answer.ts'
import { changeHeader } from '#shared/reports/query.ts'
import { labelKey, labelText, rateHeader } from '#shared/reports/rows.ts'
import type { Day } from '#shared/values/day.ts'
import { beforeAt, plainReport } from '#shared/views/address.ts'
import { rangeOf } from '#shared/views/period.ts'
import type { ReportAddress, SharedAddress } from '#shared/views/view-address.ts'

/** A figure that changed: where it stands, which it is, and of which row where it is not of everything. */
export type ChangedFigure = {
  readonly address: SharedAddress
  readonly family: Family
  readonly header: string
  /** Of which count its rate is a share; null where it has none. */
  readonly base: string | null
  readonly by: 'count' | 'rate'
  readonly row: { readonly dimension: Dimension; readonly label: Label } | null
  /** The part that it is of, by its name, where that led there. */
  readonly partName?: string
}

/** What explains the figures that changed: one at a time, and those that led there. */
export class Explaining {
  #shown = $state.raw<readonly ChangedFigure[]>([])

  /** The figure that is explained; null while none is. */
  get figure(): ChangedFigure | null {
    return this.#shown.at(-1) ?? null
  }

  get canGoBack(): boolean {
    return this.#shown.length > 1
  }

  open(figure: ChangedFigure): void {
    this.#shown = [figure]
  }

  /** Goes on to a part of the figure. */
  further(figure: ChangedFigure): void {
    this.#shown = [...this.#shown, figure]
  }

  /** Looks at the same figure otherwise. */
  change(difference: Pick<ChangedFigure, 'by'>): void {
    this.#shown = this.#shown.map((figure) => ({ ...figure, ...difference }))
  }

  back(): void {
    this.#shown = this.#shown.slice(0, -1)
  }

  close(): void {
    this.#shown = []
  }
}

const periodBefore = { kind: 'preset', preset: 'period-before' } as const

/** Compared with the period before, unless it is compared already. */
export const comparedAddress = <A extends Pick<SharedAddress, 'compare'>>(address: A): A =>
  address.compare.kind === 'preset' && address.compare.preset === 'none'
    ? { ...address, compare: periodBefore }
    : address

/** What is asked of a figure; null where it is compared with nothing. */
export function explainQuestion(
  { address, family, header, base, by, row }: ChangedFigure,
  today: Day,
): ExplainQuestion | null {
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

/** The compared table of a dimension behind a figure, what changed most first. @param change of which sign it is */
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

/** The same figure of one value alone; null where a service tells nothing of it by other dimensions. */
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
