import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Around } from '../archives/open-rows.ts'
import type { SavedArchive } from '#main/raw/downloads/downloads.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import type { RawFilter } from '#shared/api/parameters.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { CaseEntry, CaseScope } from '#shared/cases/case.ts'
import { day, dayAt, daysOf } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import type { DataScopeId, InstanceId, RawReportId } from '#shared/values/ids.ts'
import type { Accounts } from '#main/accounts/accounts.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { fake } from '#test/helpers/fake.ts'
import { soundFigures } from '#test/helpers/known-figures.ts'
import { localStore } from '../database/helpers.ts'
import { isLive } from '#shared/accounts/account.ts'
import { account, newFolder, openRows } from '../archives/open-rows.ts'

/** A request that a service of the tests has counted. */
export type MadeEvent = {
  readonly instance: string
  readonly source: string
  readonly at: string
  readonly suspect: boolean
  /** Where left out, one rule set of each that is suspect. */
  readonly rules?: string
}

/** A raw report of the service, saved: of one instance, over some days, filtered. */
export type MadeReport = {
  readonly instance: string
  readonly range: DayRange
  readonly filters?: readonly RawFilter[]
}

export const zone = 'America/New_York'

/** Rows of two sources on three days of New York; the last hour of a day there is the next day in UTC. */
export const events: readonly MadeEvent[] = (
  [
    ['2026-11-10T10:00:00Z', 'news', true],
    ['2026-11-11T04:59:59Z', 'news', true],
    ['2026-11-11T05:00:00Z', 'news', false],
    ['2026-11-11T10:00:00Z', 'shop', true],
    ['2026-11-13T10:00:00Z', 'news', true],
    ['2026-11-12T10:00:00Z', '=cmd()', false],
    ['2026-11-09T10:00:00Z', 'news', false],
  ] as const
).flatMap(([at, source, suspect]) =>
  // The other site has the same traffic twice.
  ['7', '8', '8'].map((instance) => ({ at, source, suspect, instance })),
)

export const range = { start: day('2026-11-10'), end: day('2026-11-11') }
export const scope: CaseScope = {
  ...{ family: 'direct', instances: { kind: 'all' }, source: 'news', campaign: null, zone, range },
}
/** A case of a source over all instances. */
export const entry: CaseEntry = {
  ...{ name: 'News of autumn', about: 'source', subject: 'news', scope },
  ...{ files: [], notes: 'Paid in advance.\nSee the contract.' },
}
export const wide = { start: day('2026-11-09'), end: day('2026-11-13') }
export const site = { id: '7' as InstanceId, name: 'Site 7' }
const nameOf = (instance: string) => `Site ${instance}`
const passes = (event: MadeEvent, { filters = [] }: MadeReport) =>
  filters.every(({ column, value }) =>
    column === 'source'
      ? event.source === value
      : column === 'result' && event.suspect === (value === 'suspect'),
  )

/**
 * Cases over a service that counts these events: its tables, its instances, and raw reports of one instance each that were saved.
 * @param zone in which it and the account begin days
 * @param suspects so many more its tables tell in each answer
 */
