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
 * Id of a stored table: sixteen random hexadecimal digits. A table that replaces another has a new id. An id never refers to another table,
 * not even in a rebuilt catalogue.
 */
export type TableId = string & { readonly __brand: 'TableId' }

/** Path of a file within the history folder, with `/` between folders. */
export type HistoryPath = string & { readonly __brand: 'HistoryPath' }

const pathForm =
  /^account=[0-9A-Za-z-]{1,100}\/report=[a-z-]+\/month=\d{4}-\d{2}\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/

/** Whether a path matches the app's own naming scheme. Other files are never read or deleted. */
export const isHistoryPath = (text: string): text is HistoryPath => pathForm.test(text)

/** A file with the rows of one or more stored tables. It never changes after it has its name. */
export type HistoryFile = {
  readonly path: HistoryPath
  /** Bytes. */
  readonly size: number
  /** CRC-32 of the file, as eight hexadecimal digits. */
  readonly checksum: string
  /** Number of tables that were written into the file. */
  readonly tables: number
}

/** Data scope and subject of a table (src-shared/reports/query.ts). */
export type TablePlace = { readonly dataScope: DataScopeId; readonly subject: string }

/** Folder of stored tables in a profile folder. */
export const historyFolder = (folder: string): string => join(folder, 'history')

/** Folder of a data scope's tables, within the history folder. */
export const dataScopeFolder = (dataScope: DataScopeId): string => `account=${dataScope}`

/** Data scope of the tables in a file. */
export const dataScopeIn = (path: HistoryPath): DataScopeId =>
  path.slice('account='.length, path.indexOf('/')) as DataScopeId

/** Path of a file before its checksum is known, without checksum and extension. */
export type HistoryStem = string & { readonly __brand: 'HistoryStem' }

/**
 * Path of a table's file: `account=…/report=script-browsers/month=2026-11/…`, in Hive partitions. The month is the one of its first day.
 * Filters of the subject are only in the file's metadata.
 */
export function historyStemOf(
  { dataScope, subject, range }: TablePlace & { readonly range: DayRange },
  id: TableId,
): HistoryStem {
  const report = subject.slice(0, subject.indexOf('?')).replaceAll(/[^a-z-]/g, '-')
  return `${dataScopeFolder(dataScope)}/report=${report}/month=${range.start.slice(0, 7)}/${id}` as HistoryStem
}

/** The checksum in the name shows damage without the catalogue. */
const pathOf = (stem: HistoryStem, checksum: string): HistoryPath =>
  `${stem}-${checksum}.parquet` as HistoryPath

export const isHistoryStem = (text: string): text is HistoryStem =>
  isHistoryPath(pathOf(text as HistoryStem, '00000000'))

/** Files of the history folder. */
export type HistoryFiles = ChecksummedFiles<HistoryPath, HistoryStem>
export const historyFiles = (folder: string): HistoryFiles =>
  new ChecksummedFiles(folder, { isPath: isHistoryPath, isStem: isHistoryStem, pathOf })

export const newTableId = (): TableId => randomBytes(8).toString('hex') as TableId

/** Metadata key of the entries in a file. */
export const entriesKey = 'traffic_desk'

/** Version of the format. Entries of other versions are not read. */
const form = 1

/** Serialises the entries of a file. */
export const writeEntries = (entries: readonly TableEntry[]): string =>
  JSON.stringify({
    form,
    tables: entries.map(({ id, dataScope: owner, ...entry }) => ({ id, owner, ...entry })),
  })

const count = v.pipe(v.number(), v.integer(), v.minValue(0))

