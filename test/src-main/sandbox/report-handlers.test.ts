import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { day } from '#shared/values/day.ts'
import { ask, control, decode, labels } from './asking.ts'
import type { Cell } from './asking.ts'

let sandbox: Sandbox
const week = { start: 20261113, end: 20261119 }

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
})
afterAll(() => sandbox.close())

const table = async (path: string, parameters: Record<string, unknown> = {}) =>
  (await ask(sandbox, path, { ...week, ...parameters })).body

/** Code point order, by another road than the sandbox's: UTF-8 bytes have the same order. */
const byBytes = (one: string, other: string) => Buffer.compare(Buffer.from(one), Buffer.from(other))

describe('the order of rows', () => {
  it('is by the first count, the largest first, unless asked otherwise', async () => {
    const plain = await table('direct/networks')
    const requests = plain.table.rows.map((row) => Number(row[1]))
    expect(requests).toEqual(requests.toSorted((one, other) => other - one))
    expect(labels(await table('direct/networks', { sort: '1:desc' }))).toEqual(labels(plain))
  })

  it('is by label in code point order where the first column is asked for', async () => {
    const found = labels(await table('direct/networks', { sort: '0:desc' }))
    expect(found).toEqual([...found].sort(byBytes).reverse())
    expect(found[0]).toBe('😀 Smile Net')
    expect(labels(await table('direct/networks', { sort: '0:asc' }))).toEqual([...found].reverse())
  })

  it('takes three keys, the later ones where the earlier ones are equal, and the label last', async () => {
    const { rows } = (await table('script/referrers', { sort: '2:desc,1:asc,3:desc', limit: 1000 })).table
    const order = (one: Cell[], other: Cell[]) =>
      Number(other[2]) - Number(one[2]) ||
      Number(one[1]) - Number(other[1]) ||
      Number(other[3]) - Number(one[3]) ||
      byBytes(decode(String(one[0])), decode(String(other[0])))
    expect(rows).toEqual([...rows].sort(order))
    expect(new Set(rows.map((row) => row[2])).size).toBeLessThan(rows.length / 2)
  })

  it('holds null for less than any count', async () => {
    const adblockers = async (sort: string) =>
      (await table('script/sessions', { sort })).table.rows.map((row) => row[7])
    expect((await adblockers('7:asc'))[0]).toBeNull()
    expect((await adblockers('7:desc')).at(-1)).toBeNull()
  })

  it('means the places of the specification even where rates stand between', async () => {
    const sorted = { sort: '3:desc', limit: 1000 }
    const withRates = await table('script/networks', { ...sorted, rates: true })
    expect(labels(withRates)).toEqual(labels(await table('script/networks', sorted)))
  })
})

describe('a service of other ways', () => {
  const behave = (change: object) => control(sandbox, '/behaviour', change)
  afterEach(() => behave({ ties: 'by-label', labelSort: 'taken', rowsPerPage: null, growing: false }))
  const day = { start: 20261110, end: 20261110, limit: 1000 }
  const counts = (answered: Awaited<ReturnType<typeof table>>) => answered.table.rows.map((row) => row[1])

  it('puts rows of equal count in another order each time, unless the sort says more', async () => {
    const plain = await table('script/referrers', day)
    await behave({ ties: 'shuffled' })
    const [one, other] = [await table('script/referrers', day), await table('script/referrers', day)]
    expect(labels(one)).not.toEqual(labels(other))
    expect([counts(one), counts(other)]).toEqual([counts(plain), counts(plain)])
    expect(labels(await table('script/referrers', { ...day, sort: '1:desc,0:asc' }))).toEqual(labels(plain))
  })

  it('passes over or refuses a sort by the label', async () => {
    const sorted = { ...day, sort: '0:desc,1:desc' }
    await behave({ labelSort: 'ignored' })
    expect(counts(await table('script/networks', sorted))).toEqual(
      counts(await table('script/networks', day)),
    )
    await behave({ labelSort: 'refused' })
    expect((await ask(sandbox, 'script/networks', sorted)).status).toBe(400)
  })

  it('gives fewer rows a page than are asked for', async () => {
    await behave({ rowsPerPage: 7 })
    const { query, table: read } = await table('script/networks', day)
    expect(read.rows).toHaveLength(7)
    expect(query['pages']).toBe(Math.ceil(Number(query['results']) / 7))
  })

  it('counts more of today in each answer, and the same of the days before', async () => {
    const today = { start: 20261120, end: 20261120, limit: 1000 }
    const whole = await table('script/networks', today)
    const before = await table('script/networks', day)
    await behave({ growing: true })
    const sums: number[] = []
    for (let nth = 0; nth < 3; nth += 1) {
      const { table: read } = await table('script/networks', today)
      const sum = read.rows.reduce((all, row) => all + Number(row[1]), 0)
      expect(read.all[1]).toBe(sum)
      sums.push(sum)
    }
    expect(sums).toEqual([...new Set(sums)].sort((one, other) => one - other))
    expect(sums.at(-1)).toBeLessThan(Number(whole.table.all[1]))
    expect((await table('script/networks', day)).table).toEqual(before.table)
  })
})

