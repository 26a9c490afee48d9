import { AppEvents } from '#main/lib/app-events.ts'
import { expect, it } from 'vitest'
import { instancesConcerned } from '#main/cases/case-figures.ts'
import { RequestedRows } from '#main/cases/requested-rows.ts'
import type { CasesContext } from '#main/cases/cases-context.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { ArchiveImports } from '#main/archives/imports.ts'
import type { Downloads } from '#main/raw/downloads/downloads.ts'
import type { Raw } from '#main/raw/raw.ts'
import type { RawRequests } from '#main/raw/requests/raw-requests.ts'
import type { Reports } from '#main/reports/reports.ts'
import { fake } from '#test/helpers/fake.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import type { AroundCases } from '../archives/open-rows.ts'
import type { StoredRequest } from '#main/database/state/raw-requests-repository.ts'
import { stepsOf } from '#shared/cases/case.ts'
import { missingOf } from '#shared/texts/cases.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import type { RawRequestState } from '#shared/raw/requests.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, RawReportId } from '#shared/values/ids.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { account, aroundCases } from '../archives/open-rows.ts'
import { entry, events, openService, range, scope, site, zone } from './made-service.ts'
import type { MadeService } from './made-service.ts'

const never = { created: null, failed: null, timed_out: null, cancelled: null, expires: null }

/** Cases over a service whose reports are made, saved and read in when the test says so. */
async function openAsking(today = day('2026-11-22'), traffic = events) {
  const asked: StoredRequest[] = []
  const saving: RawReportId[] = []
  const list = new Map<RawReportId, RawListRow>()
  const stuck = new Map<string, RawRequestState>()
  const saved = new Set<RawReportId>()
  let service: MadeService | null = null
  const open = (): MadeService => {
    if (!service) throw new Error('Not open yet')
    return service
  }
  const forCases: AroundCases = {
    ...aroundCases,
    enqueue: async (id, drafts, put) => {
      const requests = drafts.map((draft, nth): StoredRequest => ({
        id: `00000000-0000-4000-8000-00000000000${asked.length + nth}` as StoredRequest['id'],
        ...{ account: id, draft, template: null, schedule: null, occurrence: null, sentAt: null },
        ...{ madeAt: 1 as Instant, state: { kind: 'waiting', for: 'turn' } },
      }))
      await put(requests)
      asked.push(...requests)
    },
    queue: async ({ account: id }) => {
      const open_ = await open().store.run('raw-requests/open', id)
      return {
        requests: open_.map((each) => ({ ...each, state: stuck.get(each.id) ?? each.state })),
        limits: null,
      }
    },
    listed: (_, report) => Promise.resolve(list.get(report) ?? null),
    savedState: (_, report) => (saved.has(report) ? 'saved' : 'none'),
    saveReport: (_, report) => {
      saving.push(report)
      return Promise.resolve(null)
    },
  }
  service = await openService(traffic, {
    zone,
    more: { forCases, now: () => Date.parse(`${today}T12:00:00Z`) },
  })
  const { rows, store, save } = service
  const reportOf = (nth: number) => `made-${nth}` as RawReportId
  return {
    ...{ service, asked, saving, stuck, saved },
    /** The service accepted it. */
    accepted: async (nth: number) => {
      const request = asked[nth]
      if (!request) throw new Error('Never asked')
      const report = reportOf(nth)
      await store.run('raw-requests/done', { id: request.id, report })
      const { name } = request.draft
      list.set(report, {
        ...{ id: report, name, instance: '', type: 'Direct', requested: null, status: 'In Progress' },
        ...{ ...never, unknown: {} },
      })
      service.reportsChanged()
    },
    became: (nth: number, how: 'created' | 'failed') => {
      const row = list.get(reportOf(nth))
      if (row) list.set(reportOf(nth), { ...row, [how]: '2026-11-22T10:00:00Z' })
      service.reportsChanged()
    },
    downloaded: async (nth: number) => {
      const { instance, start, end } = asked[nth]?.draft ?? {}
      if (!start || !end) throw new Error('Never asked')
      const filters = [{ column: 'source', operator: 'equals', value: 'news' }] as const
      const file = save(reportOf(nth), { instance: String(instance), range: { start, end }, filters })
      saved.add(reportOf(nth))
      // A person has the second read in at the same moment.
      if (nth === 1) await rows.import({ account: account.id, file })
      service.savedChanged()
    },
  }
}

