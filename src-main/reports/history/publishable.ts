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
  /** As the service calls it; null for a column of the desk's own. */
  readonly header: string | null
}

/** What the tables of a file are about. */
type PublishedSubject = {
  /** The value of the partition column `report`: one for each subject, so that whoever asks for one counts nothing twice. */
  readonly report: string
  /** "Script by browser, instance 7". */
  readonly words: string
  /** By the service's names of parameters. */
  readonly filters: Readonly<Record<string, string>>
  /** Whether it has columns of rule sets. */
  readonly ruleSets: boolean
}

/** A file of the history that can be published as it is. */
export type PublishableFile = {
  /** Where it lies in the history folder. */
  readonly source: HistoryFile
  /** Where it belongs in the account's published folder, with `/` between folders. */
  readonly path: string
  readonly subject: PublishedSubject
  readonly columns: readonly PublishedColumn[]
  readonly days: readonly PublishedDay[]
}

type PublishedDay = {
  readonly day: Day
  readonly rows: number
  readonly fetchedAt: Instant
  /** Why its rows do not add up; null where they do. */
  readonly doubt: Doubt | null
}

/** What a path that this app publishes looks like: nothing else is ever removed. */
export const publishedPath =
  /^report=[a-z0-9][a-z0-9_.-]*\/month=\d{4}-\d{2}\/[0-9a-f]{16}-[0-9a-f]{8}\.parquet$/

type Publishable = {
  readonly files: readonly PublishableFile[]
  /** Files of single days of which one is not valid any more: written anew without it, they can be published. */
  readonly toRewrite: readonly (readonly TableInFile[])[]
}

/**
 * The files that hold single days alone, each still valid: whole tables, and the totals of overviews. Totals alone of a table
 * tell less than its rows, and a span of days cannot be told apart from the days in it: neither is published.
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

/** Undefined where a file holds something else than single days of one subject. */
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
    // The totals of a day are a row of the file.
    rows: whole ? rows : 1,
  }))
  return { source: first.file, path, subject, columns, days }
}

const filterWords: Readonly<Record<string, string>> = {
  instance: 'instance',
  source: 'source',
  campaign: 'campaign',
}

/** What a subject (src-shared/reports/query.ts) is called outside; undefined where it is none that this version knows. */
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

/** A value of a filter as part of a folder's name. Whatever had to be changed for that is told apart by a mark of its own. */
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

/** The columns of a file, in their order (engine/table-writing.ts). */
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
