import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { ChecksummedFiles } from './checksummed-files.ts'
import * as v from 'valibot'
import type { Composed } from '#shared/reports/answer.ts'
import type { Cell, TableRow, Totals } from '#shared/api/answers.ts'
import { families } from '#shared/api/dimensions.ts'
import { doubts } from '#shared/reports/answer.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { day, branded, instant, readJson } from '#shared/values/schemas.ts'

/**
 * Names one kept table, as it was fetched: what replaces it has another id. Drawn at random, so that an id never comes to
 * mean another table, not even in a catalogue that was begun anew. Sixteen hexadecimal digits.
 */
export type TableId = string & { readonly __brand: 'TableId' }

/** A file of the history folder, by its path in there, with `/` between folders. */
export type HistoryPath = string & { readonly __brand: 'HistoryPath' }

const pathForm =
  /^account=[0-9A-Za-z-]{1,100}\/report=[a-z-]+\/month=\d{4}-\d{2}\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/

/** Whether a text is the path of a file that we write. Nothing else is read, and above all nothing else deleted. */
export const isHistoryPath = (text: string): text is HistoryPath => pathForm.test(text)

/** A file that holds the rows of one or more kept tables. It is never changed once it has its name. */
export type HistoryFile = {
  readonly path: HistoryPath
  /** In bytes. */
  readonly size: number
  /** CRC-32 of all its bytes, as eight hexadecimal digits. */
  readonly checksum: string
  /** How many tables were written into it. */
  readonly tables: number
}

/** Whose and of what a table is (src-shared/reports/query.ts). */
export type TablePlace = { readonly owner: DataScopeId; readonly subject: string }

/** Where kept tables lie in a profile folder. */
export const historyFolder = (folder: string): string => join(folder, 'history')

/** The folder of a data scope's tables, within the history folder. */
export const ownerFolder = (owner: DataScopeId): string => `account=${owner}`

/** Whose tables lie in a file. */
export const ownerIn = (path: HistoryPath): DataScopeId =>
  path.slice('account='.length, path.indexOf('/')) as DataScopeId

/** The path of a file that is being written, without its end: that is known once all of it is written. */
export type HistoryStem = string & { readonly __brand: 'HistoryStem' }

/**
 * Where a table's file lies: `account=…/report=script-browsers/month=2026-11/…`, partitioned as engines know it. The month
 * is that of its first day; whatever a subject is limited to is told by the file itself.
 */
export function stemOf(
  { owner, subject, range }: TablePlace & { readonly range: DayRange },
  id: TableId,
): HistoryStem {
  const report = subject.slice(0, subject.indexOf('?')).replaceAll(/[^a-z-]/g, '-')
  return `${ownerFolder(owner)}/report=${report}/month=${range.start.slice(0, 7)}/${id}` as HistoryStem
}

/** A file's path: its checksum is in its name, so that damage shows without the catalogue. */
const pathOf = (stem: HistoryStem, checksum: string): HistoryPath =>
  `${stem}-${checksum}.parquet` as HistoryPath

export const isHistoryStem = (text: string): text is HistoryStem =>
  isHistoryPath(pathOf(text as HistoryStem, '00000000'))

/** Files of the history folder. */
export type HistoryFiles = ChecksummedFiles<HistoryPath, HistoryStem>
export const historyFiles = (folder: string): HistoryFiles =>
  new ChecksummedFiles(folder, { isPath: isHistoryPath, isStem: isHistoryStem, pathOf })

export const newTableId = (): TableId => randomBytes(8).toString('hex') as TableId

/** The key of a file's own metadata under which its entries stand. */
export const entriesKey = 'traffic_desk'

/** The form of what is written here: entries of another form are not read. */
const form = 1

export const writeEntries = (entries: readonly Entry[]): string => JSON.stringify({ form, tables: entries })

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const entry = v.object({
  id: branded<TableId>(v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/))),
  /** Whose figures they are. */
  owner: branded<DataScopeId>(v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{1,100}$/))),
  /** What they are about (src-shared/reports/query.ts). */
  subject: v.string(),
  range: v.pipe(
    v.object({ start: day, end: day }),
    v.check(({ start, end }) => start <= end),
  ),
  fetchedAt: v.pipe(count, instant),
  /** False where totals alone are kept. */
  whole: v.boolean(),
  rows: count,
  /** Why its rows do not add up; null where they do. */
  doubt: v.nullable(v.picklist(doubts)),
  head: v.string(),
})

/** What a file says of each table in it, so that a lost catalogue can be made anew from the files alone. */
export type Entry = Readonly<v.InferOutput<typeof entry>>

const written = v.object({ form: v.literal(form), tables: v.pipe(v.array(entry), v.minLength(1)) })