async function begun({ service: { cases } }: Awaited<ReturnType<typeof openAsking>>, whole = entry) {
  const { id } = await cases.begin({ account: account.id, entry: whole, fitting: true })
  return { account: account.id, id }
}
const doneIn = (shown: Parameters<typeof stepsOf>[0]) =>
  stepsOf(shown, String)
    .filter(({ done }) => done)
    .map(({ words }) => words)

it('asks for one report an instance, of exactly its scope, and takes the rows in when they are saved', async () => {
  const desk = await openAsking()
  const { cases } = desk.service
  const of = await begun(desk)
  const first = await cases.make(of)
  expect(doneIn(first)).toEqual(['Figures'])
  expect(first.made && missingOf(first.made)[0]).toMatch(/^Raw rows: none/)

  const plan = await cases.planRows(of)
  expect(plan.reports.map(({ instance }) => instance.id)).toEqual(['7', '8'])
  expect(plan.omissions).toEqual([])
  await cases.addRows({ ...of, instances: plan.reports.map(({ instance }) => instance.id) })
  expect(desk.asked.map(({ draft }) => draft)).toMatchObject(
    ['7', '8'].map((instance) => ({
      ...{ type: 'direct', instance, ...scope.range, email: false },
      filters: [{ column: 'source', operator: 'equals', value: 'news' }],
    })),
  )
  expect(doneIn(await cases.read(of))).toEqual(['Figures', 'Rows requested'])
  // What is on its way is not asked for again, however often somebody asks.
  expect((await cases.planRows(of)).reports).toEqual([])
  await expect(
    cases.addRows({ ...of, instances: plan.reports.map(({ instance }) => instance.id) }),
  ).rejects.toThrow(/Nothing left to request/)

  for (const nth of [0, 1]) await desk.accepted(nth)
  await eventually(async () =>
    expect((await cases.read(of)).requests.map(({ state }) => state)).toEqual(['in-progress', 'in-progress']),
  )
  desk.became(0, 'created')
  await eventually(() => expect(desk.saving).toEqual(['made-0']))
  await desk.downloaded(0)
  // Nobody has the case open: its rows come in, and it is made anew when all of them have come.
  await eventually(async () =>
    expect((await cases.read(of)).requests.map(({ state }) => state)).toEqual(['imported', 'in-progress']),
  )
  desk.became(1, 'created')
  await desk.downloaded(1)
  await eventually(async () => expect((await cases.read(of)).made?.covers).toBe('whole'))
  const { made, before, rowsChanged } = await cases.read(of)
  // Nine requests of two sites by the tables, six of them suspect, and as many rows.
  expect([made?.rows, rowsChanged]).toEqual([{ rows: 9, bad: 6 }, false])
  expect(made?.archives.map(({ recount }) => recount?.outcome)).toEqual(['agrees', 'agrees'])
  expect(before?.covers).toBe('none')
  expect(doneIn(await cases.read(of))).toEqual(['Figures', 'Rows requested', 'Rows imported', 'Recounted'])
  expect((await cases.planRows(of)).reports).toEqual([])
})

it('asks again for what came to nothing only when a person wants it, and never for what is in doubt', async () => {
  const desk = await openAsking()
  const { cases } = desk.service
  const of = await begun(desk)
  const { reports } = await cases.planRows(of)
  const instances = reports.map(({ instance }) => instance.id)
  await cases.addRows({ ...of, instances })
  await desk.accepted(0)
  desk.became(0, 'failed')
  const [, second] = desk.asked
  if (!second) throw new Error('Not asked')
  desk.stuck.set(second.id, { kind: 'unclear', since: 5 as Instant })
  await eventually(async () =>
    expect((await cases.read(of)).requests.map(({ state }) => state)).toEqual(['failed', 'stuck']),
  )
  const again = await cases.planRows(of)
  expect(again.reports.map(({ instance }) => instance.id)).toEqual(['7'])
  expect(again.omissions).toEqual(['A request for Site 8 is on hold in Raw reports.'])
  // An instance that is not in the plan of this moment is not asked for.
  await cases.addRows({ ...of, instances })
  expect(desk.asked.map(({ draft }) => draft.instance)).toEqual(['7', '8', '7'])
})

it('asks for the days that the service still has, and says which it has not', async () => {
  const late = addDays(scope.range.start, 91)
  const desk = await openAsking(late)
  const { cases } = desk.service
  const of = await begun(desk)
  const { reports, omissions } = await cases.planRows(of)
  expect(reports.map(({ range }) => range)).toEqual([
    { start: scope.range.end, end: scope.range.end },
    { start: scope.range.end, end: scope.range.end },
  ])
  expect(omissions).toEqual([
    'The service has rows of the last 90 days. Those before 2026-11-11 are unavailable.',
  ])
  const none = await openAsking(addDays(late, 30))
  expect(await none.service.cases.planRows(await begun(none))).toEqual({
    reports: [],
    omissions: ['The service has rows of the last 90 days. All days of this case are older.'],
  })
})

