import type {
  Answers,
  OverviewAnswer,
  TableAnswer,
  Unknown,
  Cell,
  Count,
  Totals,
  Chart,
} from '#shared/api/answers.ts'
import { dimensionEntry, dimensionNames, headersOf, familyNames, totalWords } from '#shared/api/dimensions.ts'
import { endpointEntry } from '#shared/api/endpoints.ts'
import type { AnswerFor, AnswerKind, EndpointPath } from '#shared/api/endpoints.ts'
import { dayFromWire } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import {
  parseAnswerJson,
  decodeText,
  decodeEcho,
  decodePagedEcho,
  decodeMembers,
  count,
  countOf,
  members,
  numberOf,
  silent,
  wordsBefore,
} from './json.ts'
import { malformed, noSuchService } from '../network-failure.ts'
import {
  decodeCampaigns,
  decodeInstances,
  decodeSources,
  decodeRawAddress,
  decodeRawDone,
  decodeRawRequested,
  decodeRawTable,
  decodeRawReport,
} from './lists.ts'
import type { Members, Note } from './json.ts'
import { decodeTable } from './table.ts'
import type { TableKind } from './table.ts'

/**
 * Decodes `total` (specification: summary totals). Counts outside the specification are included; other unknown members are
 * returned separately. Text in place of a specified count (`--`, `< 10`) remains text; other invalid values become null.
 */
function decodeTotals(value: unknown, note: Note): { readonly total: Totals; readonly others: Unknown } {
  const found = members(value, 'total', note)
  const total: Record<string, Cell> = {}
  const counted = new Set<string>()
  for (const name of Object.keys(found)) {
    const specified = Object.hasOwn(totalWords, name)
    if (name === '__proto__' || !(specified || found[name] === null || numberOf(found[name]) !== undefined))
      continue
    const value = found[name]
    const isText = typeof value === 'string' && countOf(value) === undefined
    total[name] = isText ? decodeText(value) : count(value, note)
    counted.add(name)
  }
  if (Object.keys(total).length === 0) throw malformed('total has no counts')
  return { total, others: decodeMembers(found, counted) }
}

const isDateHeader = (header: string) => header.toLowerCase() === 'date'

/** Returns the headers of a chart if they are distinct texts with exactly one date; otherwise undefined. */
function chartHeaders(row: unknown): string[] | undefined {
  if (!Array.isArray(row) || !row.every((cell) => typeof cell === 'string')) return undefined
  const headers = row.map(decodeText)
  const different = new Set(headers).size === headers.length
  return different && headers.filter(isDateHeader).length === 1 ? headers : undefined
}

/** Parses a count. Returns null for a missing or invalid cell; rows may be short. */
function dailyCount(cell: unknown, note: Note): Count {
  const counted = countOf(cell) ?? null
  if (counted === null && typeof cell === 'object' && cell !== null) note('odd-member')
  return counted
}

/**
 * Decodes a chart in the only observed form: an array of headers, then one array per day (field notes: additions to tables).
 * @returns null for any other form, because the specification does not define one
 */
function decodeChart(value: unknown, note: Note): Chart | null {
  if (!Array.isArray(value)) return null
  const headers = chartHeaders(value[0])
  if (!headers) return null
  const dateColumn = headers.findIndex(isDateHeader)
  const columns = headers.map((_, column) => column).filter((column) => column !== dateColumn)
  const series = columns.map((column) => ({ header: headers[column] ?? '', values: [] as Count[] }))
  const days: Day[] = []
  for (const row of value.slice(1) as readonly unknown[]) {
    if (!Array.isArray(row) || row.length > headers.length) return null
    const day = dayFromWire(row[dateColumn])
    if (day === undefined) return null
    days.push(day)
    for (const [index, column] of columns.entries()) series[index]?.values.push(dailyCount(row[column], note))
  }
  return new Set(days).size === days.length ? { days, series } : null
}

/** Kind of each table, by endpoint path. */
const tableKinds: ReadonlyMap<string, TableKind> = new Map(
  familyNames.flatMap((family) =>
    dimensionNames.map((dimension): [string, TableKind] => {
      const [header = null, ...counts] = headersOf(family, dimension)
      return [
        `${family}/${dimension}`,
        { label: dimensionEntry(dimension).label, header, counts: new Set(counts) },
      ]
    }),
  ),
)

