import { usualSettings } from '#shared/app/settings.ts'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Accounts } from '#main/accounts/accounts.ts'
import { Exports } from '#main/exports/exports.ts'
import type { ExportsContext } from '#main/exports/exports-context.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { Jobs } from '#main/lib/jobs.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { TableReport } from '#shared/reports/answer.ts'
import { serveWriting } from '#main/exports/writing.ts'
import type { OpenWriter } from '#main/exports/writing-thread.ts'
import { writersThread } from '#main/exports/writing-thread.ts'
import { inProcessChannel } from '#main/workers/rpc-client.ts'
import { systemClock } from '#main/lib/async.ts'
import type { SystemShell } from '#main/lib/system-shell.ts'
import type { Reports } from '#main/reports/reports.ts'
import type { Settings } from '#main/settings/settings.ts'
import type { Account } from '#shared/accounts/account.ts'
import { noWindows } from '#shared/accounts/account.ts'
import type { ExportOrder } from '#shared/exports/order.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableRow } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import type { AccountId, Instant } from '#shared/values/ids.ts'
import { columnsFor } from '#shared/exports/columns.ts'
import { eventsTo } from '#test/helpers/app-events.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { fake } from '#test/helpers/fake.ts'

export const account: Account = {
  id: '11111111-1111-4111-8111-111111111111' as AccountId,
  name: 'Kestrel Media',
  kind: 'service',
  address: 'https://reports.kestrel.example',
  bodyEncoding: 'json',
  dayZone: 'UTC',
  windows: noWindows,
  firstColumn: null,
}

/** Of an account that sees the same all the time. */
export const ownBook = fake<Accounts>('accounts', {
  account: () => account,
  standingOf: () => 'as ever',
})

export const query: TableQuery = {
  ...plainTable,
  family: 'script',
  dimension: 'browsers',
  range: { start: day('2026-11-13'), end: day('2026-11-19') },
}

export const headers = ['Browser', 'Requests', 'Responses', 'Good', 'Warning', 'Bad', 'Mobile', 'Ad Blocker']

export const textRow = (text: string, ...cells: TableRow['cells']): TableRow => ({
  label: { kind: 'text', text },
  cells,
})

export const provenance: Provenance = {
  from: 'computed',
  fetchedAt: Date.parse('2026-11-20T09:14:00Z') as Instant,
  refreshing: false,
  failure: null,
  missing: [],
  doubt: null,
  restated: null,
}

export type Made = {
  readonly headers?: readonly string[]
  readonly rows: readonly TableRow[]
  readonly all?: TableRow | null
  readonly ratesBy?: TableReport['ratesBy']
  readonly provenance?: Partial<Provenance>
}

/** The page of a made-up table that a query asks for. */
export function pageOf(asked: TableQuery, made: Made): TableReport {
  const first = (asked.page - 1) * asked.limit
  return {
    kind: 'table',
    ratesBy: made.ratesBy ?? 'nobody',
    query: asked,
    figures: {
      total: {},
      table: {
        headers: made.headers ?? headers,
        all: made.all ?? null,
        rows: made.rows.slice(first, first + asked.limit),
      },
      chart: null,
      query: { results: made.rows.length, pages: Math.ceil(made.rows.length / asked.limit), echo: {} },
      unknown: {},
    },
    provenance: { ...provenance, ...made.provenance },
  }
}

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-exports-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export const openWriter = writersThread(appThread('exports'))

/** Writes without a thread: to begin one takes longer than all the rest. */
export const writerHere: OpenWriter = (task) => {
  let leave = () => {}
  const channel = inProcessChannel(async (port) => {
    leave = serveWriting(port, task)
  })
  const kill = () => {
    channel.kill()
    leave()
  }
  return { ...channel, kill }
}

/** For exports that compare nothing. */
export const neverCompared: Pick<Reports, 'before' | 'paired'> = {
  before: () => Promise.reject(new TypeError('Nothing is compared here')),
  paired: () => Promise.reject(new TypeError('Nothing is compared here')),
}

