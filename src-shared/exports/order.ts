import type { OverviewQuery, TableQuery } from '../reports/query.ts'
import type { DayRange } from '../values/day.ts'
import type { Paper } from './paper.ts'

export const tableFormats = ['csv', 'xlsx', 'json'] as const
export type TableFormat = (typeof tableFormats)[number]

/**
 * What is to be taken out of the app, as a file in the folder of downloads or into the clipboard.
 * `columns` are headers in the order in which they are seen, the label's first; hidden ones are left out.
 */
export type ExportOrder =
  /** The rows on screen, or every row that the query finds. */
  | {
      readonly kind: 'table'
      readonly format: TableFormat | 'clipboard'
      readonly rows: 'seen' | 'all'
      readonly query: TableQuery
      readonly columns: readonly string[]
      /** The days that the rows are compared with, where they are. */
      readonly before?: DayRange
    }
  /** The same days and common filters by every dimension of the family: a sheet for each. */
  | { readonly kind: 'workbook'; readonly query: TableQuery }
  /** The cards of Overview: a row for each figure of both families, over the same days and common filters. */
  | {
      readonly kind: 'overview'
      readonly format: TableFormat | 'clipboard'
      readonly queries: readonly OverviewQuery[]
      readonly before?: DayRange
    }
  /** A report to send to a client: the view at this address, drawn on pages. */
  | { readonly kind: 'pdf'; readonly address: string; readonly paper?: Paper }

/** How the PDFs of whoever sends them look. */
export type Brand = {
  /** Of lines and of the title's edge, as `#1a56b0`; null for the app's own. */
  readonly colour: string | null
  /** A PNG or JPEG as a data URL; null for none. */
  readonly logo: string | null
}

export const noBrand: Brand = { colour: null, logo: null }

/** A logo is as large as this at most: in bytes, and in pixels each way. */
export const logoLimits = { bytes: 500_000, pixels: 4000 } as const
