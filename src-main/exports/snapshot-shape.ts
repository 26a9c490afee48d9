import type { SnapshotForm, SnapshotRow, ExportColumn } from '#shared/exports/columns.ts'
import { comparedLengths } from '#shared/reports/change.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { basesFor, withRates } from '#shared/reports/rows.ts'
import type { RateBases } from '#shared/reports/rows.ts'
import type { RowsBefore } from '#shared/reports/change.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import type { SnapshotCompared, TableSnapshot } from '#main/reports/resolver/snapshot-of-query.ts'
import { comparedColumns } from './compared.ts'

/** How rows of a snapshot become those of an export. It can be sent to a thread. */
type SnapshotShape = {
  readonly query: Pick<TableQuery, 'family' | 'dimension' | 'rates'>
  /** The headers of the rows as they lie in the file, the label's first; and those of the table, with rates. */
  readonly raw: readonly string[]
  readonly headers: readonly string[]
  readonly bases: RateBases | null
  /** The columns that are seen, without those of a comparison. */
  readonly columns: readonly ExportColumn[]
  readonly compared: SnapshotCompared | null
}

/** The file of a snapshot, and what is made of it. */
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
  /** Rows of the file as they go out. */
  readonly rows: (rows: readonly SnapshotRow[]) => readonly TableRow[]
  /** A row that stands above the others, with its rates already. */
  readonly above: (row: TableRow) => TableRow
}

/** What stands in the rows of a snapshot: rates after the counts, and beside them what they are compared with. */
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

/** What the row at hand is compared with. */
class Sides {
  readonly #compared: SnapshotCompared
  readonly #before: ReadonlyMap<string, number>
  readonly #now: ReadonlyMap<string, number>

  constructor(compared: SnapshotCompared) {
    this.#compared = compared
    this.#before = placesOf(compared.sides?.before.headers)
    this.#now = placesOf(compared.sides?.now?.headers)
  }

  /** @param before null where there was no such row; undefined where nothing is compared with it */
  rowsBefore(
    before: readonly Cell[] | null | undefined,
    now: readonly Cell[] | null | undefined,
  ): RowsBefore {
    const { sides, periods, compared } = this.#compared
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