type Pages = Pick<Reports, 'ask' | 'before' | 'paired'>

/** A row as it lies in the file of a snapshot. */
export const snapshotLine = ({ label, cells }: TableRow): string => {
  const id = label.kind === 'instance' ? label.id : ''
  return JSON.stringify([label.kind, label.kind === 'text' ? label.text : label.name, id, cells])
}

/** The same reports, which write all rows of a table that can be asked for into a file. */
export const fromPages = (reports: Pages & Partial<Pick<Reports, 'trend' | 'parquet'>>): Reports => {
  const snapshot: Reports['snapshot'] = async ({ account: whose, query: asked, columns }) => {
    const whole = { ...asked, whole: true, page: 1, limit: 1_000_000 }
    const report = await reports.ask({ account: whose, query: whole, force: false })
    if (report.kind !== 'table') throw new TypeError('Tables only')
    const { headers: raw, rows } = report.figures.table
    const path = join(mkdtempSync(join(tmpdir(), 'traffic-desk-snapshot-')), 'rows')
    writeFileSync(path, rows.map((row) => `${snapshotLine(row)}\n`).join(''))
    return {
      kind: 'file',
      // The rows have what is made up, rates too.
      report: { ...report, query: { ...report.query, rates: false } },
      bases: null,
      file: { path, form: 'rows', rows: rows.length, columns: columnsFor(raw, columns ?? raw), raw },
      compared: null,
    }
  }
  return fake<Reports>('reports', {
    ...{ ...reports, snapshot, storedSnapshot: snapshot },
    confirm: () => Promise.resolve(null),
  })
}

/** What exports into a folder need, made up where it is not given. */
export function exportsContext(folder: string, given: Partial<ExportsContext> = {}): ExportsContext {
  const { events = new AppEvents(), clock = systemClock } = given
  return {
    accounts: ownBook,
    reports: asking({ rows: [textRow('Chrome', 1, 2, 3, 4, 5, 6, null)] }),
    settings: fake<Settings>('settings', {
      downloadFolder: () => Promise.resolve(folder),
      read: () => Promise.resolve(usualSettings),
    }),
    shell: fake<SystemShell>('shell', {
      copy: () => undefined,
      print: () => Promise.reject(new TypeError('Nothing is printed here')),
      showFile: () => undefined,
      openFile: () => Promise.resolve(''),
    }),
    jobs: new Jobs(events, clock),
    openWriter,
    notesOf: () => Promise.resolve([]),
    workFolder: folder,
    ...{ events, clock, ...given },
  }
}

/** Exports into a folder, with everything around them made up; `ended` waits until one is over. */
export function exportsTo(
  folder: string,
  {
    shell,
    ...changes
  }: Pick<
    Partial<ExportsContext>,
    'accounts' | 'reports' | 'settings' | 'clock' | 'openWriter' | 'notesOf'
  > & {
    readonly shell?: Partial<SystemShell>
  } = {},
) {
  const told: Job[] = []
  const copied: string[] = []
  const events = eventsTo((event) => {
    if (event.kind === 'jobs/changed') told.push(event.job)
  })
  const context = exportsContext(folder, { ...changes, events, workFolder: temporaryFolder() })
  const { jobs } = context
  const exported = new Exports({
    ...context,
    shell: { ...context.shell, copy: (text) => copied.push(text), ...shell },
  })
  onTestFinished(() => jobs.stop())
  const ended = (id: JobId) => jobs.ended(id)
  return {
    exported,
    jobs,
    events,
    told,
    copied,
    ended,
    run: async (order: ExportOrder) => ended((await exported.begin({ account: account.id, order })).id),
  }
}

/** Asks a made-up table. */
export const asking = (made: Made): Reports =>
  fromPages({
    ask: ({ query: asked }) =>
      asked.kind === 'table'
        ? Promise.resolve(pageOf(asked, made))
        : Promise.reject(new TypeError('Tables only')),
    ...neverCompared,
  })
