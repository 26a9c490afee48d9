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
 * Reads `total` (specification: summary totals). Counts that no specification names are kept beside the others;
 * members that are no counts come back apart. Text in place of a specified count (`--`, `< 10`) stays as it came; whatever else
 * stands there is not known.
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

/** The headers of a chart: different texts, one of them the date's; undefined otherwise. */
function chartHeaders(row: unknown): string[] | undefined {
  if (!Array.isArray(row) || !row.every((cell) => typeof cell === 'string')) return undefined
  const headers = row.map(decodeText)
  const different = new Set(headers).size === headers.length
  return different && headers.filter(isDateHeader).length === 1 ? headers : undefined
}

/** A count. What is missing, or no count, is not known: a row may end early. */
function dailyCount(cell: unknown, note: Note): Count {
  const counted = countOf(cell) ?? null
  if (counted === null && typeof cell === 'object' && cell !== null) note('odd-member')
  return counted
}

/**
 * Reads a chart in the one shape that has been seen: rows of arrays, the first of headers, then one for each day
 * (field notes: additions to tables). Its columns are found by their headers.
 * @returns null for every other shape: the specification leaves it open, so no shape is a mistake
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

/** Each table's kind by its path, from the interface as data. */
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

/** A chart that was not recognised is kept among the unknown members. */
function unknownOf(
  answer: Members,
  known: readonly string[],
  parts: Readonly<Record<string, Unknown>>,
): Unknown {
  return { ...decodeMembers(answer, new Set([...known, 'token'])), ...withoutEmpty(parts) }
}

const knownBeside = (chart: unknown, answer: Members, known: readonly string[]): readonly string[] =>
  chart !== null || !answer['chart'] ? [...known, 'chart'] : known

/** An overview: `total` and `query`, and a chart where one was asked for. */
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

/** A table endpoint: `total`, `table` and `query`, and a chart where one was asked for. */
function decodeTableAnswer(answer: Members, note: Note, path: EndpointPath): TableAnswer {
  const totals = decodeTotals(answer['total'], note)
  const read = decodeTable(answer['table'], tableKinds.get(path) ?? anyTable, note)
  const rows = read.table.rows.length + (read.unreadable?.rows ?? 0)
  const query = decodePagedEcho(answer['query'], note, rows)
  // Of a table that has rows, none of which can be read, nothing is left to show.
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

/** How messages of a service's own runtime begin, as against those of other sites. */
const runtimeMessage = /^\s*<(?:br|b)\b/i

/** Parses an answer's text; what is no JSON is either another kind of site or damaged. */
function parseAnswer(text: string, note: Note): unknown {
  const found = parseAnswerJson(text, note)
  if (found !== undefined) return found
  if (text.trim() === '') throw malformed('it is empty')
  if (/^\s*</.test(text) && !runtimeMessage.test(text)) throw noSuchService()
  const words = wordsBefore(text)
  throw malformed(words === '' ? 'it is no valid JSON' : `it begins with “${words}” and is no valid JSON`)
}

/**
 * Decodes an answer of an endpoint: the text as it came, or what `parseJson` made of it. Works without the network, so
 * that a kept text can be read again. Lists and tables are read entry by entry; members that are odd are not known.
 * @param note called for what was forgiven
 * @throws ServiceFailure of kind `malformed` where it is no such answer
 */
export function decodeAnswer<P extends EndpointPath>(
  path: P,
  answer: unknown,
  note: Note = silent,
): AnswerFor<P> {
  const found = typeof answer === 'string' ? parseAnswer(answer, note) : answer
  if (typeof found !== 'object' || found === null || Array.isArray(found)) throw noSuchService()
  // The decoder is chosen by the endpoint's own kind of answer, which is what AnswerFor reads as well.
  return decoders[endpointEntry(path).answer](found as Members, note, path) as AnswerFor<P>
}