describe('search', () => {
  it('meets labels that hold it, in upper or lower case, and leaves total and all as they were', async () => {
    const plain = await table('script/browsers')
    const found = await table('script/browsers', { search: 'CHROME' })
    expect(labels(found).sort()).toEqual(['Chrome', 'Chrome Headless', 'Chrome Mobile'])
    expect(found.query['results']).toBe(3)
    expect([found.total, found.table.all]).toEqual([plain.total, plain.table.all])
  })

  it('with startswith meets those that begin with it', async () => {
    const found = await table('script/browsers', { search: 'mobile' })
    expect(labels(found).length).toBeGreaterThan(0)
    expect(labels(await table('script/browsers', { search: 'mobile', startswith: true }))).toEqual([])
    const begins = await table('script/browsers', { search: 'safari', startswith: true })
    expect(labels(begins).sort()).toEqual(['Safari', 'Safari Mobile'])
  })

  it('takes wildcards and signs as they are', async () => {
    expect(labels(await table('script/browsers', { search: '%' })).sort()).toEqual(
      ['Browser+ 100% "Pro"', 'Dolphin%zz/12', 'Silk-100%', 'UC%Browser'].sort(),
    )
    expect(labels(await table('script/sessions', { search: '& co' }))).toEqual(['<b>Bold & Co</b>'])
    expect(labels(await table('script/browsers', { search: '_' }))).toEqual([])
  })
})

describe('pages', () => {
  it('together are the whole list, and a page beyond the last is empty', async () => {
    const all = labels(await table('script/networks', { limit: 1000 }))
    const pages = await Promise.all([1, 2, 3].map((page) => table('script/networks', { page, limit: 7 })))
    expect(pages.flatMap(labels)).toEqual(all)
    expect(pages[0]?.query).toMatchObject({
      results: all.length,
      pages: Math.ceil(all.length / 7),
      page: 1,
      limit: 7,
    })
    expect(labels(await table('script/networks', { page: 99, limit: 7 }))).toEqual([])
  })

  it('hold 20 rows unless asked otherwise, and at most 1,000', async () => {
    expect((await table('script/referrers')).table.rows).toHaveLength(20)
    expect((await table('script/referrers', { limit: 1000 })).table.rows).toHaveLength(1000)
    expect((await ask(sandbox, 'script/referrers', { ...week, limit: 1001 })).status).toBe(400)
  })
})

describe('filters', () => {
  const total = async (path: string, filters: Record<string, unknown>) => (await table(path, filters)).total

  it.each([
    ['direct/browsers', { browser_version: '142' }, { browser: 'Chrome' }],
    ['direct/operating-systems', { os_version: '11' }, { os: 'Windows' }],
    ['script/devices', { model: 'iPhone' }, { manufacturer: 'Apple' }],
    ['script/geography', { city: 'Frankfurt' }, { country: 'Germany', region: 'Hesse' }],
    ['script/geography', { city: 'Frankfurt', region: 'Hesse' }, { country: 'Germany' }],
    ['script/referrers', { path: '/search' }, { host: 'news.example' }],
  ])('of %s: %j is ignored until %j is set, and echoed all the same', async (path, child, parents) => {
    const plain = await total(path, {})
    expect(await total(path, child)).toEqual(plain)
    const both = await total(path, { ...child, ...parents })
    expect(both).not.toEqual(await total(path, parents))
    expect(Object.values(both).some((count) => Number(count) > 0)).toBe(true)
    const echoed = (await table(path, child)).query
    for (const [name, value] of Object.entries(child)) expect(decode(String(echoed[name]))).toBe(value)
  })

  it('name exactly: upper and lower case are told apart, and wildcards are none', async () => {
    const spring = await total('direct/browsers', { campaign: 'spring' })
    expect(spring).not.toEqual(await total('direct/browsers', { campaign: 'Spring' }))
    expect(await total('direct/browsers', { campaign: 'a_b' })).not.toEqual(
      await total('direct/browsers', { campaign: 'a%b' }),
    )
    expect(await total('direct/browsers', { campaign: 'sprin' })).toEqual({
      nonsuspect: 0,
      suspect: 0,
      mobile: 0,
    })
  })

  it('that meet nothing leave empty sums: zero, and null for what nobody looked for', async () => {
    const { total: sums, table: found, query } = await table('script/browsers', { source: 'nowhere' })
    expect(sums).toEqual({ drops: 0, good: 0, warning: 0, bad: 0, mobile: 0, adblocker: null })
    expect([found.rows, query['results'], query['pages']]).toEqual([[], 0, 0])
  })
})
