import type { OverviewQuery, TableQuery } from '../reports/query.ts'
import type { DayRange } from '../values/day.ts'
import type { Paper } from './paper.ts'

export const tableFormats = ['csv', 'xlsx', 'json'] as const
export type TableFormat = (typeof tableFormats)[number]

/** Formats of the service's tables. */
export const reportFormats = [...tableFormats, 'parquet'] as const
export type ReportFormat = (typeof reportFormats)[number]

/**
 * An export to the downloads folder or the clipboard. `columns` are the visible headers in order, starting with the
 * label's.
 */
export type ExportOrder =
  /** The rows on screen, or all matching rows. */
  | {
      readonly kind: 'table'
      readonly format: ReportFormat | 'clipboard'
      readonly rows: 'seen' | 'all'
      readonly query: TableQuery
      readonly columns: readonly string[]
      /** Days of the comparison, if any. */
      readonly before?: DayRange
    }
  /** One sheet for each dimension of the family, with the same days and common filters. */
  | { readonly kind: 'workbook'; readonly query: TableQuery }
  /** The cards of Overview: a row for each figure of both families, over the same days and common filters. */
  | {
      readonly kind: 'overview'
      readonly format: ReportFormat | 'clipboard'
      readonly queries: readonly OverviewQuery[]
      readonly before?: DayRange
    }
  /** Everything about the view of Overview at this address as one workbook: figures, days, saved tables, changes, notes. */
  | { readonly kind: 'report'; readonly address: string }
  /** A report for a client: the view at this address, as pages. */
  | { readonly kind: 'pdf'; readonly address: string; readonly paper?: Paper }

/** Branding of PDFs. */
export type Brand = {
  /** Colour of lines and the title's edge, as `#1a56b0`; null for the app's own. */
  readonly colour: string | null
  /** A PNG or JPEG as a data URL; null for none. */
  readonly logo: string | null
}

export const noBrand: Brand = { colour: null, logo: null }

/** Maximum size of a logo, in bytes and in pixels of each side. */
export const logoLimits = { bytes: 500_000, pixels: 4000 } as const
