import { createHash } from 'node:crypto'
import * as v from 'valibot'
import type { Doubt } from '#shared/reports/answer.ts'
import { dimensionEntry, dimensionNames, reportName, familyNames } from '#shared/api/dimensions.ts'
import type { Day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { readJson } from '#shared/values/schemas.ts'
import type { TableInFile } from '#main/database/cache/catalogue-files.ts'
import type { HistoryFile } from '#main/analytics/history-layout.ts'
import { totalColumnName } from '#main/analytics/history-layout.ts'

/** A column of a published file. */
type PublishedColumn = {
  readonly name: string
  readonly type: 'date' | 'text' | 'integer' | 'number'
  /** Header of the service; null for a column that the app adds. */
  readonly header: string | null
}

/** Subject of a file's tables. */
type PublishedSubject = {
  /** Value of the partition column `report`, unique per subject, so that a reader of one report counts nothing twice. */
  readonly report: string
  /** For example "Script by browser, instance 7". */
  readonly words: string
  /** By the service's parameter names. */
  readonly filters: Readonly<Record<string, string>>
  /** Whether the tables have rule-set columns. */
  readonly ruleSets: boolean
}

/** A file of the history that can be published unchanged. */
export type PublishableFile = {
  /** File in the history folder. */
  readonly source: HistoryFile
  /** Path in the account's published folder, with `/` as separator. */
  readonly path: string
  readonly subject: PublishedSubject
  readonly columns: readonly PublishedColumn[]
  readonly days: readonly PublishedDay[]
}

type PublishedDay = {
  readonly day: Day
  readonly rows: number
  readonly fetchedAt: Instant
  /** Why the rows do not add up; null if they do. */
  readonly doubt: Doubt | null
}

/** Pattern of published paths. Other files are never removed. */
export const publishedPath =
  /^report=[a-z0-9][a-z0-9_.-]*\/month=\d{4}-\d{2}\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/

type Publishable = {
  readonly files: readonly PublishableFile[]
  /** Tables of files in which some days were replaced. After a rewrite without those, the files can be published. */
  readonly toRewrite: readonly (readonly TableInFile[])[]
}

/**
 * Selects the files that contain only single, current days: whole tables, or totals of overviews. Tables of several days
 * overlap with those and are not published. Nor are totals of a table without its rows.
 */
export function publishableOf(tables: readonly TableInFile[]): Publishable {
  const files = new Map<string, TableInFile[]>()
  for (const table of tables) {
    const known = files.get(table.file.path)
    if (known) known.push(table)
    else files.set(table.file.path, [table])
  }
  const taken = new Set<string>()
  const found: PublishableFile[] = []
  const toRewrite: TableInFile[][] = []
  for (const inFile of files.values()) {
    const file = publishableFile(inFile)
    if (!file) continue
    const days = inFile.map(({ subject, range }) => `${range.start} ${subject}`)
    if (inFile.length < file.source.tables) toRewrite.push(inFile)
    else if (!days.some((day) => taken.has(day))) {
      for (const day of days) taken.add(day)
      found.push(file)
    }
  }
  return { files: found, toRewrite }
}

/** Undefined if the file contains anything but single days of one subject. */
function publishableFile(tables: readonly TableInFile[]): PublishableFile | undefined {
  const [first] = tables
  const subject = first && subjectFrom(first.subject)
  const columns = first && columnsFrom(first)
  if (!first || !subject || !columns) return undefined
  const isOverview = first.subject.split('?')[0]?.endsWith('/overview')
  const isDaily = ({ range, ...table }: TableInFile) =>
    range.start === range.end && table.subject === first.subject && table.whole === !isOverview
  if (!tables.every(isDaily)) return undefined
  const name = first.file.path.slice(first.file.path.lastIndexOf('/') + 1)
  const path = `report=${subject.report}/month=${first.range.start.slice(0, 7)}/${name}`
  if (!publishedPath.test(path)) return undefined
  const days = tables.map(({ range, fetchedAt, doubt, whole, rows }) => ({
    ...{ day: range.start, fetchedAt, doubt },
    // The totals of a day are one row of the file.
    rows: whole ? rows : 1,
  }))
  return { source: first.file, path, subject, columns, days }
}

const filterWords: Readonly<Record<string, string>> = {
  instance: 'instance',
  source: 'source',
  campaign: 'campaign',
}

/**
 * Describes a subject (src-shared/reports/query.ts) for readers of published files; undefined if this version does not know it.
 */
export function subjectFrom(text: string): PublishedSubject | undefined {
  const [path = '', query = ''] = text.split('?')
  const [familyName, dimensionName] = path.split('/')
  const family = familyNames.find((item) => item === familyName)
  const dimension = dimensionNames.find((item) => item === dimensionName)
  if (!family || (!dimension && dimensionName !== 'overview')) return undefined
  const written = new URLSearchParams(query)
  const ruleSets = written.get('rules') === '1'
  written.delete('rules')
  const filters = Object.fromEntries(written)
  const known: Readonly<Record<string, { readonly words: string }>> = dimension
    ? dimensionEntry(dimension).filters
    : {}
  const parts = Object.entries(filters).map(
    ([name, value]) => `${filterWords[name] ?? known[name]?.words.toLowerCase() ?? name} “${value}”`,
  )
  return {
    report: [
      path.replaceAll('/', '-'),
      ...Object.entries(filters).map(([name, value]) => `${name}-${safeValue(value)}`),
      ...(ruleSets ? ['rule-sets'] : []),
    ].join('.'),
    words: [reportName(family, dimension), ...parts, ...(ruleSets ? ['with rule sets'] : [])].join(', '),
    filters,
    ruleSets,
  }
}

/** Converts a filter's value to a part of a folder name. A hash distinguishes values that had to be changed. */
function safeValue(value: string): string {
  if (/^[a-z0-9_]{1,40}$/.test(value)) return value
  const readable = value
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 40)
  const mark = createHash('sha256').update(value).digest('hex').slice(0, 8)
  return readable === '' ? mark : `${readable}-${mark}`
}

const storedColumns = v.array(
  v.object({
    header: v.string(),
    name: v.string(),
    type: v.picklist(['integer', 'number']),
    texts: v.boolean(),
  }),
)

const own = (name: string, type: PublishedColumn['type']): PublishedColumn => ({ name, type, header: null })
const ofDays = [own('day', 'date'), own('days', 'integer')]

/** Columns of a file, in order (engine/table-writing.ts). */
function columnsFrom({
  whole,
  labelHeader,
  columns,
  totals,
}: TableInFile): readonly PublishedColumn[] | undefined {
  if (!whole) {
    const counts = readJson(v.array(v.string()), totals)?.map(
      (name) => ({ name: totalColumnName(name), type: 'integer', header: name }) as const,
    )
    return counts && [...ofDays, ...counts]
  }
  const counts = readJson(storedColumns, columns)?.flatMap(
    ({ name, type, header, texts }): PublishedColumn[] => [
      { name, type, header },
      ...(texts ? [{ name: `${name}_text`, type: 'text', header } as const] : []),
    ],
  )
  const label = { name: 'label', type: 'text', header: labelHeader } as const
  return (
    counts && [
      ...ofDays,
      own('kind', 'text'),
      label,
      own('label_id', 'text'),
      own('folded', 'text'),
      ...counts,
    ]
  )
}
