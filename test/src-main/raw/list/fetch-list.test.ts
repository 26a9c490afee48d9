import { describe, expect, it } from 'vitest'
import { fetchList } from '#main/raw/list/fetch-list.ts'
import { FakeService, failing, ready, row } from '../fake-service.ts'

const signal = new AbortController().signal

function serviceWith(count: number): FakeService {
  const service = new FakeService()
  for (let made = 0; made < count; made += 1) service.put(row(`r${made}`))
  return service
}

const fetched = (service: FakeService, usage = false) => fetchList({ client: service.client, usage, signal })

describe('the whole list', () => {
  it('is all pages of it, of the largest size', async () => {
    const service = serviceWith(25)
    service.pageSize = 10
    const list = await fetched(service)
    expect(list).toMatchObject({ complete: true, limits: { minutes_available: 300 } })
    expect(new Set(list.rows.map(({ id }) => id)).size).toBe(25)
    expect(service.calls.map(({ given }) => given)).toEqual([
      { limit: 1000 },
      { limit: 1000, page: 2 },
      { limit: 1000, page: 3 },
    ])
  })

  it('is nothing where there is nothing', async () => {
    expect(await fetched(serviceWith(0))).toMatchObject({ rows: [], complete: true })
  })

  it('is fetched again where it changes between its pages', async () => {
    const service = serviceWith(25)
    service.pageSize = 10
    service.after = () => {
      if (service.calls.length === 2) service.put(row('new'))
    }
    const list = await fetched(service)
    expect(list.complete).toBe(true)
    expect(list.rows).toHaveLength(26)
    expect(service.calls.length).toBeGreaterThan(3)
  })

  it('that never comes out whole is what came, not complete, after three attempts', async () => {
    const service = serviceWith(5)
    service.page = (answer) => ({ ...answer, query: { ...answer.query, results: 6 } })
    const list = await fetched(service)
    expect(list.complete).toBe(false)
    expect(list.rows).toHaveLength(5)
    expect(service.calls).toHaveLength(3)
  })

  it('with a report that cannot be read is the others, never complete, and is not fetched again at once', async () => {
    const service = serviceWith(5)
    // Counted by the service or not: it may be any of those that are missing.
    for (const results of [5, 6]) {
      service.calls.length = 0
      service.page = (answer) => ({ ...answer, query: { ...answer.query, results }, unreadable: 1 })
      const list = await fetched(service)
      expect(list).toMatchObject({ complete: false, unreadable: 1 })
      expect(list.rows).toHaveLength(5)
      expect(service.calls).toHaveLength(1)
    }
  })

  it('has each report once, and is not whole where one stands in the place of another', async () => {
    const service = serviceWith(3)
    service.put(row('done', ready))
    service.page = (answer) => {
      const [first, ...others] = answer.rows
      if (!first) return answer
      // The report that is done comes again as it was before; another one is left out.
      return { ...answer, rows: [first, row('done'), ...others.slice(1)] }
    }
    const list = await fetched(service)
    expect(list.rows.map(({ id, status }) => [id, status])).toEqual([
      ['done', 'Ready'],
      ['r1', 'In Progress'],
      ['r0', 'In Progress'],
    ])
    expect(list.complete).toBe(false)
  })

  it('stops at a page that is empty, and at more pages than any service has', async () => {
    const service = serviceWith(3)
    service.page = (answer) => ({ ...answer, query: { ...answer.query, pages: 1e9 } })
    expect((await fetched(service)).rows).toHaveLength(3)
    service.page = (answer, page) => ({
      ...answer,
      rows: [row(`p${page}`)],
      query: { ...answer.query, results: 1e9, pages: 1e9 },
    })
    service.calls.length = 0
    expect((await fetched(service)).rows).toHaveLength(100)
    expect(service.calls).toHaveLength(300)
  })

  it('leaves out rows that nobody can ask for again', async () => {
    const service = serviceWith(1)
    service.put(row('x'.repeat(1001)), row('\ud800'), row('a\0b'))
    expect((await fetched(service)).rows.map(({ id }) => id)).toEqual(['r0'])
  })

  it('fails where the service does', async () => {
    const service = serviceWith(1)
    service.before = () => {
      throw failing('offline')
    }
    await expect(fetched(service, true)).rejects.toThrow('offline')
    expect(service.calls).toHaveLength(1)
  })
})

describe('the breakdown of usage', () => {
  it('is asked for once, with the first page', async () => {
    const service = serviceWith(15)
    service.pageSize = 10
    service.admin = true
    expect(await fetched(service, true)).toMatchObject({
      mayUsage: true,
      usage: { usage: [{ date: 20261120 }] },
    })
    expect(service.calls.map(({ given }) => given['processing_usage'])).toEqual([true, undefined])
  })

  it('is done without where it is refused, or not given', async () => {
    const service = serviceWith(1)
    expect(await fetched(service, true)).toMatchObject({ mayUsage: false, usage: {}, complete: true })
    expect(service.calls).toHaveLength(2)
    service.admin = true
    service.page = (answer) => ({ ...answer, usage: {} })
    expect(await fetched(service, true)).toMatchObject({ mayUsage: false })
  })
})
