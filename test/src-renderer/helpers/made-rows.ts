import type {
  Facets,
  RawRow,
  Recount,
  RowsClusters,
  RowsGroups,
  RowsHistogram,
  CellTest,
  GroupKey,
  RowsQuery,
} from '#shared/archives/rows.ts'
import { listedRanges, makeBlockList, readCandidates, writeBlockList } from '#shared/archives/block-list.ts'
import type { MadeList } from '#shared/archives/block-list.ts'
import { parseAddress, parseNetwork } from '#shared/archives/network.ts'
import { badResults } from '#shared/archives/rows.ts'
import { clickIdIn } from '#test/helpers/click-ids.ts'
import type { RowsFile, RowsFileId, RowsState } from '#shared/archives/rows-file.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import type { CallArgument } from '#shared/bridge/calls.ts'
import { FakeDesk, account, good } from './fake-desk.ts'

/** Rows of a raw report that are made up, and a main process that answers about them by looking at each. */
const HOUR = 3_600_000
const begin = Date.parse('2026-11-16T00:00:00Z')

const names = [
  'TIMESTAMP',
  'SOURCE',
  'RESULT',
  'RULE SETS',
  'INVALID TRAFFIC TYPE',
  'REMOTE ADDRESS',
  'COUNTRY',
  'NETWORK',
  'USER AGENT',
] as const
type Name = (typeof names)[number]
type Row = Readonly<Record<Name, string>>

const pickOf = <T>(list: readonly T[], nth: number): T => list[nth % list.length] as T

/** The same rows each time: 1,200 over five days, hour by hour. */
export const madeRows: readonly Row[] = Array.from({ length: 1200 }, (_, nth): Row => {
  const source = pickOf(
    ['news', 'video', 'social', 'partner-a', 'partner-b', 'mail', 'search', 'push', 'radio'],
    nth * 7 + (nth >> 4),
  )
  const result =
    source === 'partner-b'
      ? pickOf(['bad', 'bad', 'good'], nth)
      : pickOf(['good', 'good', 'warning', 'good', 'bad'], nth * 3)
  const bad = result === 'bad'
  return {
    TIMESTAMP: new Date(begin + Math.floor(nth / 10) * HOUR).toISOString().replace('.000Z', '+00:00'),
    SOURCE: source,
    RESULT: result,
    'RULE SETS': bad ? pickOf(['UE', 'SP', 'UE,SP'], nth) : '',
    'INVALID TRAFFIC TYPE': bad ? pickOf(['bot', 'data centre'], nth) : '',
    'REMOTE ADDRESS': `198.51.${nth % 7}.${nth % 250}`,
    COUNTRY: pickOf(['DE', 'FR', 'US', 'NL'], nth * 5 + (nth >> 3)),
    NETWORK: pickOf(['Example Net', 'Test Telecom', 'Cloud Hosting Ltd'], nth * 11),
    'USER AGENT': pickOf(['Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0', 'curl/8.9'], nth >> 2),
  }
})

export const madeFile = 'report-R1' as RowsFileId

const standardOf = (name: Name) =>
  name === 'TIMESTAMP' ? 'timestamp' : name.toLowerCase().replaceAll(' ', '_')

export const wholeState: RowsState = {
  kind: 'whole',
  facts: {
    columns: names.map((name) => ({
      name,
      kind: name === 'TIMESTAMP' ? 'time' : 'text',
      standard: standardOf(name),
    })),
    rows: madeRows.length,
    unreadable: 0,
    odd: [],
    several: [],
    zone: null,
    first: begin as Instant,
    last: (begin + 119 * HOUR) as Instant,
    bytes: 24_000,
    readAt: (begin + 200 * HOUR) as Instant,
  },
}

export const fileOf = (state: RowsState, more: Partial<RowsFile> = {}): RowsFile => ({
  id: madeFile,
  account: account.id,
  report: 'R1' as RawReportId,
  name: 'Responses of the week',
  type: 'response',
  archive: 'there',
  state,
  ...more,
})

const cellOf = (row: Row, column: string): string => row[names.find((each) => each === column) ?? 'SOURCE']