/** Reads what a file says of itself; undefined where that is not ours. */
export const readEntries = (text: string): readonly Entry[] | undefined => readJson(written, text)?.tables

/** The counts that the specification names. */
const standard: ReadonlySet<string> = new Set(Object.values(families).flatMap(({ counts }) => counts))

/** Every other letter by its number: engines tell names apart neither by case nor by what is no letter. */
const escaped = (header: string) =>
  [...header]
    .map((letter) =>
      /[A-Z0-9]/.test(letter) ? letter.toLowerCase() : `_${letter.codePointAt(0)?.toString(16)}_`,
    )
    .join('')

/**
 * What the column of a header is called in a file, for any engine to read: `non_suspect`; `rule_ue` for what a service adds
 * to a table with rule sets, `extra_…` for what it adds to others. No two headers have one name.
 */
export function columnName(header: string, rules: boolean): string {
  if (standard.has(header)) return header.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')
  return `${rules ? 'rule' : 'extra'}_${escaped(header)}`
}

/** What the column of a total is called in the file of an overview, where `day` and `days` are the desk's own. */
export const totalColumnName = (name: string): string =>
  /^(?!days?$)[a-z]+$/.test(name) ? name : columnName(name, false)

/** A column of counts in a file. */
export type StoredColumn = {
  /** As the service calls it. */
  readonly header: string
  /** As it is called in the file (columnName). */
  readonly name: string
  /** Whole numbers that a double holds exactly, or any. */
  readonly type: 'integer' | 'number'
  /** Whether texts stand in it too: they have a column of their own, of this name with `_text` behind it. */
  readonly texts: boolean
}

/** What is kept of a table beside its rows. An overview has neither headers nor an aggregate row. */
export type Head = {
  /** The label's first, then those of the columns; rates are not among them. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Of the rows in the file; none of an overview, or where totals alone are kept. */
  readonly columns: readonly StoredColumn[]
  /** Whether every row is named by a text, as in all tables but those of instances. */
  readonly plain: boolean
  /** Whether the engine may put a name into lower case otherwise than we do; older tables do not say it. */
  readonly folded?: boolean
  /** How much of what it is composed of was asked; only of a composed table. */
  readonly composed?: Composed
}

/** The form of heads that are written here: those of another are not read. */
const headForm = 3

/** A head as text. */
export function writeHead({ all, total, composed, ...head }: Head): string {
  const aggregate = all && { name: all.label.kind === 'all' ? all.label.name : null, cells: all.cells }
  // As pairs: no name of a total, such as "constructor", means anything to whoever reads it.
  return JSON.stringify({
    ...{ form: headForm, ...head, all: aggregate, total: Object.entries(total) },
    ...(composed && { composed: { asked: composed.requested, of: composed.total } }),
  })
}

const finite = v.pipe(v.number(), v.finite())
const cell = v.nullable(v.union([finite, v.string()]))
const storedName = v.pipe(v.string(), v.regex(/^[a-z][a-z0-9_]*$/))
const headSchema = v.object({
  form: v.literal(headForm),
  headers: v.array(v.string()),
  all: v.nullable(v.object({ name: v.nullable(v.string()), cells: v.array(cell) })),
  total: v.array(v.tuple([v.string(), cell])),
  columns: v.array(
    v.object({
      header: v.string(),
      name: storedName,
      type: v.picklist(['integer', 'number']),
      texts: v.boolean(),
    }),
  ),
  plain: v.boolean(),
  folded: v.exactOptional(v.boolean()),
  composed: v.exactOptional(
    v.pipe(
      v.object({ asked: finite, of: finite }),
      v.transform(({ asked: requested, of: count }): Composed => ({ requested, total: count })),
    ),
  ),
})

/** Of several years' days. */
const maxHeadsKnown = 2_000
/** Every question about a year reads the same heads. */
const headsKnown = new Map<string, Head | undefined>()

/** Reads a head from the disk; undefined where it is none. */
export function readHead(text: string): Head | undefined {
  if (headsKnown.has(text)) return headsKnown.get(text)
  if (headsKnown.size >= maxHeadsKnown) headsKnown.clear()
  const head = headIn(text)
  headsKnown.set(text, head)
  return head
}

function headIn(text: string): Head | undefined {
  const read = readJson(headSchema, text)
  if (!read) return undefined
  const { headers, all, total, columns, plain, folded, composed } = read
  if (all && all.cells.length !== headers.length - 1) return undefined
  const cells: readonly Cell[] = all?.cells ?? []
  return {
    headers,
    all: all && { label: { kind: 'all', name: all.name }, cells },
    total: Object.fromEntries(total),
    columns,
    plain,
    ...(folded !== undefined && { folded }),
    ...(composed && { composed }),
  }
}
