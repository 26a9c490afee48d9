import { stat } from 'node:fs/promises'
import { failureOf } from '#shared/api/failure.ts'
import { failureMeanings } from '#shared/api/failure-meanings.ts'
import { dimensionEntry, families, offers, reportName } from '#shared/api/dimensions.ts'
import type { Dimension, Family } from '#shared/api/dimensions.ts'
import { limits } from '#shared/api/parameters.ts'
import type { MoversAnswer, OverviewReport } from '#shared/reports/answer.ts'
import { explaining } from '#shared/reports/explain-answer.ts'
import { inFiles, marksOf } from '#shared/reports/figure-facts.ts'
import type { FigureFact } from '#shared/reports/figure-facts.ts'
import { watchedCounts } from '#shared/reports/overview-figures.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { comparedSentences } from '#shared/texts/reports.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { isShownIn, markedNotes } from '#shared/watch/notes.ts'
import { beforeAt, overviewQueryAt, tableBehind } from '#shared/views/address.ts'
import type { OverviewAddress } from '#shared/views/view-address.ts'
import { OfTwoScopes } from '#main/reports/one-scope.ts'
import { comparedFact, factsOf, knownOf, notesOn } from './facts.ts'
import type { Facts, NamedAccount } from './facts.ts'
import { overviewSheet } from './overview-sheet.ts'
import {
  chartOfRows,
  contentsSheet,
  daysSheet,
  moversSheet,
  notesSheet,
  reasonsSheet,
} from './report-sheets.ts'
import type { ContentsLine, FilledSheet } from './report-sheets.ts'
import { readStoredTable } from './shown.ts'
import type { SnapshotFile } from './snapshot-shape.ts'
import type { WriteSummary } from './table-export.ts'
import type { TableReader } from './table-reader.ts'
import type { Sheet } from './table-writer.ts'
import type { WritingThread } from './writing-thread.ts'

/** Maximum number of cells of a workbook with charts: it is held in memory (`docs/decisions/packages.md`). */
export const maxChartedCells = 200_000
/** Maximum size of the rows of a workbook with charts, in bytes. Cells can be long. */
const maxChartedBytes = 16_000_000
/** Maximum number of rows that rose, and of those that fell. */
const maxMovers = 20

/** A part of the report: a sheet with what a reader must know, or the reason why it is missing. */
type Part =
  | {
      readonly kind: 'sheet'
      readonly sheet: Sheet & { readonly rows: readonly TableRow[] | SnapshotFile }
      readonly known: readonly FigureFact[]
      readonly notes: readonly string[]
    }
  | { readonly kind: 'absent'; readonly name: string; readonly words: string }

type SheetPart = Extract<Part, { kind: 'sheet' }>

/** A whole report that was read, with the facts of its overview. */
export type WholeReport = {
  readonly parts: readonly Part[]
  readonly facts: Facts
  /** Whether the workbook gets charts. */
  readonly charts: boolean
  /** Marks for the file's name. A table that is not saved, or lacks days, makes no report partial: its first sheet says it. */
  readonly marks: readonly string[]
}

/** Whose report, and which. `today` is the account's day. */
export type ReportScope = {
  readonly account: NamedAccount
  readonly address: OverviewAddress
  readonly today: Day
}

const present = (
  sheet: FilledSheet,
  known: readonly FigureFact[] = [],
  notes: readonly string[] = [],
): Part => ({
  ...{ kind: 'sheet', sheet, known, notes },
})

/**
 * Reads everything about a view of Overview: its figures and days, and what is stored of its tables, changes and notes.
 * @param hold called with a function that deletes a file of rows, once the report is written
 * @throws failures of reading
 */
export async function readReport(
  reader: TableReader,
  scope: ReportScope,
  hold: (drop: () => Promise<void>) => void,
): Promise<WholeReport> {
  const { account, address, today } = scope
  const before = beforeAt(address, today)
  const queries = (['script', 'direct'] as const).map((family) => overviewQueryAt(address, family, today))
  const order = { kind: 'overview', format: 'xlsx', queries, ...(before && { before }) } as const
  const { answers, ...overview } = await overviewSheet(reader, account, order)
  const parts: Part[] = [
    present(
      overview,
      knownOf(overview.facts),
      overview.facts.compared ? notesOn(overview.facts.compared) : [],
    ),
  ]
  for (const answer of answers) parts.push(await daysPart(reader, account, answer))
  const own = marksIn(parts)
  // One after the other, so that the snapshots are of about one moment and other work of the engine waits little.
  for (const answer of answers) parts.push(...(await tableParts(reader, account, { answer, before }, hold)))
  if (before) for (const answer of answers) parts.push(...(await changeParts(reader, scope, answer, before)))
  const { range } = overview.facts
  const shown = (await reader.notes()).filter((note) => isShownIn(note, address))
  const notes = markedNotes(shown, range).map(({ note }) => note)
  parts.push(
    notes.length > 0
      ? present(notesSheet(notes))
      : { kind: 'absent', name: 'Notes', words: 'There are no notes on these days.' },
  )
  const marks = marksIn(parts).filter((mark) => !mark.endsWith('partial') || own.includes(mark))
  return { parts, facts: overview.facts, charts: await canHaveCharts(parts), marks }
}

