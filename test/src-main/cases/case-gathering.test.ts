import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { CaseEntry, CaseFindings, CaseSide } from '#shared/cases/case.ts'
import { failureOf } from '#shared/api/failure.ts'
import { normalise, plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, ReportQuery } from '#shared/reports/query.ts'
import { addDays, day, daysOf } from '#shared/values/day.ts'
import type { Day, DayRange } from '#shared/values/day.ts'
import { runs } from '#test/helpers/long.ts'
import { seed } from '#test/helpers/properties.ts'
import { localStore } from '../database/helpers.ts'
import { account, aroundCases, newFolder, openRows } from '../archives/open-rows.ts'
import { instances, MovingService, StoringReports } from './moving-service.ts'

/** Cases over a service that moves. Another service can take its place. */
async function openMoving() {
  const folder = newFolder()
  const store = localStore(folder)
  await store.run('accounts/put', account as Parameters<typeof store.run<'accounts/put'>>[1])
  const current = { service: new MovingService(), reports: new StoringReports(new MovingService()) }
  const anew = () => {
    current.service = new MovingService()
    current.reports = new StoringReports(current.service)
    return current
  }
  anew()
  const { cases } = openRows(folder, {
    store,
    now: () => current.service.now(),
    ask: ((asked: Parameters<StoringReports['ask']>[0]) =>
      current.reports.ask(asked)) as StoringReports['ask'],
    trend: (of, query, force) => current.reports.trend(of, query, force),
    forCases: {
      ...aroundCases,
      connection: () => ({ kind: current.service.isAway ? 'offline' : 'online' }),
      instances: (() =>
        Promise.resolve({
          answer: { instances: instances.map((id) => ({ id, name: `Site ${id}`, all: false })) },
        })) as never,
    },
  })
  const make = async (range: DayRange): Promise<(again?: boolean) => Promise<CaseFindings | null>> => {
    const entry: CaseEntry = {
      ...{ name: 'News', about: 'source', subject: 'news', files: [], notes: '' },
      scope: {
        ...{ family: 'direct', instances: { kind: 'all' }, source: 'news', campaign: null },
        ...{ range, zone: 'UTC' },
      },
    }
    const { id } = await cases.begin({ account: account.id, entry, fitting: false })
    return async () => (await cases.make({ account: account.id, id })).made
  }
  return { anew, make, current }
}

type Part = 'all' | 'news' | 'days of news' | 'instances of news'
const queryOf = (part: Part, range: DayRange): ReportQuery => {
  const plain = { family: 'direct', range, instance: null, campaign: null } as const
  const source = part === 'all' ? null : 'news'
  if (part === 'instances of news') return { ...plainTable, ...plain, source, dimension: 'sessions' }
  return normalise({ ...plain, kind: 'overview', source, chart: part === 'days of news' })
}
const look = (reports: StoringReports, part: Part, range: DayRange, force = false) => {
  const query = queryOf(part, range)
  return part === 'days of news'
    ? reports.trend(account.id, query as OverviewQuery, force)
    : reports.ask({ account: account.id, query, force })
}

const valueOf = (side: CaseSide | null, header: string) =>
  side?.figures.find((figure) => figure.header === header)?.value ?? null
const saysOf = ({ lacks }: CaseFindings, ...names: readonly string[]) =>
  lacks.filter(({ what }) => names.includes(what)).map(({ failure }) => failure.message)

/** Every set of days of a range. */
const setsOf = (range: DayRange): readonly (readonly Day[])[] =>
  daysOf(range).reduce<readonly (readonly Day[])[]>(
    (sets, each) => [...sets, ...sets.map((set) => [...set, each])],
    [[]],
  )

