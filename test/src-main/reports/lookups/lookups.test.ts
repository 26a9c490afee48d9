import { describe, expect, it } from 'vitest'
import { firstId } from '#test/src-main/database/helpers.ts'
import { settled } from '../clock.ts'
import { desk } from '../helpers.ts'

const all = { account: firstId, name: null, page: 1, limit: 20 }
const day = 24 * 60 * 60_000

const many = [
  { id: 1, name: 'Alpha%20Shop' },
  { id: 2, name: 'Beta' },
  { id: 3, name: 'ALPHABET' },
]

describe('instances', () => {
  it('are kept for a day, and renewed behind the kept page then', async () => {
    const { reports, service, clock, received } = await desk()
    const first = await reports.instances(all)
    expect(first).toMatchObject({
      fetchedAt: clock.now(),
      failure: null,
      answer: { instances: [{ id: '1', name: 'First' }] },
    })
    await clock.move(day - 1)
    await reports.instances({ ...all, name: '' })
    expect(service.asked).toMatchObject([{ given: { page: 1, limit: 20 } }])
    await clock.move(1)
    service.instances = many
    received()
    expect((await reports.instances(all)).answer.instances).toHaveLength(1)
    await settled()
    expect(received()).toEqual(['changed interface/instances?page=1&limit=20'])
    expect((await reports.instances(all)).answer.instances).toHaveLength(3)
    expect(service.asked).toHaveLength(2)
  })

  it('are asked by name, each name and page kept for itself', async () => {
    const { reports, service } = await desk()
    await reports.instances({ ...all, name: 'al' })
    await reports.instances({ ...all, name: 'al', page: 2 })
    await reports.instances({ ...all, name: 'al' })
    expect(service.asked.map((each) => each.given)).toEqual([
      { name: 'al', page: 1, limit: 20 },
      { name: 'al', page: 2, limit: 20 },
    ])
  })

  it('are one request, however often they are asked at once', async () => {
    const { reports, service } = await desk()
    await Promise.all([reports.instances(all), reports.instances(all)])
    expect(service.asked).toHaveLength(1)
  })

  it('say why a stale page could not be renewed', async () => {
    const { reports, service, clock } = await desk()
    await reports.instances(all)
    await clock.move(day)
    service.failure = 'offline'
    await reports.instances(all)
    await settled()
    expect(await reports.instances(all)).toMatchObject({
      failure: { kind: 'offline' },
      answer: { instances: [{ id: '1' }] },
    })
    expect(service.asked).toHaveLength(2)
  })
})

describe('instances offline', () => {
  it('are found by a part of their name among all that is kept, page by page', async () => {
    const { reports, service, clock } = await desk({ watching: true })
    service.instances = many
    reports.wake()
    await settled()
    const stored = clock.now()
    await clock.move(60_000)
    service.failure = 'offline'
    const found = await reports.instances({ ...all, name: 'alpha', limit: 1 })
    expect(found).toEqual({
      answer: {
        instances: [expect.objectContaining({ id: '1', name: 'Alpha Shop' })],
        query: { results: 2, pages: 2, echo: {} },
      },
      fetchedAt: stored,
      failure: expect.objectContaining({ kind: 'offline' }),
      narrowed: null,
    })
    const second = await reports.instances({ ...all, name: 'alpha', limit: 1, page: 2 })
    expect(second.answer.instances).toMatchObject([{ id: '3', name: 'ALPHABET' }])
    expect((await reports.instances(all)).answer.instances).toHaveLength(3)
    expect((await reports.instances({ ...all, name: 'gamma' })).answer.instances).toEqual([])
  })

  it('wait for no attempt while the service is known to be away', async () => {
    const { reports, service, clock } = await desk({ watching: true })
    service.instances = many
    reports.wake()
    await settled()
    await clock.move(60_000)
    service.failure = 'offline'
    reports.wake()
    await settled()
    const asked = service.asked.length
    expect(await reports.instances({ ...all, name: 'beta' })).toMatchObject({
      failure: { kind: 'offline' },
      answer: { instances: [{ id: '2' }] },
    })
    expect(service.asked).toHaveLength(asked)
  })

  it('fail where nothing is kept', async () => {
    const { reports, service } = await desk()
    service.failure = 'offline'
    await expect(reports.instances(all)).rejects.toMatchObject({ failure: { kind: 'offline' } })
  })
})
