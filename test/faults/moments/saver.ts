import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Exports } from '#main/exports/exports.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import { AppEvents } from '#main/lib/app-events.ts'
import { systemClock } from '#main/lib/async.ts'
import { Jobs } from '#main/lib/jobs.ts'
import { writePack } from '#main/cases/case-pack.ts'
import type { RowsParams, Verified, ImportedFile } from '#main/archives/engine/rows-engine.ts'
import { startRowsEngine } from '#main/archives/engine/rows-engine.ts'
import { exportRows, exportUnreadable, saveList, exportTable } from '#main/archives/exporting.ts'
import type { ArchivesContext } from '#main/archives/archives-context.ts'
import type { ImportedRows } from '#main/archives/imported-rows.ts'
import { rowsFolder } from '#main/analytics/rows-layout.ts'
import type { CaseScope } from '#shared/cases/case.ts'
import type { CaseFacts } from '#shared/cases/sections.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { JobId } from '#shared/app/jobs.ts'
import type { TableFormat } from '#shared/exports/order.ts'
import type { RowsFormat } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import { day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { fake } from '#test/helpers/fake.ts'
import { account, asking, exportsContext, headers, query, textRow } from '#test/src-main/exports/helpers.ts'

/** The engine of a profile folder's rows. */
const engineOf = (folder: string) =>
  startRowsEngine({
    open: () =>
      threadChannel(appThread('engine'), {
        argv: ['rows', rowsFolder(folder), join(folder, 'work')],
        name: 'rows',
      }),
  })

/** Reads a table into a profile folder: rows, and lines that are none. */
export async function readRowsIn(folder: string): Promise<ImportedFile> {
  const source = join(folder, 'Week.csv')
  const lines = Array.from(
    { length: 3000 },
    (_, nth) => `2026-11-20T10:00:00Z,${nth},"a, b"\r\nno row ${nth}`,
  )
  writeFileSync(source, `TIMESTAMP,COUNT,TEXT\r\n${lines.join('\r\n')}\r\n`)
  const engine = engineOf(folder)
  const about = {
    ...{
      id: 'file-1' as RowsFileId,
      dataScope: 'scope-1' as DataScopeId,
      report: null,
      name: 'Week',
      type: null,
    },
    readAt: 1000 as Instant,
  }
  return await engine
    .call('importArchive', { reading: 'one', source, zone: 'UTC', choices: [], about })
    .finally(() => engine.close())
}

/** A PNG by its first bytes. */
const picture = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), Buffer.alloc(200_000, 'picture')])
const browsers = Array.from({ length: 2000 }, (_, nth) => textRow(`browser ${nth}`, nth, 1, 2, 3, 4, 5, 6))

const scope: CaseScope = {
  ...{ family: 'direct', instances: { kind: 'all' }, source: 'news', campaign: null, zone: 'UTC' },
  range: { start: day('2026-11-20'), end: day('2026-11-20') },
}

const caseOf = ({ entry: { id, count } }: ImportedFile): CaseFacts => ({
  account: account.name,
  entry: {
    ...{ name: 'News', about: 'source', subject: 'news', scope, files: [id], notes: '' },
  },
  made: {
    ...{ madeAt: Date.UTC(2026, 10, 21) as Instant, zone: 'UTC', now: null, before: null, others: null },
    ...{ headers: [], days: [], rows: { rows: count, bad: null }, results: [], rowDays: [], ruleSets: [] },
    ...{ trafficTypes: [], ruleTypes: [], sources: [], clusters: [], archives: [], lacks: [] },
    ...{ scope, service: 'reports.example', instances: [], covers: 'whole' },
  },
  before: null,
  rules: new Map(),
})

async function answered<A>(looking: Promise<Verified<A>>): Promise<A> {
  const looked = await looking
  if (looked.kind === 'damaged') throw new TypeError('The rows are damaged')
  return looked.answer
}

/**
 * Saves files of the kinds that the list of exports knows, as the app does. Each is done when its file is said to be saved, and is that
 * file's name then.
 * @param folder of the profile that rows were read into
 */
export function openSaver(folder: string, downloads: string, read: ImportedFile) {
  const engine = engineOf(folder)
  const events = new AppEvents()
  const jobs = new Jobs(events, systemClock)
  const exported = new Exports(
    exportsContext(downloads, {
      ...{ reports: asking({ rows: browsers }), jobs, events, workFolder: join(folder, 'work') },
    }),
  )
  type Begun = { readonly id: JobId }
  const kind = (begin: () => Begun | Promise<Begun>) => async () => {
    const state = await jobs.ended((await begin()).id)
    if (state.kind === 'failed') throw new DeskFailure(state.failure)
    if (state.kind !== 'done' || state.file === null) throw new TypeError(`It is ${state.kind}`)
    return state.file
  }
  const asked: RowsParams = { files: [read.entry], conditions: [], sort: [] }
  const exporting = fake<Parameters<typeof exportRows>[1]>('context', {
    ...{ exports: exported, events, clock: systemClock },
    store: fake<ArchivesContext['store']>('store', {
      run: (() => Promise.resolve(null)) as unknown as ArchivesContext['store']['run'],
    }),
    rows: fake<ImportedRows>('rows', {
      ask: (_, call) => answered(call(engine)),
    }),
  })
  const rows = (format: RowsFormat) =>
    kind(() => exportRows({ account: account.id, request: asked, columns: [], format }, exporting))
  const table = (format: TableFormat) =>
    kind(() =>
      exported.begin({
        account: account.id,
        order: { kind: 'table', format, rows: 'all', query, columns: headers },
      }),
    )
  const groups = (format: TableFormat) =>
    kind(() =>
      exportTable(
        {
          query: { account: account.id, files: [read.entry.id], conditions: [], sort: [] },
          table: {
            ...{ kind: 'groups', by: [{ column: 'COUNT', by: 'value' }], search: '' },
            sort: { by: { kind: 'rows' }, direction: 'desc' },
          },
          format,
        },
        { ...asked, zone: 'UTC' },
        exporting,
      ),
    )
  const pack = kind(() =>
    exported.run(account.id, {
      ...{ name: 'Case News', ending: 'zip' },
      write: (path, signal, progress) =>
        writePack(path, {
          ...{ work: folder, about: caseOf(read), files: [read.entry], signal, progress },
          print: () => Promise.resolve(picture),
          verify: () => Promise.resolve(),
          page: (offset, limit) => answered(engine.call('page', { ...asked, columns: [], offset, limit })),
          csv: () => answered(engine.call('write', { ...asked, columns: [], format: 'csv' })),
        }),
    }),
  )
  const list = kind(() =>
    saveList(
      {
        ...{
          account: account.id,
          name: 'List',
          ending: 'txt',
          ranges: [{ range: '198.51.100.7', seen: null }],
        },
        text: '198.51.100.7\n'.repeat(10_000),
        origin: {
          ...{ address: '#/rows/file-1', archives: ['Week'], filters: [], period: null },
          ...{
            column: 'REMOTE ADDRESS',
            by: 'value',
            minBad: 1,
            minShare: 0,
            campaign: '',
            onlyNew: false,
            expiry: null,
            format: 'lines',
          },
        },
      },
      exporting,
    ),
  )
  return {
    ...{ rows, table, groups, pack, list },
    unreadable: kind(() => exportUnreadable(account.id, read, exporting)),
    chart: kind(() => exported.chart({ account: account.id, name: 'Chart', png: picture })),
    close: async () => {
      await jobs.stop()
      await engine.close()
    },
  }
}