const entry = v.pipe(
  v.object({
    id: branded<TableId>(v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/))),
    /** Data scope of the figures. The key keeps its first name, because files of all versions have it and never change. */
    owner: branded<DataScopeId>(v.pipe(v.string(), v.regex(/^[0-9A-Za-z-]{1,100}$/))),
    /** Subject of the figures (src-shared/reports/query.ts). */
    subject: v.string(),
    range: v.pipe(
      v.object({ start: day, end: day }),
      v.check(({ start, end }) => start <= end),
    ),
    fetchedAt: v.pipe(count, instant),
    /** False if only totals are stored. */
    whole: v.boolean(),
    rows: count,
    /** Reason why the rows do not add up; null if they do. */
    doubt: v.nullable(v.picklist(doubts)),
    head: v.string(),
  }),
  v.transform(({ owner: dataScope, ...rest }) => ({ dataScope, ...rest })),
)

/** Description of a table in a file. A lost catalogue is rebuilt from these entries. */
export type TableEntry = Readonly<v.InferOutput<typeof entry>>

const fileSchema = v.object({ form: v.literal(form), tables: v.pipe(v.array(entry), v.minLength(1)) })

/** Parses the entries of a file. Returns undefined if they are not the app's own. */
export const readEntries = (text: string): readonly TableEntry[] | undefined =>
  readJson(fileSchema, text)?.tables

/** The counts that the specification names. */
const standard: ReadonlySet<string> = new Set(Object.values(families).flatMap(({ counts }) => counts))

/** Replaces other characters by their code points: engines ignore case and punctuation in names. */
const escapeHeader = (header: string) =>
  [...header]
    .map((letter) =>
      /[A-Z0-9]/.test(letter) ? letter.toLowerCase() : `_${letter.codePointAt(0)?.toString(16)}_`,
    )
    .join('')

/**
 * Column name of a header in a file, for any engine: `non_suspect`; `rule_ue` for columns that a service adds to a table with rule sets;
 * `extra_…` for columns that it adds to other tables. Each header has a different name.
 */
export function columnName(header: string, rules: boolean): string {
  if (standard.has(header)) return header.toLowerCase().replaceAll(/[^a-z0-9]/g, '_')
  return `${rules ? 'rule' : 'extra'}_${escapeHeader(header)}`
}

/** Column name of a total in the file of an overview. `day` and `days` are the app's own columns. */
export const totalColumnName = (name: string): string =>
  /^(?!days?$)[a-z]+$/.test(name) ? name : columnName(name, false)

/** A column of counts in a file. */
export type CountColumn = {
  /** Header of the service. */
  readonly header: string
  /** Name in the file (columnName). */
  readonly name: string
  /** Integers that a double holds exactly, or any numbers. */
  readonly type: 'integer' | 'number'
  /** Whether the column also has texts, which are stored in a column `<name>_text`. */
  readonly texts: boolean
}

/** Stored properties of a table besides its rows. An overview has neither headers nor an aggregate row. */
export type Head = {
  /** Header of the label, then headers of the columns, without rates. */
  readonly headers: readonly string[]
  readonly all: TableRow | null
  readonly total: Totals
  /** Columns of the rows in the file; empty for an overview, or if only totals are stored. */
  readonly columns: readonly CountColumn[]
  /** Whether every row label is a text, as in all tables except those of instances. */
  readonly plain: boolean
  /** Whether the engine may lower-case a name differently from the app. Missing in older tables. */
  readonly folded?: boolean
  /** Number of requested and of all parts; only for a composed table. */
  readonly composed?: Composed
}

/** Version of heads. Heads of other versions are not read. */
const headForm = 3

/** Serialises a head. */
export function writeHead({ all, total, composed, ...head }: Head): string {
  const aggregate = all && { name: all.label.kind === 'all' ? all.label.name : null, cells: all.cells }
  // As pairs: a total named like "constructor" has no special meaning to a reader.
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

/** Maximum size of the cache: the days of several years. */
const maxHeadsKnown = 2_000
/** Parsed heads by text. Every query over a year reads the same heads. */
const headsKnown = new Map<string, Head | undefined>()

/** Parses a stored head. Returns undefined if the text is not a head. */
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
