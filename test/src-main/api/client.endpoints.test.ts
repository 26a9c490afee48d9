import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import type { ServiceClient } from '#main/api/client.ts'
import { bodyEncodings } from '#shared/accounts/account.ts'
import { serviceDimensions, headersOf, offers, totalsOf, familyNames } from '#shared/api/dimensions.ts'
import { tablePath } from '#shared/api/endpoints.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { failureOfCall, week } from '#test/helpers/service-client.ts'

let running: RunningSandbox
let client: ServiceClient

beforeAll(async () => {
  running = await runningSandbox()
  client = running.client()
})

afterAll(() => running.close())

const tables = familyNames.flatMap((family) =>
  serviceDimensions
    .filter((dimension) => offers(family, dimension))
    .map((dimension) => ({ family, dimension, path: tablePath(family, dimension) ?? 'script/sessions' })),
)

const sum = (numbers: readonly (number | string | null | undefined)[]) =>
  numbers.reduce<number>((total, each) => total + (typeof each === 'number' ? each : 0), 0)

describe.each(tables)('$path', ({ family, dimension, path }) => {
  it('has its headers, and totals that its rows add up to', async () => {
    const { answer, text } = await client.call(path, { ...week, limit: 1000 })
    expect(answer.table.headers).toEqual(headersOf(family, dimension))
    expect(Object.keys(answer.total)).toEqual(totalsOf(family, dimension))
    const bad = family === 'script' ? 'Bad' : 'Suspect'
    const column = answer.table.headers.indexOf(bad) - 1
    const total = family === 'script' ? answer.total.bad : answer.total.suspect
    expect(answer.table.all?.cells[column]).toBe(total)
    if (answer.query.pages === 1) expect(sum(answer.table.rows.map((row) => row.cells[column]))).toBe(total)
    expect(decodeAnswer(path, text)).toEqual(answer)
    expect(answer.unknown).toEqual({})
  })

  it('has rates after each count, rule sets by header, and a chart', async () => {
    const { answer } = await client.call(path, { ...week, rates: true, rules: true, chart: true })
    const counts = headersOf(family, dimension).slice(1)
    expect(answer.table.headers.slice(1, 1 + counts.length * 2)).toEqual(
      counts.flatMap((each) => [each, `${each} Rate`]),
    )
    expect(answer.chart?.days).toHaveLength(7)
    const charted = answer.chart?.series.map(({ header }) => header) ?? []
    expect(charted).toContain(family === 'script' ? 'Bad' : 'Suspect')
    expect(counts).toEqual(expect.arrayContaining(charted))
  })
})

describe.each(familyNames)('%s/overview', (family) => {
  it('has its totals, and a chart that adds up to them', async () => {
    const { answer } = await client.call(`${family}/overview`, { ...week, chart: true })
    expect(Object.keys(answer.total)).toEqual(totalsOf(family))
    const header = family === 'script' ? 'Bad' : 'Suspect'
    const values = answer.chart?.series.find((series) => series.header === header)?.values ?? []
    expect(sum(values)).toBe(family === 'script' ? answer.total.bad : answer.total.suspect)
  })
})

describe('look-ups', () => {
  it('list instances, with and without the entry for all of them', async () => {
    const all = (await client.call('interface/instances', { limit: 1000 })).answer.instances
    const some = (await client.call('interface/instances', { limit: 1000, all: false })).answer.instances
    expect(all.filter((each) => each.all)).toHaveLength(1)
    expect(some).toEqual(all.filter((each) => !each.all))
    const names = some.map((each) => each.name)
    expect(names.some((name) => name.includes('+'))).toBe(true)
    expect(names.some((name) => name.includes('é'))).toBe(true)
  })

  it('list sources and campaigns', async () => {
    const { sources } = (await client.call('interface/sources', { ...week, limit: 1000 })).answer
    const { campaigns } = (await client.call('interface/campaigns', { ...week, limit: 1000 })).answer
    expect(sources).toContain('All Sources')
    expect(campaigns).toContain('All Campaigns')
  })

  it('name sources that filter as they are named', async () => {
    const { sources } = (await client.call('interface/sources', { ...week, all: false, limit: 1000 })).answer
    for (const source of sources) {
      const { answer } = await client.call('script/overview', { ...week, source })
      expect(answer.query).toHaveProperty('source', source)
    }
    expect(sources.length).toBeGreaterThan(0)
  })
})

