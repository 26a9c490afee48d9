import { execFileSync } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import * as v from 'valibot'
import { onTestFinished } from 'vitest'
import { compactMonth } from '#main/reports/history/compacting.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import type { HistoryContext } from '#main/reports/history/history-context.ts'
import { History } from '#main/reports/history/history.ts'
import { publishHistory } from '#main/publishing/publishing.ts'
import type { PublishingOrder } from '#main/publishing/publishing.ts'
import type { PublishingContext } from '#main/publishing/publishing-context.ts'
import { defaultTimeouts } from '#main/publishing/team-folder.ts'
import type { StepTimeouts } from '#main/publishing/team-folder.ts'
import { fake } from '#test/helpers/fake.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import type { Store } from '#main/database/open-store.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { plainTable, subjectOf } from '#shared/reports/query.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import type { Cell, TableRow } from '#shared/api/answers.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { localStore, temporaryFolder } from '#test/src-main/database/helpers.ts'
import { withDataScopes } from '#test/helpers/with-data-scopes.ts'
import { accountsOfScope } from '../reports/history/history-over.ts'

export const dataScope = 'scope-1' as DataScopeId
export const account = { name: 'Kestrel Media', address: 'https://reports.kestrel.example', dataScope }
export const firstDay = day('2026-10-25')

export const oneDay = (number: number): DayRange => {
  const start = addDays(firstDay, number)
  return { start, end: start }
}

/** Browsers of the script family, with these filters. */
export const query = (changes: Partial<TableQuery> = {}): TableQuery => ({
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: oneDay(0),
  ...changes,
})

/** A day of some browsers: all counts of a row are `count`, or more the further down it stands. */
export const browsers = (count: number, names: readonly string[] = ['Firefox', 'Chrome', 'Ünïcode “x”']) =>
  names.map((text, row): TableRow => ({
    label: { kind: 'text', text },
    cells: headersOf('script', 'browsers')
      .slice(1)
      .map((_, place): Cell => (place === 5 ? null : count + row + place)),
  }))

/** A history with a real store and engine, and a share to publish it on. */
export class TeamShare {
  readonly store: Store
  readonly history: History
  readonly historyFolder: string
  readonly profile: string
  readonly share: string
  readonly engine: Engine
  readonly #context: HistoryContext

  constructor(engine: Engine, historyFolder: string, share = temporaryFolder(), events = new AppEvents()) {
    this.engine = engine
    this.historyFolder = historyFolder
    this.profile = temporaryFolder()
    this.share = share
    this.store = withDataScopes(localStore(this.profile), dataScope, 'scope-2' as DataScopeId)
    const accounts = accountsOfScope(dataScope, () => null)
    this.#context = { store: this.store, engine, accounts, events, historyFolder }
    this.history = new History(this.#context)
  }

  /** Keeps a whole table. */
  async keep(of: TableQuery, rows: readonly TableRow[], fetchedAt = 1_000, whose = dataScope): Promise<void> {
    await this.history.save({
      ...{ dataScope: whose, subject: subjectOf(of), range: of.range, doubt: null, term: 0 },
      headers: headersOf(of.family, of.dimension),
      all: null,
      total: {},
      rows: [rows],
      fetchedAt: fetchedAt as Instant,
    })
  }

  /** Keeps the totals of a day. */
  async storeTotals(number: number, suspect: number, fetchedAt = 2_000): Promise<void> {
    await this.history.save({
      ...{ dataScope, subject: 'direct/overview?', range: oneDay(number), doubt: null, term: 0 },
      ...{ headers: [], all: null, rows: null },
      total: { suspect, nonsuspect: 10, mobile: null },
      fetchedAt: fetchedAt as Instant,
    })
  }

  async compact(of: TableQuery, month: string): Promise<void> {
    const place = { dataScope, subject: subjectOf(of), month }
    const remove = async (): Promise<void> => undefined
    await compactMonth(this.#context, place, () => true, remove)
  }

  async publish(
    changes: Partial<PublishingOrder> = {},
    { store = this.store, timeouts = defaultTimeouts }: { store?: Store; timeouts?: StepTimeouts } = {},
  ) {
    const clock = { now: () => Date.parse('2026-11-22T12:00:00Z'), wait: () => Promise.resolve() }
    const { historyFolder, profile: profileFolder } = this
    return await publishHistory(
      fake<PublishingContext>('publishing', { store, clock, historyFolder, profileFolder, timeouts }),
      {
        account,
        folder: this.share,
        directory: 'account=Kestrel-Media',
        thorough: false,
        expected: false,
        removing: false,
        signal: new AbortController().signal,
        progress: () => undefined,
        ...changes,
      },
    )
  }

  get place(): string {
    return join(this.share, 'traffic-desk-history', 'account=Kestrel-Media')
  }

  manifest() {
    return readManifestIn(this.place)
  }

  /** Every file that is there, the manifest apart, by path. */
  files(): string[] {
    return filesIn(this.place).filter((path) => path !== 'manifest.json')
  }
}

export const filesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()

const manifest = v.object({
  form: v.literal(1),
  account: v.string(),
  origin: v.nullable(v.string()),
  owner: v.string(),
  publishedAt: v.nullable(v.pipe(v.string(), v.isoTimestamp())),
  schemas: v.array(v.array(v.object({ name: v.string(), type: v.string(), header: v.nullable(v.string()) }))),
  pending: v.array(v.string()),
  files: v.array(
    v.object({
      path: v.string(),
      size: v.number(),
      checksum: v.string(),
      report: v.string(),
      words: v.string(),
      filters: v.record(v.string(), v.string()),
      ruleSets: v.boolean(),
      firstDay: v.string(),
      lastDay: v.string(),
      rows: v.number(),
      fetchedAt: v.pipe(v.string(), v.isoTimestamp()),
      days: v.array(v.object({ day: v.string(), rows: v.number(), fetchedAt: v.string(), doubt: v.any() })),
      schema: v.number(),
    }),
  ),
})

export const readManifestIn = (place: string) =>
  v.parse(manifest, JSON.parse(readFileSync(join(place, 'manifest.json'), 'utf8')))

/** What is wrong with a published folder: files that the manifest names and that are not there whole; days named twice. */
export function faultsOf(place: string): string[] {
  const { files, pending } = readManifestIn(place)
  const days = files.flatMap((file) => file.days.map((each) => `${file.report} ${each.day}`))
  return [
    ...files.flatMap(({ path, size, checksum }) => {
      const bytes = readFileSync(join(place, path))
      return bytes.length === size && crc32(bytes).toString(16).padStart(8, '0') === checksum
        ? []
        : [`${path} is not whole`]
    }),
    ...files.filter(({ path }) => pending.includes(path)).map(({ path }) => `${path} is named twice`),
    ...days.filter((each, place) => days.indexOf(each) !== place).map((each) => `${each} stands twice`),
  ]
}

export const inodeOf = (path: string) => statSync(path, { bigint: true }).ino

export function makeFolder(path: string): string {
  mkdirSync(path, { recursive: true })
  return path
}

/**
 * Puts a file at a path whose reading does not end, on a slow machine as on a fast one: a pipe that is open for writing and
 * stays empty. To open it takes no longer than to open any file.
 * @returns ends it, and what reads it; the end of the test does so too
 */
export function endlessFile(path: string): () => void {
  rmSync(path, { force: true })
  execFileSync('mkfifo', [path])
  let writer: number | undefined = openSync(path, 'r+')
  const end = () => {
    if (writer !== undefined) closeSync(writer)
    writer = undefined
  }
  onTestFinished(end)
  return end
}
