import { describe, expect, it } from 'vitest'
import { joined, lookAddress, queriesOfLook, queriesOf } from '#main/saved-views/view-queries.ts'
import { subjectOf } from '#shared/reports/query.ts'
import { addDays, day } from '#shared/values/day.ts'

const today = day('2026-11-20')

/** In short: what is kept of an address. */
const stored = (address: string) =>
  queriesOf(address, today).map((query) => `${subjectOf(query)} ${query.range.start} ${query.range.end}`)

/** The same of what was looked at. */
const looked = (address: string) =>
  queriesOfLook(address, today)
    .map((query) => `${subjectOf(query)} ${query.range.start} ${query.range.end}`)
    .toSorted()

describe('what is saved of a view that was looked at', () => {
  it('is its whole table, with the days compared with', () => {
    expect(looked('#/reports/direct/networks?compare=period-before&search=a&page=2')).toEqual([
      'direct/networks? 2026-11-06 2026-11-19',
    ])
  })

  it('is the tables of instances in place of an overview, of all of them where it shows one', () => {
    expect(looked('#/overview?instance=4101&source=mail')).toEqual([
      'direct/sessions?source=mail 2026-11-13 2026-11-19',
      'script/sessions?source=mail 2026-11-13 2026-11-19',
    ])
    // The rows that moved most are those of the same tables.
    expect(looked('#/overview?compare=period-before')).toEqual([
      'direct/sessions? 2026-11-06 2026-11-19',
      'script/sessions? 2026-11-06 2026-11-19',
    ])
  })

  it('is nothing of more than 31 days, of composed tables, and of what has no figures', () => {
    expect(looked('#/reports/direct/networks?start=2026-10-20&end=2026-11-19')).toHaveLength(1)
    expect(looked('#/reports/direct/networks?start=2026-10-19&end=2026-11-19')).toEqual([])
    const long = 'compare-start=2026-08-01&compare-end=2026-10-01'
    expect(looked(`#/reports/direct/networks?${long}`)).toEqual(['direct/networks? 2026-11-13 2026-11-19'])
    expect(looked('#/reports/script/sources')).toEqual([])
    expect(looked('#/overview?compare=period-before&movers=sources')).toHaveLength(2)
    for (const address of ['#/accounts', '#/settings', '#/raw']) expect(looked(address)).toEqual([])
  })

  it('is one, whatever is searched, sorted, drawn and paged in it', () => {
    const address = '#/reports/script/browsers?source=mail&browser=Chrome'
    expect(lookAddress(`${address}&search=a&sort=asc%3ABad&page=3&rates=1&chart=lines`)).toBe(
      lookAddress(address),
    )
    expect(lookAddress('#/downloads')).toBeNull()
  })
})

describe('what is kept of a view', () => {
  it('is the whole table, whatever is searched, sorted or paged in it', () => {
    const address = '#/reports/script/browsers?search=fire&sort=asc%3ABrowser&page=3&rates=1&browser=Chrome'
    expect(queriesOf(address, today)).toMatchObject([
      { dimension: 'browsers', filters: { browser: 'Chrome' }, search: null, sort: [], page: 1, whole: true },
    ])
    expect(stored(address)).toEqual(['script/browsers?browser=Chrome 2026-11-13 2026-11-19'])
  })

  it('is both periods, as one run where they touch or overlap', () => {
    expect(stored('#/reports/direct/networks?period=yesterday&compare=week-before')).toEqual([
      'direct/networks? 2026-11-19 2026-11-19',
      'direct/networks? 2026-11-12 2026-11-12',
    ])
    expect(stored('#/reports/direct/networks?compare=period-before')).toEqual([
      'direct/networks? 2026-11-06 2026-11-19',
    ])
    expect(stored('#/reports/direct/networks?period=last-28-days&compare=week-before')).toEqual([
      'direct/networks? 2026-10-16 2026-11-19',
    ])
  })

  it('is the table without its rule sets as well, where a trend is drawn from it', () => {
    expect(stored('#/reports/direct/networks?period=today&rules=1&chart=lines')).toEqual([
      'direct/networks?rules=1 2026-11-20 2026-11-20',
      'direct/networks? 2026-11-20 2026-11-20',
    ])
    expect(stored('#/reports/direct/networks?period=today&rules=1&chart=top')).toHaveLength(1)
  })

  it('is the table of its rule sets as well, where their mix is drawn', () => {
    expect(stored('#/reports/direct/networks?period=today&chart=rules')).toEqual([
      'direct/networks? 2026-11-20 2026-11-20',
      'direct/networks?rules=1 2026-11-20 2026-11-20',
    ])
    expect(stored('#/reports/direct/networks?period=today&rules=1&chart=rules')).toHaveLength(1)
    // The service has no rule sets by source.
    expect(stored('#/reports/direct/sources?period=today&campaign=a&chart=rules')).toEqual([
      'direct/sources?campaign=a 2026-11-20 2026-11-20',
      'direct/sessions?campaign=a&rules=1 2026-11-20 2026-11-20',
    ])
  })

  it('is both families of Overview, and the rows that moved where it compares', () => {
    expect(stored('#/overview?period=today&source=mail').toSorted()).toEqual([
      'direct/overview?source=mail 2026-11-20 2026-11-20',
      'script/overview?source=mail 2026-11-20 2026-11-20',
    ])
    // Direct has no connections.
    const subjects = stored('#/overview?compare=period-before&movers=connections').map(
      (each) => each.split(' ')[0],
    )
    expect(subjects.toSorted()).toEqual(['direct/overview?', 'script/connections?', 'script/overview?'])
  })

  it('is nothing of a view without figures, and of days that nobody can count', () => {
    expect(stored('#/settings')).toEqual([])
    expect(stored('#/rows/report-R1?where=keep%3Ais%3ARESULT%3Abad')).toEqual([])
    expect(stored('#/reports/script/browsers?start=1900-01-01&end=2100-12-31')).toEqual([])
  })
})

describe('runs of days', () => {
  const run = (start: number, end: number) => ({ start: addDays(today, start), end: addDays(today, end) })

  it('are joined where they touch, overlap or lie in each other, and stay apart otherwise', () => {
    expect(joined([run(0, 3), run(4, 6)])).toEqual([run(0, 6)])
    expect(joined([run(2, 9), run(0, 3)])).toEqual([run(0, 9)])
    expect(joined([run(0, 9), run(2, 3)])).toEqual([run(0, 9)])
    expect(joined([run(0, 3), run(5, 6)])).toEqual([run(5, 6), run(0, 3)])
    expect(joined([])).toEqual([])
  })
})