function passes(cell: string, test: CellTest): boolean {
  switch (test.kind) {
    case 'is':
      return cell === test.value
    case 'one-of':
      return test.values.includes(cell)
    case 'contains':
      return cell.toLowerCase().includes(test.value.toLowerCase())
    case 'begins-with':
      return cell.toLowerCase().startsWith(test.value.toLowerCase())
    case 'more-than':
      return Number(cell) > Number(test.value)
    case 'less-than':
      return Number(cell) < Number(test.value)
    case 'click-id':
      return test.values.includes(clickIdIn(cell))
    case 'empty':
      return cell === ''
    case 'once':
      return true
    case 'in-network':
      return test.networks.some((network) =>
        network === ''
          ? parseAddress(cell) === undefined
          : network.endsWith('/24')
            ? cell.startsWith(network.replace(/\d+\/24$/, ''))
            : cell === network,
      )
    case 'between': {
      const at = Date.parse(cell)
      return (test.from === null || at >= test.from) && (test.to === null || at < test.to)
    }
  }
}

const foundBy = ({ conditions, sort }: RowsQuery): readonly Row[] => {
  const found = madeRows.filter((row) =>
    conditions.every(({ column, out, test }) => passes(cellOf(row, column), test) !== out),
  )
  const [key] = sort
  if (!key) return found
  const way = key.direction === 'asc' ? 1 : -1
  return [...found].sort((one, other) => way * (cellOf(one, key.column) < cellOf(other, key.column) ? -1 : 1))
}

const isBad = (row: Row) => badResults.includes(row.RESULT)
const asRaw =
  (columns: readonly string[]) =>
  (row: Row): RawRow => ({
    file: madeFile,
    row: madeRows.indexOf(row),
    cells: columns.map((column) => cellOf(row, column)),
  })

function partsBy<K>(rows: readonly Row[], keyOf: (row: Row) => K): [K, Row[]][] {
  const parts = new Map<K, Row[]>()
  for (const row of rows) parts.set(keyOf(row), [...(parts.get(keyOf(row)) ?? []), row])
  return [...parts].sort(([, one], [, other]) => other.length - one.length)
}

function facetsOf(rows: readonly Row[], columns: readonly string[], top: number): Facets {
  return {
    rows: rows.length,
    bad: rows.filter(isBad).length,
    facets: columns.map((column) => {
      const parts = partsBy(rows, (row) => cellOf(row, column))
      return {
        column,
        distinct: parts.length,
        values: parts.slice(0, top).map(([value, some]) => ({
          value,
          rows: some.length,
          bad: some.filter(isBad).length,
        })),
      }
    }),
  }
}

const results = ['bad', 'good', 'warning']

function histogramOf(rows: readonly Row[], by: 'day' | 'hour'): RowsHistogram {
  const step = by === 'day' ? 24 * HOUR : HOUR
  const parts = partsBy(rows, (row) => Math.floor((Date.parse(row.TIMESTAMP) - begin) / step))
  return {
    zone: 'UTC',
    results,
    untimed: 0,
    bars: parts
      .sort(([one], [other]) => one - other)
      .map(([nth, some]) => ({
        from: (begin + nth * step) as Instant,
        to: (begin + (nth + 1) * step) as Instant,
        counts: results.map((result) => some.filter((row) => row.RESULT === result).length),
      })),
  }
}

const keyOf = (row: Row, { column, by }: GroupKey): string => {
  const cell = cellOf(row, column)
  if (by === 'network') return `${cell.split('.').slice(0, 3).join('.')}.0/24`
  return by === 'day' ? cell.slice(0, 10) : by === 'hour' ? cell.slice(0, 13).replace('T', ' ') : cell
}

function groupsOf(rows: readonly Row[], by: readonly GroupKey[], search: string): RowsGroups {
  const moments = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20']
  const groups = partsBy(rows, (row) => JSON.stringify(by.map((key) => keyOf(row, key))))
    .map(([keys, some]) => ({
      keys: JSON.parse(keys) as string[],
      rows: some.length,
      bad: some.filter(isBad).length,
      counts: results.map((result) => some.filter((row) => row.RESULT === result).length),
      series: moments.map((day) => some.filter((row) => row.TIMESTAMP.startsWith(day)).length),
    }))
    .filter(({ keys }) => keys.some((key) => key.toLowerCase().includes(search.toLowerCase())))
  return { results, moments, groups, total: groups.length }
}