const anyTable: TableKind = { label: 'text', header: null, counts: new Set() }

const withoutEmpty = (parts: Readonly<Record<string, Unknown>>): Unknown =>
  Object.fromEntries(Object.entries(parts).filter(([, part]) => Object.keys(part).length > 0))

/** Collects the unknown members, including a chart in an unknown form. */
function unknownOf(
  answer: Members,
  known: readonly string[],
  parts: Readonly<Record<string, Unknown>>,
): Unknown {
  return { ...decodeMembers(answer, new Set([...known, 'token'])), ...withoutEmpty(parts) }
}

const knownBeside = (chart: unknown, answer: Members, known: readonly string[]): readonly string[] =>
  chart !== null || !answer['chart'] ? [...known, 'chart'] : known

/** Decodes an overview: `total`, `query`, and an optional chart. */
function decodeOverview(answer: Members, note: Note): OverviewAnswer {
  const { total, others } = decodeTotals(answer['total'], note)
  const chart = decodeChart(answer['chart'], note)
  const known = knownBeside(chart, answer, ['total', 'query'])
  return {
    total,
    chart,
    query: decodeEcho(answer['query'], note),
    unknown: unknownOf(answer, known, { total: others }),
  }
}

/** Decodes a table response: `total`, `table`, `query`, and an optional chart. */
function decodeTableAnswer(answer: Members, note: Note, path: EndpointPath): TableAnswer {
  const totals = decodeTotals(answer['total'], note)
  const read = decodeTable(answer['table'], tableKinds.get(path) ?? anyTable, note)
  const rows = read.table.rows.length + (read.unreadable?.rows ?? 0)
  const query = decodePagedEcho(answer['query'], note, rows)
  // Fails if the table has rows but none is readable.
  const isUnreadable = read.fault !== undefined && read.table.rows.length === 0 && rows >= query.results
  if (isUnreadable) throw malformed(read.fault ?? '')
  const chart = decodeChart(answer['chart'], note)
  const known = knownBeside(chart, answer, ['total', 'table', 'query'])
  return {
    total: totals.total,
    table: read.table,
    chart,
    query,
    unknown: unknownOf(answer, known, { total: totals.others, table: read.others }),
    ...(read.unreadable && { unreadable: read.unreadable }),
  }
}

const decoders: {
  readonly [K in AnswerKind]: (answer: Members, note: Note, path: EndpointPath) => Answers[K]
} = {
  overview: decodeOverview,
  table: decodeTableAnswer,
  instances: decodeInstances,
  sources: decodeSources,
  campaigns: decodeCampaigns,
  'raw-table': decodeRawTable,
  'raw-report': decodeRawReport,
  'raw-requested': decodeRawRequested,
  'raw-done': decodeRawDone,
  'raw-address': decodeRawAddress,
}

/** Start of an HTML message from the service's own runtime, unlike pages of other sites. */
const runtimeMessage = /^\s*<(?:br|b)\b/i

/** Parses the text of a response. Text without JSON comes from another kind of server or is damaged. */
function parseAnswer(text: string, note: Note): unknown {
  const found = parseAnswerJson(text, note)
  if (found !== undefined) return found
  if (text.trim() === '') throw malformed('it is empty')
  if (/^\s*</.test(text) && !runtimeMessage.test(text)) throw noSuchService()
  const words = wordsBefore(text)
  throw malformed(words === '' ? 'it is no valid JSON' : `it begins with “${words}” and is no valid JSON`)
}

/**
 * Decodes the response of an endpoint, from its text or from the result of `parseJson`. Works offline, so that stored texts can
 * be decoded again. Unreadable entries are omitted, and unreadable members become null.
 * @param note called for each tolerated error
 * @throws ServiceFailure of kind `malformed` if the response does not match the endpoint
 */
export function decodeAnswer<P extends EndpointPath>(
  path: P,
  answer: unknown,
  note: Note = silent,
): AnswerFor<P> {
  const found = typeof answer === 'string' ? parseAnswer(answer, note) : answer
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw noSuchService()
  // Both the decoder and `AnswerFor` follow the endpoint's answer kind, so the cast is safe.
  return decoders[endpointEntry(path).answer](found as Members, note, path) as AnswerFor<P>
}
