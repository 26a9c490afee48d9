import { describe, expect, it } from 'vitest'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'
import { firstId } from '../database/helpers.ts'
import { desk } from './helpers.ts'

const types: TableQuery = {
  ...plainTable,
  family: 'direct',
  dimension: 'device-types',
  range: { start: day('2026-11-01'), end: day('2026-11-01') },
}
const whole: TableQuery = { ...types, whole: true, limit: 1000 }

const headers = ['Type', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile']

type Told = { readonly all?: readonly unknown[]; readonly results?: number; readonly pages?: number }

const answerOf = (rows: readonly (readonly unknown[])[], told: Told = {}) => ({
  total: { suspect: 1 },
  table: { headers, all: told.all ?? [false, 10, 5, 5, 0], rows },
  query: { results: told.results ?? rows.length, pages: told.pages ?? 1 },
})

const tablet = ['Tablet', 4, 2, 2, 0]
const phone = ['Phone', 6, 3, 3, 0]
const twice = ['Tablet', 6, 3, 3, 0]

describe('figures that do not add up', () => {
  it.each([
    ['labels-repeat', answerOf([twice, tablet])],
    ['rows-do-not-add-up', answerOf([phone, tablet], { all: [false, 11, 5, 5, 0] })],
    ['fewer-rows', answerOf([phone, tablet], { results: 3 })],
    ['more-rows', answerOf([phone, tablet], { results: 1 })],
  ])('are shown as they came, from the service and as kept, and marked: %s', async (doubt, answer) => {
    const { reports, service } = await desk()
    service.answering = () => answer
    const ask = () => reports.ask({ account: firstId, query: types, force: false })
    expect((await ask()).provenance).toMatchObject({ from: 'service', doubt })
    expect((await ask()).provenance).toMatchObject({ from: 'stored', doubt })
    expect(service.asked).toHaveLength(1)
  })

  it.each([
    ['labels-repeat', answerOf([twice, tablet])],
    ['rows-do-not-add-up', answerOf([phone, tablet], { all: [false, 11, 5, 5, 0] })],
    ['more-rows', answerOf([phone, tablet], { results: 1 })],
  ])('are kept whole with their mark, and not asked for at each look: %s', async (doubt, answer) => {
    const { reports, service } = await desk()
    service.answering = () => answer
    const ask = (more: Partial<TableQuery> = {}) =>
      reports.ask({ account: firstId, query: { ...whole, ...more }, force: false })
    expect((await ask()).provenance).toMatchObject({ from: 'stored', doubt, failure: null })
    expect(service.asked).toHaveLength(2)
    service.failure = 'offline'
    const searched = await ask({ search: 'tab', sort: [{ header: 'Type', direction: 'asc' }] })
    expect(searched).toMatchObject({ figures: { query: { results: 1 } }, provenance: { doubt } })
    expect(service.asked).toHaveLength(2)
  })

  it('are without a mark where they add up, or are a page of more', async () => {
    const { reports, service } = await desk()
    const ask = async (query: TableQuery) =>
      (await reports.ask({ account: firstId, query, force: true })).provenance.doubt
    service.answering = () => answerOf([phone, tablet])
    expect(await ask(types)).toBeNull()
    expect(await ask(whole)).toBeNull()
    service.answering = () => answerOf([phone, tablet], { results: 4, pages: 2 })
    expect(await ask({ ...types, limit: 2, page: 1 })).toBeNull()
    expect(await ask({ ...types, limit: 2, page: 2 })).toBeNull()
    expect(await ask({ ...types, limit: 2, page: 3 })).toBeNull()
    // It is not said whether the row of all is about the rows that were searched for.
    service.answering = () => answerOf([tablet], { results: 1 })
    expect(await ask({ ...types, search: 'tab' })).toBeNull()
  })

  it('are said where texts stand in place of counts, which are shown as they came and stay out of sums', async () => {
    const { reports, service } = await desk()
    const masked = answerOf([['Tablet', '1,004', 2, '--', '< 10'], phone], {
      all: [false, '1,010', 5, '3', '< 10'],
    })
    const plain = answerOf([phone, tablet])
    service.answering = (_, given) => ('start' in given && given.start === '2026-11-01' ? masked : plain)
    const range = { start: types.range.start, end: day('2026-11-02') }
    const ask = (more: Partial<TableQuery>) =>
      reports.ask({ account: firstId, query: { ...whole, ...more }, force: false })
    const shown = await ask({})
    expect(shown.provenance).toMatchObject({ doubt: 'no-counts', failure: null })
    expect(shown.figures).toMatchObject({
      table: {
        all: { cells: [1010, 5, 3, '< 10'] },
        rows: [
          { label: { text: 'Tablet' }, cells: [1004, 2, '--', '< 10'] },
          { label: { text: 'Phone' }, cells: [6, 3, 3, 0] },
        ],
      },
    })
    expect(service.asked).toHaveLength(1)
    const summed = await ask({ range })
    expect(summed.provenance).toMatchObject({ doubt: 'no-counts' })
    expect(summed.figures).toMatchObject({
      table: {
        all: { cells: [1020, 10, 8, 0] },
        rows: [
          { label: { text: 'Tablet' }, cells: [1008, 4, 2, 0] },
          { label: { text: 'Phone' }, cells: [12, 6, 6, 0] },
        ],
      },
    })
    expect(service.asked).toHaveLength(2)
  })
})

const overviewOf = (range: DayRange): OverviewQuery => ({
  ...{ kind: 'overview', family: 'direct', range, chart: false },
  ...{ instance: null, source: null, campaign: null },
})

it('totals that came as texts are shown as they came, from the service and as kept, and sums with them are not known', async () => {
  const { reports, service } = await desk()
  const plain = { ...answerOf([phone, tablet]), total: { nonsuspect: 5, suspect: 5, mobile: 0 } }
  const masked = { ...plain, total: { nonsuspect: '1,234', suspect: ' --', mobile: '%3C+10' } }
  service.answering = (_, given) => ('start' in given && given.start === '2026-11-01' ? masked : plain)
  const next = day('2026-11-02')
  for (const query of [whole, overviewOf(whole.range)]) {
    const totalOf = async (range: DayRange) =>
      (await reports.ask({ account: firstId, query: { ...query, range }, force: false })).figures.total
    const came = { nonsuspect: 1234, suspect: ' --', mobile: '< 10' }
    expect(await totalOf(whole.range)).toEqual(came)
    expect(await totalOf(whole.range)).toEqual(came)
    await totalOf({ start: next, end: next })
    service.failure = 'offline'
    expect(await totalOf({ start: whole.range.start, end: next })).toEqual({
      ...{ nonsuspect: 1239, suspect: null, mobile: null },
    })
    service.failure = null
  }
})

it('pages with other columns are named as such, and the service is not taken to be away', async () => {
  const { reports, service } = await desk({ watching: true })
  service.answering = (path, given) => {
    if (path === 'interface/instances') return { instances: [], query: { results: 0, pages: 0 } }
    const page = 'page' in given ? Number(given.page) : 1
    const answer = answerOf([page === 1 ? tablet : phone], { results: 2, pages: 2 })
    const renamed = headers.map((header) => (page === 2 && header === 'Mobile' ? 'Handheld' : header))
    return { ...answer, table: { ...answer.table, headers: renamed } }
  }
  await expect(reports.ask({ account: firstId, query: whole, force: false })).rejects.toMatchObject({
    failure: {
      kind: 'malformed',
      message: expect.stringContaining(
        'The service answered page 2 with other columns. Missing: “Mobile”. New: “Handheld”.',
      ),
    },
  })
  await expect.poll(() => reports.connection(firstId).kind).toBe('online')
})

it('days that do not sum to their range leave every table what it is', async () => {
  const { reports, service } = await desk()
  const both = { start: day('2026-11-01'), end: day('2026-11-02') }
  const daily: Readonly<Record<string, number>> = { '2026-11-01': 1, '2026-11-02': 2 }
  service.answering = (_, given) => {
    const { start = '', end = '' } = given as { start?: string; end?: string }
    const times = start === end ? daily[start] : 5
    const cells = [times, times, 0, 0]
    return answerOf([['Tablet', ...cells]], { all: [false, ...cells] })
  }
  const ask = async (range: TableQuery['range'], force = false) => {
    const answer = await reports.ask({ account: firstId, query: { ...whole, range }, force })
    return answer.kind === 'table' ? answer.figures.table.rows[0]?.cells[0] : undefined
  }
  const [first, second] = [both.start, both.end].map((start) => ({ start, end: start }))
  if (!first || !second) throw new Error('Two days')
  expect(await ask(both)).toBe(5)
  expect(await ask(first)).toBe(1)
  expect(await ask(second)).toBe(2)
  // Either what was asked for at once or the sum of the days: never some of each.
  expect([3, 5]).toContain(await ask(both))
  expect(await ask(first)).toBe(1)
  expect(await ask(second)).toBe(2)
})