function blockListOf(
  rows: readonly Row[],
  { column, by, allowed, expiry: _, ...wish }: Omit<CallArgument<'rows/block-list'>, 'query'>,
): MadeList {
  const candidates = groupsOf(rows, [{ column, by }], '').groups.map(({ keys, rows: count, bad }) => ({
    ...{ range: keys[0] ?? '', rows: count, bad },
  }))
  const never = allowed.flatMap((text) => parseNetwork(text) ?? [])
  const none = { exported: [], expired: [], since: null }
  const list = makeBlockList(readCandidates(candidates), { ...wish, ...none, allowed: never })
  const [text, entries] = [writeBlockList(list, wish.format, 'UTC'), list.entries.length]
  return { text, entries, ranges: listedRanges(list), more: 0, blocked: list.blocked, leftOut: list.leftOut }
}

export /** Two of what stands out, and how many rows hold it. */
function clustersOf(rows: readonly Row[]): RowsClusters {
  const bad = rows.filter(isBad).length
  const clusters = [
    {
      kind: 'range',
      key: { column: 'REMOTE ADDRESS', by: 'network' },
      value: '198.51.3.0/24',
      chance: 1 / 2300,
    },
    { kind: 'network', key: { column: 'NETWORK', by: 'value' }, value: 'Cloud Hosting Ltd', chance: 1e-9 },
  ] as const
  return {
    ...{ rows: rows.length, bad, tested: 40, more: 0 },
    clusters: clusters.flatMap((each) => {
      const held = rows.filter((row) => keyOf(row, each.key) === each.value)
      const own = { rows: held.length, bad: held.filter(isBad).length }
      return own.bad === 0 ? [] : [{ ...each, ...own, expected: (own.rows * bad) / rows.length }]
    }),
  }
}

export const recount: Recount = {
  figures: ['2026-11-16', '2026-11-17'].flatMap((day) => [
    { day, member: 'Good', counted: 120, saved: 120 },
    { day, member: 'Bad', counted: 60, saved: day === '2026-11-17' ? 48 : 60 },
  ]),
  compared: { counted: 360, saved: 348, differing: 12 },
  outcome: 'differs',
  reasons: ['restated'],
  failure: null,
}

/** A desk with one archive, or with these. */
export function rowsDesk(files: readonly RowsFile[] = [fileOf(wholeState)]): FakeDesk {
  return new FakeDesk()
    .answer('rows/list', () => good(files))
    .answer('rows/page', ({ query, offset, limit, columns }) => {
      const found = foundBy(query)
      const page = found.slice(offset, offset + limit)
      return good({ rows: page.map(asRaw(columns)), total: found.length })
    })
    .answer('rows/facets', ({ query, columns, top }) => good(facetsOf(foundBy(query), columns, top)))
    .answer('rows/histogram', ({ query, by }) => good(histogramOf(foundBy(query), by)))
    .answer('rows/groups', ({ query, by, search }) => good(groupsOf(foundBy(query), by, search)))
    .answer('rows/block-list', ({ query, ...wish }) => good(blockListOf(foundBy(query), wish)))
    .answer('rows/clusters', ({ query }) => good(clustersOf(foundBy(query))))
    .answer('rows/recount', () => good(recount))
    .answer('rows/search', ({ text }) => {
      const found = madeRows.filter((row) =>
        [row['REMOTE ADDRESS'], row['USER AGENT']].some((cell) => cell.includes(text)),
      )
      const columns = ['TIMESTAMP', 'REMOTE ADDRESS', 'USER AGENT', 'RESULT'] as const
      return good({
        searched: ['Responses of the week'],
        unsearched: [
          { name: 'Direct of May', why: 'not-read' },
          { name: 'log.csv', why: 'failed' },
        ],
        columns: { searched: ['REMOTE ADDRESS', 'USER AGENT'], unsearched: ['SOURCE'] },
        files:
          found.length === 0
            ? []
            : [
                {
                  account: account.id,
                  file: madeFile,
                  name: 'Responses of the week',
                  count: found.length,
                  columns: columns.map((name) => ({ name, kind: 'text', standard: standardOf(name) })),
                  rows: found.slice(0, 5).map(asRaw(columns)),
                },
              ],
      })
    })
}
