import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { endpointPaths } from '#shared/api/endpoints.ts'
import { day } from '#shared/values/day.ts'
import { ask, control, decode } from './asking.ts'

let sandbox: Sandbox
const days = { start: 20261114, end: 20261120 }

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
})
afterAll(() => sandbox.close())

describe('tokens', () => {
  it.each([
    ['missing', undefined, 400],
    ['empty', '', 400],
    ['malformed', 'no token', 400],
    ['unknown', 'a'.repeat(40), 401],
  ])('%s: refused', async (_, token, status) => {
    expect((await ask(sandbox, 'interface/instances', { token })).status).toBe(status)
  })

  it('expired: refused on every endpoint', async () => {
    const { expired } = sandbox.tokens
    for (const path of endpointPaths)
      expect((await ask(sandbox, path, {}, { token: expired })).status).toBe(401)
  })

  it('revoked: refused until it is restored', async () => {
    await control(sandbox, '/tokens', { revoke: 'limited' })
    const token = sandbox.tokens.limited
    expect((await ask(sandbox, 'interface/instances', {}, { token })).status).toBe(401)
    await control(sandbox, '/tokens', { restore: 'limited' })
    expect((await ask(sandbox, 'interface/instances', {}, { token })).status).toBe(200)
  })

  it('limited: no figures of other instances, and no word of whether they exist', async () => {
    const token = sandbox.tokens.limited
    for (const path of ['direct/overview', 'script/browsers', 'interface/sources', 'interface/campaigns']) {
      for (const instance of ['4140', '9999']) {
        expect((await ask(sandbox, path, { ...days, instance }, { token })).status).toBe(403)
      }
    }
    expect((await ask(sandbox, 'direct/overview', { ...days, instance: '9999' })).status).toBe(404)
  })
})

describe('parameters that are refused', () => {
  it.each([
    ['script/browsers', { start: 20261120, end: 20261114 }, 'start is after end'],
    ['script/browsers', { end: 20261114 }, 'start is missing'],
    ['script/browsers', { ...days, start: 20260230 }, 'start has to be a day'],
    ['script/browsers', { ...days, start: '2026-11-14' }, 'start has to be a day'],
    ['script/browsers', { ...days, start: true }, 'start has to be a day'],
    ['script/browsers', { ...days, page: 0 }, 'page has to be 1 or more'],
    ['script/browsers', { ...days, page: 1.5 }, 'page has to be a whole number'],
    ['script/browsers', { ...days, limit: 0 }, 'limit has to be 1 or more'],
    ['script/browsers', { ...days, limit: 1001 }, 'limit has to be 1000 or less'],
    ['script/browsers', { ...days, limit: 'all' }, 'limit has to be a whole number'],
    ['script/browsers', { ...days, rates: 'yes' }, 'rates has to be true or false'],
    ['script/browsers', { ...days, search: {} }, 'search has to be text'],
    ['script/browsers', { ...days, source: ['a'] }, 'source has to be text'],
    ['script/browsers', { ...days, sort: '1:asc,2:asc,3:asc,4:asc' }, 'sort takes at most 3 items'],
    ['script/browsers', { ...days, sort: '8:asc' }, 'sort: the table has no column 8'],
    ['direct/browsers', { ...days, sort: '5:asc' }, 'sort: the table has no column 5'],
    ['script/browsers', { ...days, sort: '-1:asc' }, 'sort takes items such as'],
    ['script/browsers', { ...days, sort: 'Browser:asc' }, 'sort takes items such as'],
    ['script/browsers', { ...days, sort: '1:up' }, 'sort takes items such as'],
    ['direct/overview', { start: 20160101, end: 20261120 }, 'is wider than 3660 days'],
    [
      'raw/request',
      { ...days, type: 'direct', instance: 4101, standard: 'source' },
      'standard has to be a list',
    ],
    ['raw/remove', {}, 'raw is missing'],
  ])('%s %j: 400, %s', async (path, parameters, words) => {
    const { status, body } = await ask(sandbox, path, parameters)
    expect([status, body.error]).toEqual([400, expect.stringContaining(words)])
  })

  it('a range wider than the account may ask for, by kind of endpoint', async () => {
    await control(sandbox, '/behaviour', { windows: { tables: 7, overview: 31, lookups: 7 } })
    const status = async (path: string, start: number) =>
      (await ask(sandbox, path, { start, end: 20261120 })).status
    const asked: [string, number][] = [
      ['script/browsers', 20261114],
      ['script/browsers', 20261113],
      ['script/overview', 20261021],
      ['script/overview', 20261020],
      ['interface/sources', 20261114],
      ['interface/campaigns', 20261113],
    ]
    const statuses = await Promise.all(asked.map(([path, start]) => status(path, start)))
    await control(sandbox, '/behaviour', { windows: { tables: null, overview: null, lookups: null } })
    expect(statuses).toEqual([200, 400, 200, 400, 200, 400])
  })
})

describe('query', () => {
  it('echoes what was supplied, and false or a default for the rest', async () => {
    const { query } = (await ask(sandbox, 'direct/geography', { ...days, country: 'São Tomé + 1', rates: 1 }))
      .body
    expect(decode(String(query['country']))).toBe('São Tomé + 1')
    expect({ ...query, country: 'checked' }).toEqual({
      ...days,
      ...{ instance: false, source: false, campaign: false, chart: false },
      ...{ country: 'checked', region: false, city: false },
      ...{ rates: true, rules: false, search: false, startswith: false, sort: '1:desc', page: 1, limit: 20 },
      ...{ results: 0, pages: 0 },
    })
  })

  it('of an overview has the common parameters only, and of a look-up its own', async () => {
    const overview = (await ask(sandbox, 'script/overview', days)).body.query
    expect(Object.keys(overview)).toEqual(['start', 'end', 'instance', 'source', 'campaign', 'chart'])
    const { query } = (await ask(sandbox, 'interface/sources', { ...days, all: false })).body
    expect(query).toEqual({
      ...days,
      instance: false,
      source: false,
      all: false,
      page: 1,
      limit: 20,
      results: 12,
      pages: 1,
    })
  })

  it('echoes the token only where the service is careless, and unknown members only where it has them', async () => {
    const plain = await ask(sandbox, 'direct/browsers', days)
    expect(plain.text).not.toContain(sandbox.tokens.admin)
    await control(sandbox, '/behaviour', { echoesToken: true, unknownMembers: true })
    const careless = (await ask(sandbox, 'direct/browsers', days)).body
    await control(sandbox, '/behaviour', { echoesToken: false, unknownMembers: false })
    expect(careless.query['token']).toBe(sandbox.tokens.admin)
    expect(careless).toHaveProperty('served_by')
  })
})