it('asks for rows of a case only, together with noting them: none is asked for where that fails', async () => {
  const desk = await openAsking()
  const { cases } = desk.service
  const of = await begun(desk)
  const { reports } = await cases.planRows(of)
  const gone = { ...of, id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b01' as typeof of.id }
  await expect(
    cases.addRows({ ...gone, instances: reports.map(({ instance }) => instance.id) }),
  ).rejects.toThrow(/was deleted/)
  const { store } = desk.service
  const [first] = reports
  if (!first) throw new Error('No plan')
  const draft = { type: 'direct' as const, instance: first.instance.id, ...first.range, name: 'Case' }
  const request: StoredRequest = {
    id: '00000000-0000-4000-8000-000000000009' as StoredRequest['id'],
    ...{ account: account.id, template: null, schedule: null, occurrence: null, sentAt: null },
    draft: { ...draft, standard: ['source'], additional: [], filters: [], email: false },
    ...{ madeAt: 1 as Instant, state: { kind: 'waiting', for: 'turn' } },
  }
  await expect(
    store.run('cases/request-rows', { ...gone, requests: [{ ...request, name: 'Site 7' }] }),
  ).rejects.toThrow(/was deleted/)
  expect(await store.run('raw-requests/open', account.id)).toEqual([])
})

it('asks for an instance once, also where a service names it twice or does not name it at all', async () => {
  const row = (id: string, requests: number) => ({
    label: { kind: 'instance', id, name: `Site ${id}` },
    cells: [requests],
  })
  const answer = (rows: readonly object[], all: number) => ({
    kind: 'table',
    provenance: { missing: [] },
    figures: {
      table: { headers: ['Instance', 'Requests'], all: { label: { kind: 'all' }, cells: [all] }, rows },
    },
  })
  const concerned = async (rows: readonly object[], all: number) => {
    const reports = fake<Reports>('reports', {
      ask: (() => Promise.resolve(answer(rows, all))) as unknown as Reports['ask'],
      instances: (() =>
        Promise.resolve({
          answer: { instances: ['7', '8', '9'].map((id) => ({ id, name: `Site ${id}`, all: false })) },
        })) as unknown as Reports['instances'],
    })
    const found = await instancesConcerned(account.id, scope, reports)
    return found.map(({ id, requests }) => [id, requests])
  }
  expect(await concerned([row('7', 3), row('7', 3), row('8', 6), row('9', 0)], 12)).toEqual([
    ['7', 3],
    ['8', 6],
  ])
  // The table does not tell of every request: whatever the account sees may have some.
  expect(await concerned([row('7', 3)], 9)).toEqual([
    ['7', 3],
    ['8', null],
    ['9', null],
  ])
})

it('takes in the rows of every case, also where one cannot be made anew', async () => {
  const cases = ['1', '2'].map((id) => ({
    id,
    requests: [{ request: id, instance: site, range, report: 'R1', file: null }],
  }))
  const came: string[] = []
  const made: string[] = []
  const run = (name: string, { id }: { id: string }) => {
    if (name === 'cases/rows-came') came.push(id)
    return Promise.resolve(name === 'cases/list' ? cases : new Map())
  }
  const context = fake<CasesContext>('context', {
    store: fake<StateStore>('store', { run: run as unknown as StateStore['run'] }),
    raw: fake<Raw>('raw', {
      requests: fake<RawRequests>('requests', {
        queue: () => Promise.resolve({ requests: [], limits: null }),
      }),
      downloads: fake<Downloads>('downloads', { savedState: () => 'saved' }),
    }),
    archives: fake<Archives>('archives', {
      imports: fake<ArchiveImports>('imports', {
        stateOf: () => Promise.resolve('imported'),
        importArchive: () => Promise.resolve(),
      }),
    }),
    events: new AppEvents(),
  })
  const requested = new RequestedRows(context, ({ id }) => {
    made.push(id)
    return Promise.reject(new DeskFailure({ kind: 'offline', message: 'No answer came.' }))
  })
  requested.follow(account.id)
  await eventually(() =>
    expect([came, made]).toEqual([
      ['1', '2'],
      ['1', '2'],
    ]),
  )
  await requested.close()
})
