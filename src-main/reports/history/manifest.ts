import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { readJson } from '#shared/values/schemas.ts'
import { publishedPath } from './publishable.ts'
import type { PublishableFile } from './publishable.ts'

/** Whose figures are published, as the manifest says it. */
export type PublishedAccount = {
  readonly name: string
  /** Where its service is; empty for sample data. */
  readonly address: string
  readonly owner: DataScopeId
}

/** The form of what is written here. */
const form = 1

const path = v.pipe(v.string(), v.regex(publishedPath))
const manifestEntry = v.looseObject({
  path,
  size: v.pipe(v.number(), v.integer(), v.minValue(0)),
  checksum: v.pipe(v.string(), v.regex(/^[0-9a-f]{8}$/)),
  schema: v.pipe(v.number(), v.integer(), v.minValue(0)),
  report: v.string(),
  days: v.pipe(
    v.array(v.looseObject({ day: v.string(), fetchedAt: v.pipe(v.string(), v.isoTimestamp()) })),
    v.minLength(1),
  ),
})
export type ManifestEntry = v.InferOutput<typeof manifestEntry>

/** What of a published folder has to be known again: its files by path, each of them whole, to be written as they were read. */
const manifest = v.pipe(
  v.object({
    form: v.literal(form),
    owner: v.string(),
    /** As ISO time; null where it never was published to the end. */
    publishedAt: v.nullable(v.string()),
    schemas: v.array(v.unknown()),
    files: v.array(manifestEntry),
    /** Files that this app may have put there and that are not to be read: being copied, or being removed. */
    pending: v.array(path),
  }),
  v.transform(({ files, ...rest }) => ({ ...rest, files: new Map(files.map((file) => [file.path, file])) })),
)
export type KnownManifest = v.InferOutput<typeof manifest>

/**
 * Reads a manifest.
 * @throws DeskFailure `invalid` where it is none of this version's: then nobody knows whose files lie there
 */
export function readManifest(text: string): KnownManifest {
  const read = readJson(manifest, text)
  if (read) return read
  throw invalid(
    "This version can't read the manifest.json in this folder. Choose another folder, or move the published files.",
  )
}

/** Files that are there already, and those of the history that are. */
type ManifestContent = {
  readonly account: PublishedAccount
  /** When, in milliseconds since 1970. */
  readonly instant: number
  readonly files: readonly PublishableFile[]
  /** Files of the manifest before that stay. */
  readonly retained: readonly ManifestEntry[]
  readonly before: KnownManifest | null
  readonly pending: readonly string[]
}

/** The manifest of these files, as text. */
export function writeManifest({
  account,
  instant,
  files,
  retained,
  before,
  pending,
}: ManifestContent): string {
  const schemas = new Schemas()
  const entries = [
    ...files.map((file) => entryOf(file, schemas)),
    ...retained.map((entry) => ({ ...entry, schema: schemas.placeOf(before?.schemas[entry.schema] ?? []) })),
  ]
  const publishedAt = isoTime(instant)
  return textOf({ account, publishedAt, entries, pending, schemas: schemas.list })
}

/** The manifest that stood there, of fewer files and with more that are not to be read. */
export function rewriteManifest(
  before: KnownManifest | null,
  content: Pick<ManifestContent, 'account' | 'pending'>,
): string {
  const pending = new Set(content.pending)
  const entries = [...(before?.files.values() ?? [])].filter((entry) => !pending.has(entry.path))
  return textOf({
    ...content,
    entries,
    publishedAt: before?.publishedAt ?? null,
    schemas: before?.schemas ?? [],
  })
}

function textOf(written: {
  readonly account: PublishedAccount
  readonly publishedAt: string | null
  readonly entries: readonly unknown[]
  readonly pending: readonly string[]
  readonly schemas: readonly unknown[]
}): string {
  const { account, publishedAt, entries, pending, schemas } = written
  const head = {
    form,
    account: account.name,
    origin: account.address === '' ? null : account.address,
    owner: account.owner,
    publishedAt,
    schemas,
    pending,
  }
  // A file a line: what changed between two of them can be seen.
  const lines = entries.map((entry) => `\n    ${JSON.stringify(entry)}`)
  return `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "files": [${lines.join(',')}\n  ]\n}\n`
}

function entryOf({ source, path: place, subject, columns, days }: PublishableFile, schemas: Schemas) {
  const rows = days.reduce((sum, day) => sum + day.rows, 0)
  return {
    path: place,
    size: source.size,
    checksum: source.checksum,
    ...subject,
    firstDay: days.map(({ day }) => day).reduce((one, other) => (one < other ? one : other)),
    lastDay: days.map(({ day }) => day).reduce((one, other) => (one > other ? one : other)),
    rows,
    fetchedAt: isoTime(Math.min(...days.map(({ fetchedAt }) => fetchedAt))),
    days: days.map((day) => ({ ...day, fetchedAt: isoTime(day.fetchedAt) })),
    schema: schemas.placeOf(columns),
  }
}

const isoTime = (time: number) => new Date(time).toISOString()

/** Lists of columns, each once. */
class Schemas {
  readonly list: unknown[] = []
  readonly #places = new Map<string, number>()

  placeOf(columns: unknown): number {
    const text = JSON.stringify(columns)
    const known = this.#places.get(text)
    if (known !== undefined) return known
    this.#places.set(text, this.list.length)
    this.list.push(columns)
    return this.list.length - 1
  }
}

/** What a published folder is to hold. */
export type ToPublish = {
  /** Files of the history that are to lie there. */
  readonly files: readonly PublishableFile[]
  /** Files that lie there and stay, though the history has them no more. */
  readonly retained: readonly ManifestEntry[]
  /** How many files of the history wait: they share days with one that stays, and no day may stand twice. */
  readonly heldBack: number
}

/**
 * Which published files stay. One goes only where others that are to lie there cover every one of its days of that report, with
 * figures as new or newer: what is removed, lost or let go here is not removed from a team.
 * @param published what lies there whole, as the manifest says it
 * @param now milliseconds since 1970; figures that claim to come from later are no newer than any others
 */
export function retainedBeside(
  published: readonly ManifestEntry[],
  publishable: readonly PublishableFile[],
  now: number,
): ToPublish {
  let files = publishable
  for (;;) {
    const times = new Map<string, number>()
    for (const { subject, days } of files)
      for (const { day, fetchedAt } of days) times.set(`${subject.report} ${day}`, fetchedAt)
    const isCovered = ({ report, days }: ManifestEntry) =>
      days.every(({ day, fetchedAt }) => {
        const time = Date.parse(fetchedAt)
        return (times.get(`${report} ${day}`) ?? -Infinity) >= (time > now ? 0 : time)
      })
    const paths = new Set(files.map(({ path }) => path))
    const retained = published.filter((entry) => !paths.has(entry.path) && !isCovered(entry))
    const taken = new Set(retained.flatMap(({ report, days }) => days.map(({ day }) => `${report} ${day}`)))
    const free = files.filter(
      ({ subject, days }) => !days.some(({ day }) => taken.has(`${subject.report} ${day}`)),
    )
    // One that waits covers nothing: what it would have replaced may have to stay too.
    if (free.length === files.length) return { files, retained, heldBack: publishable.length - files.length }
    files = free
  }
}