describe('labels', () => {
  it('filter as they are named, whatever is in them', async () => {
    const { table } = (await client.call('script/browsers', { ...week, limit: 1000 })).answer
    for (const row of table.rows) {
      if (row.label.kind !== 'text') throw new Error('A browser is named by text')
      const { answer } = await client.call('script/browsers', { ...week, search: row.label.text })
      expect(answer.table.rows).toContainEqual(row)
    }
    expect(table.rows.length).toBeGreaterThan(5)
  })
})

describe('a search', () => {
  const labelsWith = async (search: string) =>
    (await client.call('script/browsers', { ...week, search, limit: 1000 })).answer.table.rows.map(
      ({ label }) => (label.kind === 'text' ? label.text.toLowerCase() : ''),
    )

  it.each(bodyEncodings)('may be for the beginning alone, asked with a %s body', async (bodyEncoding) => {
    const all = await labelsWith('s')
    const asking = running.client({ bodyEncoding })
    const { answer } = await asking.call('script/browsers', {
      ...week,
      search: 's',
      startswith: true,
      limit: 1000,
    })
    expect(answer.query.results).toBe(all.filter((label) => label.startsWith('s')).length)
    expect(answer.query.results).toBeLessThan(all.length)
  })
})

describe('raw reports', () => {
  it.each(bodyEncodings)(
    'are requested, listed, read, cancelled and removed with a %s body',
    async (bodyEncoding) => {
      const asking = running.client({ bodyEncoding })
      const requested = await asking.call('raw/request', {
        ...week,
        type: 'request',
        instance: '4101',
        standard: ['source', 'browser_name'],
        name: 'A "report" 50%+ é 中',
        additional: [1, 3],
        filters: [{ column: 'source', operator: 'not_equals', value: 'x & y+z' }],
        send_email: false,
      })
      expect(requested.answer).toMatchObject({ success: true })
      const id = requested.answer.id ?? ''
      const { rows } = (await asking.call('raw/table', { search: 'report', limit: 1000 })).answer
      expect(rows.find((row) => row.id === id)).toMatchObject({
        name: 'A "report" 50%+ é 中',
        status: 'In Progress',
      })
      expect((await asking.call('raw/report', { raw: id })).answer).toMatchObject({
        id,
        name: 'A "report" 50%+ é 中',
        type: 'Request',
        start: week.start,
        end: week.end,
        instance_id: '4101',
        columns: { standard: ['source', 'browser_name'], additional: [1, 3] },
        filters: [{ column: 'source', operator: 'not_equals', value: 'x & y+z' }],
        send_email: false,
        created: null,
      })
      expect((await asking.call('raw/cancel', { raw: id })).answer.success).toBe(true)
      expect((await asking.call('raw/remove', { raw: [id] })).answer.success).toBe(true)
      expect((await failureOfCall(asking.call('raw/report', { raw: id }))).kind).toBe('not-found')
    },
  )

  it('give an address from which they are fetched', async () => {
    const { rows } = (await client.call('raw/table', { limit: 1000 })).answer
    const ready = rows.find((row) => row.created !== null && row.failed === null)
    const { url } = (await client.call('raw/download', { raw: ready?.id ?? '' })).answer
    const response = await fetch(url)
    expect(response.status).toBe(200)
    expect(
      Buffer.from(await response.arrayBuffer())
        .subarray(0, 2)
        .toString(),
    ).toBe('PK')
  })

  it('tell what may still be processed, and to admins how it was used', async () => {
    const { limits, usage } = (await client.call('raw/table', { processing_usage: true })).answer
    expect(limits).toMatchObject({ minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2 })
    expect(Object.keys(usage)).not.toEqual([])
  })
})
