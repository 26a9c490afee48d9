import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEvents } from '#main/sandbox/events/events.ts'
import { eventRecords } from '#test/src-main/sandbox/events/event-records.ts'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { day } from '#shared/values/day.ts'
import { ask, control, decode } from './asking.ts'

let sandbox: Sandbox
const today = day('2026-11-20')
const week = { start: 20261112, end: 20261114 }

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today })
})
afterAll(() => sandbox.close())

const instances = async (parameters: Record<string, unknown> = {}, token = sandbox.tokens.admin) => {
  const { body } = await ask(sandbox, 'interface/instances', parameters, { token })
  return {
    names: body.instances.map((each) => decode(each.name)),
    ids: body.instances.map((each) => each.id),
    body,
  }
}

describe('instances', () => {
  it('begin with the entry for all, unless it is not wanted', async () => {
    const { names, ids } = await instances()
    expect([names[0], decode(String(ids[0])), names.length]).toEqual(['All Instances', 'All Instances', 8])
    expect((await instances({ all: false })).names).toEqual(names.slice(1))
  })

  it('are met by a part of their name, as it is', async () => {
    expect((await instances({ all: false, name: 'CAFÉ "AM' })).names).toEqual(['Café "Am Eck" / Bar'])
    expect((await instances({ all: false, name: '50%25 +' })).names).toEqual(["L'été 50%25 + more"])
    expect((await instances({ name: 'nobody' })).body.query).toMatchObject({ results: 0, pages: 0 })
  })

  it('come in pages, the entry for all before the first and beyond its limit', async () => {
    const { names } = await instances()
    const pages = await Promise.all([1, 2, 3, 4, 5].map((page) => instances({ page, limit: 2 })))
    expect(pages.map((page) => page.names.length)).toEqual([3, 2, 2, 1, 0])
    expect(pages.flatMap((page) => page.names)).toEqual(names)
    expect(pages[0]?.body.query).toMatchObject({ results: 7, pages: 4 })
  })

  it('of a limited token are its own two', async () => {
    const { names } = await instances({ all: false }, sandbox.tokens.limited)
    expect(names).toEqual(["L'été 50%25 + more", 'Northwind News'])
  })

  it('have ids that are numbers, texts, or now one and now the other', async () => {
    const kinds = async (instanceIds: string) => {
      await control(sandbox, '/behaviour', { instanceIds })
      const pages = Array.from({ length: 30 }, (_, index) => instances({ all: false, limit: 30 + index }))
      return new Set((await Promise.all(pages)).flatMap(({ ids }) => ids.map((each) => typeof each)))
    }
    expect(await kinds('number')).toEqual(new Set(['number']))
    expect(await kinds('text')).toEqual(new Set(['string']))
    expect(await kinds('mixed')).toEqual(new Set(['number', 'string']))
  })
})

describe('sources and campaigns', () => {
  const records = [...eventRecords(createEvents(7, today))].filter(
    (each) => each.day >= '2026-11-12' && each.day <= '2026-11-14',
  )
  const distinct = (values: string[]) =>
    [...new Set(values)].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)))

  it('are those that occur in the range, for an instance, and for a source', async () => {
    const own = records.filter((each) => each.instance === '4166' && each.source === '百度推广')
    const asked = { ...week, all: false, instance: 4166 }
    const sources = (await ask(sandbox, 'interface/sources', asked)).body.sources
    const ofInstance = records.filter((each) => each.instance === '4166').map((each) => each.source)
    expect(sources.map(decode)).toEqual(distinct(ofInstance))
    const { campaigns } = (await ask(sandbox, 'interface/campaigns', { ...asked, source: '百度推广' })).body
    expect(campaigns.map(decode)).toEqual(distinct(own.map((each) => each.campaign)))
    const everywhere = (await ask(sandbox, 'interface/campaigns', { ...week, all: false })).body.campaigns
    expect(campaigns.length).toBeLessThan(everywhere.length)
  })

  it('begin with the entry for all and are met by a part of their text', async () => {
    const { sources } = (await ask(sandbox, 'interface/sources', { ...week, source: 'SEARCH' })).body
    expect(sources.map(decode)).toEqual(['All Sources', 'Search', 'search'])
    const found = (await ask(sandbox, 'interface/campaigns', { ...week, campaign: '%', limit: 1 })).body
    expect(found.campaigns.map(decode)).toEqual(['All Campaigns', '100% cashback'])
    expect(found.query).toMatchObject({ results: 2, pages: 2 })
  })

  it('occur nowhere outside of the days kept', async () => {
    const { sources } = (await ask(sandbox, 'interface/sources', { start: 20250101, end: 20250103 })).body
    expect(sources.map(decode)).toEqual(['All Sources'])
  })
})