/** Checks that what a case says is of one moment, or that it says that it is not. */
function isOfOneMoment(made: CaseFindings, service: MovingService, range: DayRange): void {
  const [now, others] = [valueOf(made.now, 'Suspect'), valueOf(made.others, 'Suspect')]
  const isSaid = made.lacks.some(
    ({ what, failure }) => what === 'The others' && /another time than/.test(failure.message),
  )
  if (others !== null && !isSaid) {
    const length = daysOf(range).length - (made.others?.missing ?? 0)
    const sets = setsOf(range).filter((set) => set.length === length)
    const right = [...service.fetched].flatMap((time) =>
      sets.map((set) => {
        const [all] = service.count({ instance: null, source: null }, set, time)
        const [own] = service.count({ instance: null, source: 'news' }, set, time)
        // Its own figures may be of more days than the others, which says that days are missing.
        return set.length === daysOf(range).length ? `${own} of ${all}` : `others ${all - own}`
      }),
    )
    const isWhole = length === daysOf(range).length
    const told = isWhole ? `${now} of ${(now ?? 0) + others}` : `others ${others}`
    expect(right, 'both are of one moment, over one set of days').toContain(told)
  }
  if (now === null) return
  const place = made.headers.indexOf('Suspect')
  const ofDays = made.days.reduce((sum, { values }) => sum + (values[place] ?? 0), 0)
  if (made.days.length > 0 && saysOf(made, 'By day', 'These days').length === 0)
    expect(ofDays, 'days add up to the total').toBe(now)
  const ofInstances = made.instances.reduce((sum, { requests }) => sum + (requests ?? 0), 0)
  if (made.instances.length > 0 && saysOf(made, 'By instance', 'These days').length === 0)
    expect(ofInstances, 'instances add up to the total').toBe(valueOf(made.now, 'Requests'))
}

const settled: DayRange = { start: day('2026-11-05'), end: day('2026-11-07') }
/** A day that is settled, and two that move. */
const moving: DayRange = { start: day('2026-11-16'), end: day('2026-11-18') }

const parts: readonly Part[] = ['all', 'news', 'days of news', 'instances of news']
type Step =
  | { readonly kind: 'look' | 'refresh'; readonly part: Part; readonly days: readonly number[] }
  | { readonly kind: 'pass'; readonly minutes: number }
  | { readonly kind: 'restate'; readonly day: number }
  | { readonly kind: 'away'; readonly isAway: boolean }
  | { readonly kind: 'lag'; readonly lag: number }
  | { readonly kind: 'make' }
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('look' as const, 'refresh' as const),
    part: fc.constantFrom(...parts),
    days: fc.constantFrom([0, 2], [0, 1], [1, 2], [1, 1]),
  }),
  fc.record({ kind: fc.constant('pass' as const), minutes: fc.constantFrom(0.1, 1, 4, 6, 600, 3000) }),
  fc.record({ kind: fc.constant('restate' as const), day: fc.nat(2) }),
  fc.record({ kind: fc.constant('away' as const), isAway: fc.boolean() }),
  fc.record({ kind: fc.constant('lag' as const), lag: fc.constantFrom(1, 3, Infinity) }),
  fc.constant({ kind: 'make' as const }),
)

it('is of one moment, or says that it is not, in any order of looks, refreshes and restatements', async () => {
  const { anew, make } = await openMoving()
  const made = { whole: 0, partly: 0 }
  const property = fc.asyncProperty(
    fc.constantFrom(settled, moving),
    fc.array(step, { minLength: 3, maxLength: 14 }),
    async (range, steps) => {
      const { service, reports } = anew()
      const makeIt = await make(range)
      for (const each of [...steps, { kind: 'make' as const }]) {
        if (each.kind === 'pass') service.pass(each.minutes)
        else if (each.kind === 'restate') service.restate(addDays(range.start, each.day))
        else if (each.kind === 'away') service.isAway = each.isAway
        else if (each.kind === 'lag') service.lag = each.lag
        else if (each.kind === 'make') {
          // A case that had more before stays as it was.
          const found = await makeIt().catch((error: unknown) => void failureOf(error))
          if (!found) continue
          isOfOneMoment(found, service, range)
          made[valueOf(found.others, 'Suspect') !== null && found.lacks.length === 0 ? 'whole' : 'partly'] +=
            1
        } else {
          const [first = 0, last = 0] = each.days
          const days = { start: addDays(range.start, first), end: addDays(range.start, last) }
          await Promise.resolve(look(reports, each.part, days, each.kind === 'refresh')).catch(
            () => undefined,
          )
        }
      }
    },
  )
  await fc.assert(property, { seed, numRuns: runs(120, 900) })
  // Most of what is made tells all of its parts: saying nothing would be of one moment too.
  expect(made.whole).toBeGreaterThan(made.partly / 2)
}, 300_000)