/** Marks of all parts. Days that could not be read are missing. */
const marksIn = (parts: readonly Part[]): readonly string[] => [
  ...new Set(parts.flatMap((part) => (isSheet(part) ? marksOf(part.known) : ['partial']))),
]

/** Days of a family, of the same answer as its figures if that has them. */
async function daysPart(reader: TableReader, account: NamedAccount, answer: OverviewReport): Promise<Part> {
  const { chart } = answer.figures
  const title = `${families[answer.query.family].words} by day`
  try {
    const { provenance } = answer
    const { family, range } = answer.query
    const days = chart ? { chart, provenance } : await reader.trend(answer.query)
    const known = { title, provenance: days.provenance, range, zone: account.dayZone }
    return present(daysSheet(family, days.chart), knownOf({ figures: [known] }))
  } catch (error) {
    const failure = failureOf(error)
    if (failureMeanings[failure.kind].connection === null) throw error
    return { kind: 'absent', name: title, words: failure.message }
  }
}

/** Stored tables of every dimension that a family has and that the filters do not reduce to one row. */
async function tableParts(
  reader: TableReader,
  account: NamedAccount,
  { answer, before }: { readonly answer: OverviewReport; readonly before: DayRange | null },
  hold: (drop: () => Promise<void>) => void,
): Promise<readonly Part[]> {
  const { query } = answer
  const { family, range, instance, source, campaign } = query
  const common = { family, range, instance, source, campaign, rates: true, whole: true }
  const parts: Part[] = []
  for (const dimension of explaining({ query })) {
    const name = reportName(family, dimension)
    const table = normalise({ ...plainTable, ...common, dimension, limit: limits.rowsPerPage })
    const found = await readStoredTable(reader, table, before)
    if (found === null) {
      parts.push({
        kind: 'absent',
        name,
        words: 'Not in this file: these days are not saved. Open the table first.',
      })
      continue
    }
    hold(found.drop)
    const { report, columns, above, compared, rows } = found.shown
    const facts = { ...factsOf(account, report), compared }
    parts.push({
      kind: 'sheet',
      sheet: { name, columns, above, facts, rows: rows.file, chart: chartOfRows(family, dimension, columns) },
      known: knownOf(facts),
      notes: compared ? notesOn(compared) : [],
    })
  }
  return parts
}

/** Dimensions of the movers in order of preference: the chosen one, or sources before instances, as in Overview. */
const moversDimensions = ({ movers }: OverviewAddress, family: Family): readonly Dimension[] =>
  (movers ? [movers] : (['sources', 'sessions'] as const)).filter((dimension) => offers(family, dimension))

/** Reads the first dimension that is stored. */
async function firstStored(
  dimensions: readonly Dimension[],
  read: (dimension: Dimension) => Promise<MoversAnswer | null>,
): Promise<{ readonly dimension: Dimension; readonly movers: MoversAnswer | null }> {
  for (const dimension of dimensions) {
    const movers = await read(dimension)
    if (movers !== null) return { dimension, movers }
  }
  return { dimension: dimensions[0] ?? 'sessions', movers: null }
}

/** The largest changes of a family, and what explains the change of its rate, from stored tables. */
async function changeParts(
  reader: TableReader,
  { account, address, today }: ReportScope,
  { query }: OverviewReport,
  before: DayRange,
): Promise<readonly Part[]> {
  const { family, range } = query
  const periods = reader.periods(range, before)
  const header = watchedCounts[family]
  const [moved, explained] = ['biggest changes', 'what explains it'].map(
    (end) => `${families[family].words}, ${end}`,
  )
  const absent = (name = '', words: string): Part => ({ kind: 'absent', name, words })
  if (periods.kind === 'nothing') {
    const words = comparedSentences({ periods, compared: null }, inFiles).join(' ')
    return [absent(moved, words), absent(explained, words)]
  }
  const { moved: by = 'rate', min } = address
  const request = { before, header, by, ...(min !== undefined && { min }), max: maxMovers, force: false }
  const { dimension, movers } = await firstStored(moversDimensions(address, family), (asked) =>
    reader.storedMovers({ query: tableBehind(address, family, asked, today), ...request }),
  )
  const title = reportName(family, dimension)
  const change = { query, before, header, base: 'Requests', by: 'rate' } as const
  return [
    movers
      ? present(
          moversSheet(family, dimension, movers),
          knownOf({
            figures: [{ title, provenance: movers.provenance, range: periods.now, zone: account.dayZone }],
          }),
          comparedSentences(movers, inFiles),
        )
      : absent(
          moved,
          `Not in this file: ${dimensionEntry(dimension).words.toLowerCase()} are not saved for these days.`,
        ),
    await reasonsPart(reader, change, explained),
  ]
}

