import * as v from 'valibot'
import { invalid } from '#shared/api/failure.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { readJson } from '#shared/values/schemas.ts'
import { publishedPath } from '#main/reports/history/publishable.ts'
import type { PublishableFile } from '#main/reports/history/publishable.ts'

/** The account as identified in the manifest. */
export type PublishedAccount = {
  readonly name: string
  /** Address of the service; empty for sample data. */
  readonly address: string
  readonly dataScope: DataScopeId
}

/** Version of the manifest format. */
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

/** The parts of a manifest that are read. Unknown fields of files are retained and written again. */
const manifest = v.pipe(
  v.object({
    form: v.literal(form),
    /** Data scope of the files. The key keeps its first name, because other tools read it (docs/team-history.md). */
    owner: v.string(),
    /** ISO 8601 time; null if publishing was never completed. */
    publishedAt: v.nullable(v.string()),
    schemas: v.array(v.unknown()),
    files: v.array(manifestEntry),
    /** Files that this app may have written and that must not be read: being copied or removed. */
    pending: v.array(path),
  }),
  v.transform(({ owner: dataScope, files, ...rest }) => ({
    ...{ ...rest, dataScope },
    files: new Map(files.map((file) => [file.path, file])),
  })),
)
export type KnownManifest = v.InferOutput<typeof manifest>

/** Parses a manifest. @throws DeskFailure `invalid` if the format is unknown, because the files' data scope is unknown too */
export function readManifest(text: string): KnownManifest {
  const read = readJson(manifest, text)
  if (read) return read
  throw invalid(
    "This version can't read the manifest.json in this folder. Choose another folder, or move the published files.",
  )
}

type ManifestContent = {
  readonly account: PublishedAccount
  /** Time of publishing, in milliseconds since 1970. */
  readonly instant: number
  readonly files: readonly PublishableFile[]
  /** Files of the previous manifest that stay. */
  readonly retained: readonly ManifestEntry[]
  readonly before: KnownManifest | null
  readonly pending: readonly string[]
}

/** Serializes the manifest of these files. */
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

/** Serializes the previous manifest with other pending files, which are removed from its list. */
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
    owner: account.dataScope,
    publishedAt,
    schemas,
    pending,
  }
  // One file per line, for readable diffs.
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

/** Lists of columns without duplicates. */
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

/** Intended content of a published folder. */
export type ToPublish = {
  /** Files of the local history. */
  readonly files: readonly PublishableFile[]
  /** Published files that stay although they are not in the local history any more. */
  readonly retained: readonly ManifestEntry[]
  /** Number of local files that are held back because they share days with a retained file. No day may be published twice. */
  readonly heldBack: number
}

/**
 * Decides which published files stay. A file is removed only if others cover each of its days with figures at least as new.
 * Deleting or losing a local file never removes it from the team's folder.
 * @param published complete published files, from the manifest
 * @param now milliseconds since 1970; figures from the future never count as newer
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
    // A file that is held back covers nothing, so more published files may have to stay.
    if (free.length === files.length) return { files, retained, heldBack: publishable.length - files.length }
    files = free
  }
}
