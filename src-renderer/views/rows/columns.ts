import type { RawType } from '#shared/api/raw-columns.ts'
import type { RowsColumn, RowsFile } from '#shared/archives/rows-file.ts'
import { joinByRole } from '#shared/archives/rows-file.ts'
import { rowsLayouts } from '#shared/views/saved-views.ts'

/** Standard columns in the order in which they are read, the most telling first; the others stand behind them as they came. */
const telling = [
  'timestamp',
  'result',
  'rule_sets',
  'invalid_traffic_type',
  'source',
  'campaign',
  'remote_address',
  'network',
  'country',
  'device_type',
  'browser_name',
  'os_name',
  'referrer',
  'page',
  'app_id',
  'user_agent',
]

/** Columns by whose values rows are commonly told apart, in the order in which they stand beside the rows. */
const faceted = [
  'result',
  'rule_sets',
  'invalid_traffic_type',
  'source',
  'campaign',
  'country',
  'network',
  'device_type',
  'browser_name',
  'os_name',
]

/** More columns than these are not drawn: the row in full and exports have all of them. */
export const MAX_SHOWN = 100
const MAX_FACETS = 10

/** Archives whose rows can be asked about. */
export type WholeFile = RowsFile & { readonly state: Extract<RowsFile['state'], { kind: 'whole' }> }

export const isWhole = (file: RowsFile): file is WholeFile => file.state.kind === 'whole'

/** The columns of several archives, joined by what they hold and by their names, in the order in which they are shown. */
export function columnsIn(files: readonly WholeFile[]): readonly RowsColumn[] {
  const joined = new Map<string, RowsColumn>()
  for (const { columns } of joinByRole(files.map(({ state }) => state.facts))) {
    for (const column of columns) {
      const known = joined.get(column.name)
      // A column that is text in one of them is text.
      if (!known) joined.set(column.name, column)
      else if (known.kind !== column.kind) joined.set(column.name, { ...known, kind: 'text' })
    }
  }
  const columns = [...joined.values()]
  const rank = ({ standard }: RowsColumn) => {
    const place = standard === null ? -1 : telling.indexOf(standard)
    return place < 0 ? telling.length : place
  }
  return columns.sort((one, other) => rank(one) - rank(other))
}

/** The columns whose most frequent values stand beside the rows; of a table that is no raw report, its first of text. */
export function facetsOf(columns: readonly RowsColumn[]): string[] {
  const known = faceted.flatMap((standard) => columns.find((column) => column.standard === standard) ?? [])
  const chosen = known.length > 0 ? known : columns.filter(({ kind }) => kind === 'text')
  return chosen.slice(0, MAX_FACETS).map(({ name }) => name)
}

/** The column of moments that rows are put in order by; undefined where there is none. */
export const timeColumn = (columns: readonly RowsColumn[]): RowsColumn | undefined =>
  columns.find(({ standard, kind }) => standard === 'timestamp' && kind === 'time') ??
  columns.find(({ kind }) => kind === 'time')

const addresses: readonly (string | null)[] = ['remote_address', 'requesting_remote_address']

/** Whether a column holds addresses of the net. */
export const holdsAddresses = ({ standard }: RowsColumn): boolean => addresses.includes(standard)

/** Whether a column holds links, which may carry a click's ID. */
export const holdsLinks = ({ standard }: RowsColumn): boolean =>
  standard === 'page' || standard === 'referrer'

/** Under which name the layout of columns is kept: rows of one type are laid out alike. */
export function layoutOf(files: readonly WholeFile[]): string {
  const types = new Set<RawType | null>(files.map(({ type }) => type))
  const [type] = types
  const name = types.size === 1 ? rowsLayouts.find((rowsLayout) => rowsLayout === type) : undefined
  return `rows/${name ?? 'plain'}`
}
