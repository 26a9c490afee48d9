import { expect, it } from 'vitest'
import { knownOf } from '#main/exports/facts.ts'
import { doubtWords, otherLabel } from '#shared/reports/answer.ts'
import { warningsOf } from '#shared/reports/figure-facts.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { labelText } from '#shared/reports/rows.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { settled as quiet } from '../clock.ts'
import { desk } from '../helpers.ts'

const counts: Readonly<Record<string, number>> = { 'old.example': 30, 'late.example': 12 }
const total = (good: number) => ({ drops: 0, good, warning: 0, bad: 0, mobile: 0, adblocker: 0 })

/** A desk of a service that lists one source, and another one later. The list is read for a filter at noon of November 20. */
async function listedBefore(first: Day, last: Day) {
  const made = await desk()
  const { reports, service, clock } = made
  const names = ['old.example']
  service.answering = (path, given) => {
    if (path === 'interface/sources')
      return { sources: names, query: { page: 1, limit: 1000, results: names.length, pages: 1 } }
    if (path === 'interface/instances')
      return { instances: service.instances, query: { page: 1, limit: 1000, results: 1, pages: 1 } }
    const source = 'source' in given && typeof given.source === 'string' ? given.source : null
    const asked = source === null ? names : names.filter((name) => name === source)
    return { total: total(asked.reduce((sum, name) => sum + (counts[name] ?? 0), 0)), query: {} }
  }
  const range = { start: first, end: last }
  const { instance, source } = plainTable
  const asked = { account: firstId, range, instance, source, page: 1, limit: 1000 }
  await reports.handlers['lookups/sources'](asked)
  const query: TableQuery = { ...plainTable, family: 'script', dimension: 'sources', range, limit: 1000 }
  const compose = async (force = false) => {
    const { figures } = await reports.ask({ account: firstId, query, force })
    const rows = 'table' in figures ? figures.table.rows : []
    return Object.fromEntries(rows.map(({ label, cells }) => [labelText(label), cells[0]]))
  }
  return { names, compose, move: (milliseconds: number) => clock.move(milliseconds), service }
}

const minute = 60_000
const oneDay = 24 * 60 * minute
const whole = { 'old.example': 30, 'late.example': 12 }

it.each([
  { name: 'a day that runs, five minutes later', of: '2026-11-20', after: 5 * minute },
  { name: 'a day that runs, an hour later', of: '2026-11-20', after: 60 * minute },
  { name: 'a day that was not settled then, and is now', of: '2026-11-19', after: 10 * oneDay },
  { name: 'a day that ran then, and is settled now', of: '2026-11-20', after: 20 * oneDay },
])('a list of names that is too old is read anew: of $name', async ({ of, after }) => {
  const { compose, move, names, service } = await listedBefore(day(of), day(of))
  names.push('late.example')
  await move(after)
  const before = service.count('interface/sources')
  expect(await compose()).toEqual(whole)
  expect(service.count('interface/sources')).toBe(before + 1)
})

it.each([
  { name: 'a day that runs, a minute later', of: '2026-11-20', after: minute },
  { name: 'a settled day, an hour later', of: '2026-11-05', after: 60 * minute },
])('a list of names that stands is not read again: of $name', async ({ of, after }) => {
  const { compose, move, service } = await listedBefore(day(of), day(of))
  await move(after)
  const before = service.count('interface/sources')
  expect(await compose()).toEqual({ 'old.example': 30 })
  expect(service.count('interface/sources')).toBe(before)
})

it('no list of names stands where all is asked for anew by hand', async () => {
  const { compose, names } = await listedBefore(day('2026-11-05'), day('2026-11-05'))
  expect(await compose()).toEqual({ 'old.example': 30 })
  names.push('late.example')
  await compose(true)
  await expect.poll(() => compose()).toEqual(whole)
})

it('of a list that cannot be read anew, what was kept is not taken for all of it', async () => {
  const { compose, move, names, service } = await listedBefore(day('2026-11-20'), day('2026-11-20'))
  names.push('late.example')
  await move(60 * minute)
  service.failing = 'interface/sources'
  service.failure = 'server-trouble'
  await expect(compose()).rejects.toMatchObject({ failure: { kind: 'server-trouble' } })
})

type Growth = {
  readonly of?: Day
  /** Counted since the desk began, in minutes. */
  readonly grownAfter?: (minutes: number) => number
  /** How long the service takes to answer for a source, in minutes. */
  readonly takes?: Readonly<Record<string, number>>
}

