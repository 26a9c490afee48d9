import { limits } from '../../../src-shared/service/limits.ts'
import type { KeepEstimate } from '../../../src-shared/views/keeping.ts'
import type { KeptTable } from '../cache/kept-table.ts'
import { lengthOf } from '../coverage/kept-tables.ts'

/** What is to be kept of one subject, and what is known of it. */
export type ToEstimate = {
  /** Days that have to be fetched, of so many. */
  readonly days: number
  readonly of: number
  /** Whether it has rows, which come in pages; an overview has none. */
  readonly hasRows: boolean
  /** Tables that are kept of it, of any days. */
  readonly known: readonly KeptTable[]
}

export type EstimateBasis = {
  /** How long a request takes, with what it waits for others, in milliseconds; null where nobody knows. */
  readonly request: number | null
  /** How many run at the same time. */
  readonly atOnce: number
  /** What a row of this history takes on the disk, in bytes; null where nothing is kept. */
  readonly bytesPerRow: number | null
}

/** Taken where nothing is known: rows of a day, bytes of a row and of a file without rows, milliseconds of a request. */
export const assumed = { rows: 500, bytesPerRow: 10, file: 2_500, request: 1_000 } as const

/** What keeping these subjects would take. A day counts once, however many tables are kept of it. */
export function estimateOf(all: readonly ToEstimate[], basis: EstimateBasis): Omit<KeepEstimate, 'depth'> {
  const tables = Math.max(1, all.length)
  const sum = (of: (each: ToEstimate) => number) => all.reduce((total, each) => total + of(each), 0)
  const requests = sum((each) => each.days * pagesOf(each))
  const guessesSize = all.some(({ days, hasRows, known }) => days > 0 && hasRows && known.length === 0)
  return {
    of: Math.ceil(sum(({ of }) => of) / tables),
    days: Math.ceil(sum(({ days }) => days) / tables),
    requests,
    milliseconds: Math.round((requests * (basis.request ?? assumed.request)) / basis.atOnce),
    bytes: Math.round(sum((each) => each.days * bytesOfDay(each, basis.bytesPerRow))),
    assumed: [
      ...(guessesSize ? (['size'] as const) : []),
      ...(requests > 0 && basis.request === null ? (['time'] as const) : []),
    ],
  }
}

/** The newest table tells best how large the next one is; of one day alone where there is one. */
function newestOf(known: readonly KeptTable[]): KeptTable | undefined {
  const daily = known.filter(({ range }) => lengthOf(range) === 1)
  return (daily.length > 0 ? daily : known).toSorted((one, other) => other.fetchedAt - one.fetchedAt)[0]
}

const rowsOf = ({ hasRows, known }: ToEstimate): number =>
  hasRows ? (newestOf(known)?.rows ?? assumed.rows) : 0

const pagesOf = (each: ToEstimate): number => Math.max(1, Math.ceil(rowsOf(each) / limits.rowsPerPage))

function bytesOfDay(each: ToEstimate, perRow: number | null): number {
  const { known } = each
  const sum = (of: (table: KeptTable) => number) => known.reduce((total, table) => total + of(table), 0)
  const rows = sum((table) => table.rows)
  if (known.length > 0 && rows > 0) return (sum(({ bytes }) => bytes) / rows) * rowsOf(each)
  if (known.length > 0) return sum(({ bytes }) => bytes) / known.length
  return assumed.file + rowsOf(each) * (perRow ?? assumed.bytesPerRow)
}
