import type { RawType } from '#shared/api/raw-columns.ts'
import type { RowsColumn, RowsFile } from '#shared/archives/rows-file.ts'
import { isNamedAdditional, joinByRole } from '#shared/archives/rows-file.ts'
import { rowsLayouts } from '#shared/views/saved-views.ts'

/** Standard columns in display order, the most informative first. Other columns follow in file order. */
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

/** Standard columns that are offered as facets, in display order. */
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

/** Maximum number of columns in the table. The full row and exports have all columns. */
export const MAX_SHOWN = 100
const MAX_FACETS = 10

/** Archive whose rows are imported. */
export type WholeFile = RowsFile & { readonly state: Extract<RowsFile['state'], { kind: 'whole' }> }

export const isWhole = (file: RowsFile): file is WholeFile => file.state.kind === 'whole'

/** Returns the columns of several archives, joined by role and name, in display order. */
export function columnsIn(files: readonly WholeFile[]): readonly RowsColumn[] {
  const joined = new Map<string, RowsColumn>()
  for (const { columns } of joinByRole(files.map(({ state }) => state.facts))) {
    for (const column of columns) {
      const known = joined.get(column.name)
      // A column whose kind differs between archives is text.
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

/** Returns the names of the facet columns, with additional columns that the user named. Without any standard facet, uses the first text columns. */
export function facetsOf(columns: readonly RowsColumn[]): string[] {
  const known = faceted.flatMap((standard) => columns.find((column) => column.standard === standard) ?? [])
  const named = columns.filter(isNamedAdditional).slice(0, MAX_FACETS)
  const chosen = known.length > 0 ? known : columns.filter(({ kind }) => kind === 'text')
  const others = chosen.filter((column) => !named.includes(column))
  return [...others.slice(0, MAX_FACETS - named.length), ...named].map(({ name }) => name)
}

/** Returns the standard timestamp, otherwise the first time column. Undefined if there is none. */
export const timeColumn = (columns: readonly RowsColumn[]): RowsColumn | undefined =>
  columns.find(({ standard, kind }) => standard === 'timestamp' && kind === 'time') ??
  columns.find(({ kind }) => kind === 'time')

const addresses: readonly (string | null)[] = ['remote_address', 'requesting_remote_address']

/** Whether a column holds network addresses. */
export const holdsAddresses = ({ standard }: RowsColumn): boolean => addresses.includes(standard)

/** Whether a column holds links, which may contain a click ID. */
export const holdsLinks = ({ standard }: RowsColumn): boolean =>
  standard === 'page' || standard === 'referrer'

/** Returns the key of the stored column layout. Archives of the same report type share a layout. */
export function layoutOf(files: readonly WholeFile[]): string {
  const types = new Set<RawType | null>(files.map(({ type }) => type))
  const [type] = types
  const name = types.size === 1 ? rowsLayouts.find((rowsLayout) => rowsLayout === type) : undefined
  return `rows/${name ?? 'plain'}`
}