export async function openService(
  events: readonly MadeEvent[],
  {
    zone = 'UTC',
    suspects = () => 0,
    more = {},
  }: { zone?: string; suspects?: () => number; more?: Partial<Around> } = {},
) {
  const folder = newFolder()
  const store = localStore(folder)
  if (!isLive(account)) throw new Error('An account of a service')
  await store.run('accounts/put', account)
  const instances = [...new Set(events.map(({ instance }) => instance))].sort()
  const provenance = soundFigures
  const within = ({ range, instance, source }: OverviewQuery | TableQuery) =>
    events.filter(
      (event) =>
        (instance === null || event.instance === String(instance)) &&
        (source === null || event.source === source) &&
        daysOf(range).includes(dayAt(Date.parse(event.at), zone)),
    )
  const countsOf = (found: readonly MadeEvent[]) => ({
    nonsuspect: found.filter(({ suspect }) => !suspect).length,
    suspect: found.filter(({ suspect }) => suspect).length + suspects(),
    mobile: 0,
  })
  const ask = (({ query }: { query: OverviewQuery | TableQuery }) => {
    const found = within(query)
    const total = countsOf(found)
    if (query.kind === 'overview')
      return Promise.resolve({ kind: 'overview', query, provenance, figures: { total, chart: null } })
    const rows = instances.map((id) => ({
      label: { kind: 'instance', id, name: nameOf(id) },
      cells: [found.filter(({ instance }) => instance === id).length],
    }))
    const table = {
      headers: ['Instance', 'Requests'],
      all: { label: { kind: 'all' }, cells: [found.length] },
      rows,
    }
    return Promise.resolve({ kind: 'table', query, provenance, figures: { total, table, chart: null } })
  }) as unknown as Around['ask']
  const trend = ((_: unknown, query: OverviewQuery) => {
    const days = daysOf(query.range)
    const ofDay = (day: string) => within(query).filter(({ at }) => dayAt(Date.parse(at), zone) === day)
    const series = [
      { header: 'Non-Suspect', values: days.map((day) => countsOf(ofDay(day)).nonsuspect) },
      { header: 'Suspect', values: days.map((day) => countsOf(ofDay(day)).suspect) },
    ]
    return Promise.resolve({ provenance, chart: { days, series } })
  }) as unknown as Around['trend']

  const records = new Map<string, object>()
  const archives: SavedArchive[] = []
  const { rows, cases, exported, bus, savedChanged } = openRows(folder, {
    ...{ ask, trend, archives, store },
    accounts: fake<Accounts>('accounts', {
      account: () => ({ ...account, dayZone: zone }),
      list: () => [account],
      dataScopeOf: () => 'scope-1' as DataScopeId,
    }),
    typeOf: () => Promise.resolve('direct'),
    reportOf: ((_: unknown, report: string) =>
      Promise.resolve(records.get(report) ?? null)) as unknown as Around['reportOf'],
    print: (printed) => Promise.resolve(new TextEncoder().encode(`%PDF of ${printed}`)),
    ...more,
  })

  /** Saves a raw report's archive, as downloads do. */
  function save(id: string, report: MadeReport): RowsFileId {
    const lines = events
      .filter((event) => event.instance === report.instance && passes(event, report))
      .filter(({ at }) => daysOf(report.range).includes(dayAt(Date.parse(at), zone)))
      .map(
        ({ at, source, suspect, rules = suspect ? 'UE' : '' }) =>
          `${at},${source},${suspect ? 'suspect' : 'non-suspect'},${rules}`,
      )
    const path = join(folder, `${id}.csv`)
    writeFileSync(path, `TIMESTAMP,SOURCE,RESULT,RULE SETS\n${lines.join('\n')}\n`)
    records.set(id, {
      ...{ id, type: 'Direct', name: id, ...report.range, filters: report.filters ?? null, created: null },
      ...{ instance_id: report.instance, instance_name: nameOf(report.instance) },
    })
    archives.push({ report: id as RawReportId, name: id, path, addedAt: 5 as SavedArchive['addedAt'] })
    return `report-${id}` as RowsFileId
  }

  /** The same, and reads it in. */
  async function importArchive(id: string, report: MadeReport): Promise<RowsFileId> {
    const file = save(id, report)
    await rows.import({ account: account.id, file })
    await eventually(async () => {
      const found = (await rows.list(account.id)).find((each) => each.id === file)
      expect(found?.state.kind).toBe('whole')
    })
    return file
  }
  const named = (...ids: readonly string[]) => ({
    kind: 'some' as const,
    list: ids.map((id) => ({ id: id as InstanceId, name: nameOf(id) })),
  })
  /** Raw reports, or requests for them, are others. */
  const reportsChanged = () => bus.emit({ kind: 'raw/changed', account: account.id })
  return {
    rows,
    cases,
    exported,
    reportsChanged,
    savedChanged,
    folder,
    store,
    save,
    importArchive,
    within,
    named,
    records,
    ask,
    trend,
  }
}

export type MadeService = Awaited<ReturnType<typeof openService>>
