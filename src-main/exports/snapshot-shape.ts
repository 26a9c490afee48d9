import type { SnapshotForm, SnapshotRow, ExportColumn } from '#shared/exports/columns.ts'
import { comparedLengths } from '#shared/reports/change.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { basesFor, withRates } from '#shared/reports/rows.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { RowsBefore } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { SnapshotCompared, TableSnapshot } from '#main/reports/resolver/snapshot-of-query.ts'
import { comparedColumns } from './compared.ts'

/** Describes how rows of a snapshot become rows of an export. Can be sent to a thread. */
type SnapshotShape = {
  readonly query: Pick<TableQuery, 'family' | 'dimension' | 'rates'>
  /** `raw`: headers in the file, the label's first. `headers`: headers of the table, including rates. */
  readonly raw: readonly string[]
  readonly headers: readonly string[]
  readonly bases: RateBases | null
  /** Exported columns, without those of a comparison. */
  readonly columns: readonly ExportColumn[]
  readonly compared: SnapshotCompared | null
}

/** File of a snapshot, and the shape of its rows. */
export type SnapshotFile = {
  readonly path: string
  readonly form: SnapshotForm
  readonly rows: number
  readonly shape: SnapshotShape
}

export function fileOf({ report, file, bases, compared }: TableSnapshot): SnapshotFile {
  const { family, dimension, rates } = report.query
  const { path, form, rows, raw, columns } = file
  const { headers } = report.figures.table
  return {
    path,
    form,
    rows,
    shape: { query: { family, dimension, rates }, raw, headers, bases, columns, compared },
  }
}

type Shaped = {
  readonly columns: readonly ExportColumn[]
  /** Converts rows of the file. */
  readonly rows: (rows: readonly SnapshotRow[]) => readonly TableRow[]
  /** Converts an aggregate row, which has its rates already. */
  readonly above: (row: TableRow) => TableRow
}

/** Returns functions that add rates and the columns of a comparison to rows of a snapshot. */
export function shapedBy({ query, raw, headers, bases, columns, compared }: SnapshotShape): Shaped {
  const { family, dimension } = query
  const rated = (rows: readonly TableRow[]): readonly TableRow[] =>
    query.rates ? withRates({ headers: raw, all: null, rows }, family, dimension, bases).rows : rows
  if (!compared) return { columns, rows: rated, above: (row) => row }
  const beside = comparedColumns(headers, columns, basesFor({ family, dimension }, bases), compared)
  const sides = new Sides(compared)
  return {
    columns: beside.columns,
    rows: (rows) =>
      rated(rows).map((row, place) =>
        beside.extend(row, sides.rowsBefore(rows[place]?.before, rows[place]?.now)),
      ),
    above: (row) => {
      const isAll = row.label.kind === 'all'
      const { before, now } = compared.sides ?? {}
      return beside.extend(
        row,
        isAll ? sides.rowsBefore(before?.cells, now?.cells) : sides.rowsBefore(undefined, null),
      )
    },
  }
}

const placesOf = (headers: readonly string[] = []): ReadonlyMap<string, number> =>
  new Map(headers.slice(1).map((header, place) => [header, place]))

/** Looks up the cells that a row is compared with. */
class Sides {
  readonly #comparison: SnapshotCompared
  readonly #before: ReadonlyMap<string, number>
  readonly #now: ReadonlyMap<string, number>

  constructor(compared: SnapshotCompared) {
    this.#comparison = compared
    this.#before = placesOf(compared.sides?.before.headers)
    this.#now = placesOf(compared.sides?.now?.headers)
  }

  /** @param before null if the row did not exist; undefined if there is nothing to compare */
  rowsBefore(
    before: readonly Cell[] | null | undefined,
    now: readonly Cell[] | null | undefined,
  ): RowsBefore {
    const { sides, periods, compared } = this.#comparison
    const [then, here] = [this.#before, this.#now]
    return {
      cellsOf: () => (sides ? before : []),
      placeOf: (header) => then.get(header) ?? -1,
      nowOf: (_, header, shown) => {
        if (sides && !sides.now) return shown
        const place = here.get(header)
        return place === undefined ? undefined : now?.[place]
      },
      lengths: comparedLengths(periods, compared),
    }
  }
}