async function reasonsPart(
  reader: TableReader,
  change: Parameters<TableReader['explain']>[0],
  name = '',
): Promise<Part> {
  try {
    const answer = await reader.explain(change)
    const sheet = reasonsSheet(change.query.family, answer)
    return sheet.rows.length > 0
      ? present(
          sheet,
          [],
          comparedSentences({ ...answer, compared: answer.figure?.compared ?? null }, inFiles),
        )
      : { kind: 'absent', name, words: 'No saved table explains this change.' }
  } catch (error) {
    const { kind, message } = failureOf(error)
    if (error instanceof OfTwoScopes || kind !== 'invalid') throw error
    return { kind: 'absent', name, words: message }
  }
}

const isSheet = (part: Part): part is SheetPart => part.kind === 'sheet'

const rowsIn = ({ sheet: { rows } }: SheetPart): number => ('path' in rows ? rows.rows : rows.length)

/** Number of a sheet's cells, with its header and aggregate rows. */
const cellsIn = (part: SheetPart): number =>
  (1 + rowsIn(part) + (part.sheet.above?.length ?? 0)) * part.sheet.columns.length

/** Whether a workbook of these parts is small enough to be held in memory, as charts need. */
export async function canHaveCharts(parts: readonly Part[]): Promise<boolean> {
  const sheets = parts.filter(isSheet)
  const cells = sheets.reduce((sum, part) => sum + cellsIn(part), 0)
  if (cells > maxChartedCells) return false
  const files = sheets.flatMap(({ sheet: { rows } }) => ('path' in rows ? [rows.path] : []))
  const sizes = await Promise.all(files.map(async (path) => (await stat(path)).size))
  return sizes.reduce((sum, size) => sum + size, 0) <= maxChartedBytes
}

const chartsName = 'Charts'

/** Lines of the first sheet: the scope, what a reader must know, and every sheet, in the file or not. */
function contentsOf({ parts, facts, charts }: WholeReport): readonly ContentsLine[] {
  const { range, filters, compared } = facts
  const warnings = (known: readonly FigureFact[]) =>
    known.flatMap(({ mark, name, words }) => (mark === null ? [] : [`${name}: ${words}.`]))
  const rowsWords = (rows: number) => `${rows} ${rows === 1 ? 'row' : 'rows'}.`
  const chartsWords = charts
    ? 'One for the days and for the first rows of each table.'
    : `Not in this file: it has more than ${maxChartedCells.toLocaleString('en')} cells, or very long names.`
  return [
    ['Account', facts.account],
    ['Days', inFiles.days(range)],
    ['Compared with', compared ? comparedFact(compared) : 'Nothing'],
    ...filters.map(({ name, value }): ContentsLine => [name, value]),
    ...knownOf(facts).map(({ name, words }): ContentsLine => [name, words]),
    ['', ''],
    [chartsName, chartsWords],
    ...parts.map((part): ContentsLine =>
      part.kind === 'absent'
        ? [part.name, part.words]
        : [part.sheet.name, [rowsWords(rowsIn(part)), ...warnings(part.known), ...part.notes].join(' ')],
    ),
    ['About', 'Where the figures of each table come from.'],
  ]
}

/**
 * Writes a whole report: contents and charts first, then every sheet.
 * @param wrote called with the rows written, and the total
 */
export async function writeReport(
  writer: WritingThread,
  report: WholeReport,
  wrote: (done: number, total: number | null) => void,
): Promise<WriteSummary> {
  const sheets = report.parts.filter(isSheet)
  const names = [...(report.charts ? [chartsName] : []), ...sheets.map(({ sheet }) => sheet.name), 'About']
  const contents = contentsSheet(contentsOf(report), names)
  await writer.begin(contents)
  await writer.rows(contents.rows)
  if (report.charts)
    await writer.begin({ name: chartsName, kind: 'charts', columns: chartsColumns, facts: null })
  const total = sheets.reduce((sum, part) => sum + rowsIn(part), 0)
  let done = 0
  for (const part of sheets) {
    const { rows, ...sheet } = part.sheet
    await writer.begin(sheet)
    if ('path' in rows) await writer.pour(rows, (some) => wrote(done + some, total))
    else await writer.rows(rows)
    done += rowsIn(part)
    wrote(done, total)
  }
  return { rows: total, marks: report.marks }
}

const chartsColumns = [{ header: chartsName, kind: 'label', place: 0 }] as const