/** What a case should say of a service at this time. */
function rightOf(service: MovingService, days: readonly Day[]) {
  const [all] = service.count({ instance: null, source: null }, days)
  const [own] = service.count({ instance: null, source: 'news' }, days)
  return { own, others: all - own }
}
const suspectsOf = (made: CaseFindings | null) => ({
  own: valueOf(made?.now ?? null, 'Suspect'),
  others: valueOf(made?.others ?? null, 'Suspect'),
})

it('has all figures fetched again where only those of everything were seen a while ago', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  await look(reports, 'all', moving)
  service.pass(7)
  service.lag = 3
  const made = await (await make(moving))()
  expect(suspectsOf(made)).toEqual(rightOf(service, daysOf(moving)))
  expect(made?.lacks).toEqual([])
})

it('has all figures fetched again where only its own were refreshed after a restatement', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  const makeIt = await make(settled)
  await makeIt()
  service.pass(60)
  service.restate(settled.start)
  await look(reports, 'news', settled, true)
  await look(reports, 'news', settled)
  const made = await makeIt()
  expect(suspectsOf(made)).toEqual(rightOf(service, daysOf(settled)))
  if (made) isOfOneMoment(made, service, settled)
  expect(made?.lacks).toEqual([])
})

it('subtracts over the days that both have, where some of its own cannot be had', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  const saved = { start: settled.start, end: addDays(settled.start, 1) }
  for (const part of parts) await look(reports, part, part === 'all' ? settled : saved)
  service.isAway = true
  const made = await (await make(settled))()
  expect(suspectsOf(made)).toEqual(rightOf(service, daysOf(saved)))
  expect(made?.others?.missing).toBe(1)
  expect(made && saysOf(made, 'The others')).toContain('1 day is missing: these figures are a part.')
})

it('says nothing of the others, and why, where both are of different times and the service is away', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  await look(reports, 'all', moving)
  service.pass(2)
  await look(reports, 'news', moving)
  service.pass(10)
  service.isAway = true
  const made = await (await make(moving))()
  expect(made?.now).not.toBeNull()
  expect(made?.others).toBeNull()
  expect(made && saysOf(made, 'Figures of the others')).toEqual([
    'These figures and those of all traffic are from different times.',
  ])
})

it('says that settled figures are of different times where the service is away', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  for (const part of parts) {
    await look(reports, part, settled)
    service.pass(2)
  }
  service.isAway = true
  const made = await (await make(settled))()
  expect(suspectsOf(made)).toEqual(rightOf(service, daysOf(settled)))
  const words = (beside: string) =>
    `From another time than ${beside}. The days were settled, and no change in between is known.`
  expect(made && saysOf(made, 'The others')).toEqual([words('these days')])
  expect(made && saysOf(made, 'By day', 'By instance')).toEqual([words('the total'), words('the total')])
})

it('waits for newer figures for a bounded time, and says that they did not arrive', async () => {
  const { anew, make } = await openMoving()
  const { service, reports } = anew()
  await look(reports, 'news', moving)
  service.pass(7)
  service.lag = Infinity
  const made = await (await make(moving))()
  expect(made?.others).toBeNull()
  expect(made && saysOf(made, 'These days')).toEqual([
    'Newer figures did not arrive within a minute. These are older.',
  ])
})

it('takes one request a figure, and none for the days before that are settled', async () => {
  const { anew, make } = await openMoving()
  for (const range of [settled, moving]) {
    const { service } = anew()
    const makeIt = await make(range)
    await makeIt()
    // Its days, everything, by day, by instance, and the days before.
    expect(service.requests).toBe(5)
    service.pass(6)
    service.lag = 2
    await makeIt()
    expect(service.requests).toBe(9)
    service.isAway = true
    service.pass(1)
    await makeIt()
    expect(service.requests).toBe(9)
  }
})
