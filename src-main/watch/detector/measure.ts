import type { FindingKind } from './episodes.ts'
import type { WatchedMeasure, WatchedRow } from './figures.ts'
import type { JudgedRow, Slope } from './judge.ts'

/** A day's figures on the scale on which they are compared. */
type MeasuredDay = {
  /** NaN if unknown. */
  readonly value: number
  readonly variance: number
  readonly isBaseline: boolean
  readonly isShared: boolean
}

/** A row that is worse than usual. */
export type Sign = {
  readonly kind: FindingKind
  /** Index of the first day. */
  readonly from: number
  readonly usual: number
  readonly now: number
  readonly z: number
}

export type SignOptions = {
  readonly threshold: number
  /** Tests for a change on top of a standing one: its size in log odds or log requests, known from `days` days. */
  readonly over?: {
    readonly lift: number
    readonly factor: number
    readonly from: number
    readonly days: number
  }
}

/** One of the figures that are watched. */
export type JudgedMeasure = {
  readonly name: WatchedMeasure
  /** Whether findings that many rows have at once wait for settled figures. Otherwise they are told as one. */
  readonly heldUntilSettled: boolean
  /** Which way is worse. */
  readonly worse: 1 | -1
  readonly slope: Slope
  /** From the scale of comparison to the figure. */
  readonly toFigure: (value: number) => number
  /** From the figure to the scale of `lift`. */
  readonly toLog: (figure: number) => number
  /** Figure of a range of days; NaN if unknown. */
  readonly figureOf: (row: WatchedRow, first: number, last: number) => number
  readonly threshold: (rows: number) => number
  readonly dayOf: (row: WatchedRow, index: number) => MeasuredDay
  /** Tests the last judged day, and runs of days up to it. `start` is the index of the first judged day. */
  readonly signOf: (row: WatchedRow, judged: JudgedRow, start: number, options: SignOptions) => Sign | null
}