/** A desk of a service whose one source is most of a day, running if no other is named, and grows by ten requests a minute. */
async function growing({
  of = day('2026-11-20'),
  grownAfter = (minutes) => minutes * 10,
  takes = {},
}: Growth = {}) {
  const made = await desk()
  const { reports, service, clock } = made
  const began = clock.now()
  service.answering = async (path, given) => {
    if (path === 'interface/sources')
      return {
        sources: ['old.example', 'late.example'],
        query: { page: 1, limit: 1000, results: 2, pages: 1 },
      }
    if (path === 'interface/instances')
      return { instances: service.instances, query: { page: 1, limit: 1000, results: 1, pages: 1 } }
    const source = 'source' in given && typeof given.source === 'string' ? given.source : null
    const minutes = takes[source ?? '']
    if (minutes !== undefined) {
      // Others that are asked for at the same time are answered first.
      await quiet()
      await clock.move(minutes * minute)
    }
    const grown = grownAfter(Math.floor((clock.now() - began) / minute))
    const own: Readonly<Record<string, number>> = { 'old.example': 30 + grown, 'late.example': 12 }
    return { total: total(source === null ? 500 + grown : (own[source] ?? 0)), query: {} }
  }
  const range = { start: of, end: of }
  const overview = (source: string | null) => {
    const query = {
      kind: 'overview',
      family: 'script',
      range,
      instance: null,
      source,
      campaign: null,
    } as const
    return reports.ask({ account: firstId, query: { ...query, chart: true }, force: false })
  }
  const compose = async () => {
    const query: TableQuery = { ...plainTable, family: 'script', dimension: 'sources', range, limit: 1000 }
    const { figures, provenance } = await reports.ask({ account: firstId, query, force: false })
    const rows = 'table' in figures ? figures.table.rows : []
    const counts = Object.fromEntries(rows.map(({ label, cells }) => [labelText(label), cells[0]]))
    return {
      counts,
      doubt: provenance.doubt,
      said: warningsOf(knownOf({ figures: [{ ...asked, provenance }] })),
    }
  }
  const asked = { title: '', range, zone: 'UTC' }
  const calls = () => service.count('script/overview')
  return { overview, compose, move: (minutes: number) => clock.move(minutes * minute), calls }
}

it('subtracts from a total of the same gathering, where one from before is known', async () => {
  const { overview, compose, move } = await growing()
  await overview(null)
  await move(3)
  expect(await compose()).toMatchObject({
    counts: { 'old.example': 60, 'late.example': 12, [otherLabel]: 458 },
    doubt: null,
  })
})

const settled = day('2026-11-10')

it.each([
  {
    name: 'of a running day, which grows',
    of: day('2026-11-20'),
    grownAfter: (minutes: number) => minutes * 10,
  },
  {
    name: 'of a settled day, which was restated without anyone noticing',
    ...{ of: settled, grownAfter: (minutes: number) => (minutes < 3 ? 0 : 30) },
  },
])('a row that was asked for before is asked for again: $name', async ({ of, grownAfter }) => {
  const { overview, compose, move } = await growing({ of, grownAfter })
  await overview('old.example')
  await move(3)
  expect(await compose()).toMatchObject({
    counts: { 'old.example': 60, 'late.example': 12, [otherLabel]: 458 },
    doubt: null,
  })
})

it('a row from before stands where the total is what it was before it', async () => {
  const { overview, compose, move, calls } = await growing({ of: settled, grownAfter: () => 0 })
  await overview(null)
  await overview('old.example')
  await move(60)
  const before = calls()
  expect(await compose()).toMatchObject({
    counts: { 'old.example': 30, 'late.example': 12, [otherLabel]: 458 },
    doubt: null,
  })
  // The row that was not known, and the total once more.
  expect(calls()).toBe(before + 2)
})

it('a row from before is asked for again where the total changes meanwhile', async () => {
  const { overview, compose, move } = await growing({
    ...{ grownAfter: (minutes) => (minutes < 3 ? 0 : 30), takes: { 'late.example': 3 } },
  })
  await overview(null)
  await overview('old.example')
  await move(1)
  expect(await compose()).toMatchObject({
    counts: { 'old.example': 60, 'late.example': 12, [otherLabel]: 458 },
    doubt: null,
  })
})

it('does not subtract a row of another moment from the total, and says so', async () => {
  const { compose } = await growing({
    ...{ of: settled, grownAfter: (minutes) => (minutes < 3 ? 0 : 30), takes: { 'late.example': 6 } },
  })
  const { counts, doubt, said } = await compose()
  expect(counts).toEqual({ 'old.example': 30, 'late.example': 12, [otherLabel]: null })
  expect(doubt).toBe('moments-differ')
  expect(said.map(({ words }) => words)).toContainEqual(expect.stringContaining(doubtWords['moments-differ']))
})
