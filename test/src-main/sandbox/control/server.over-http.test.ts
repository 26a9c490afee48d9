import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { day } from '#shared/values/day.ts'

let sandbox: Sandbox
beforeEach(async () => {
  sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
})
afterEach(() => sandbox.close())

// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Data = any

const post = (address: string, data: object) =>
  fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(data),
    redirect: 'manual',
  })

const control = async (path: string, data: object): Promise<Data> =>
  (await post(`${sandbox.controlAddress}${path}`, data)).json()

const ask = (path: string, parameters: object, token = sandbox.tokens.admin) =>
  post(`${sandbox.address}/v1/${path}`, { token, ...parameters })

const week = { start: 20261110, end: 20261116 }

const order = { type: 'response', instance: '4123', ...week, standard: ['result'], send_email: false }

const answered = async (path: string, parameters: object): Promise<Data> =>
  (await ask(path, parameters)).json()

const rawReports = async (): Promise<Data> => (await answered('raw/table', {})).table.rows

describe('control, seen from the service', () => {
  it('lets a request go wrong as often as it was told, at the path it was told', async () => {
    await control('/faults', {
      path: 'script/overview',
      times: 2,
      does: { kind: 'status', status: 429, retryAfter: '1' },
    })
    expect((await ask('direct/overview', week)).status).toBe(200)
    const refused = await ask('script/overview', week)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
    expect((await ask('script/overview', week)).status).toBe(429)
    expect((await ask('script/overview', week)).status).toBe(200)
  })

  it('breaks connections, bodies and JSON', async () => {
    await control('/faults', { does: { kind: 'reset' } })
    await expect(ask('direct/overview', week)).rejects.toThrow()
    await control('/faults', { does: { kind: 'cut', after: 0.5 } })
    await expect(ask('direct/browsers', week).then((response) => response.json())).rejects.toThrow()
    await control('/faults', { does: { kind: 'malformed' } })
    await expect(ask('direct/browsers', week).then((response) => response.json())).rejects.toThrow(
      SyntaxError,
    )
    await control('/faults', { does: { kind: 'redirect', to: sandbox.downloadAddress } })
    expect((await ask('direct/browsers', week)).status).toBe(307)
    expect((await ask('direct/browsers', week)).status).toBe(200)
  })

  it('can lose the answer to a request that was carried out', async () => {
    const before = (await rawReports()).length
    await control('/faults', { path: 'raw/request', does: { kind: 'reset' } })
    await expect(ask('raw/request', order)).rejects.toThrow()
    expect(await rawReports()).toHaveLength(before + 1)
  })

  it('revokes a token and gives it back', async () => {
    await control('/tokens', { revoke: 'limited' })
    expect((await ask('interface/instances', {}, sandbox.tokens.limited)).status).toBe(401)
    expect((await ask('interface/instances', {})).status).toBe(200)
    await control('/tokens', { restore: 'limited' })
    expect((await ask('interface/instances', {}, sandbox.tokens.limited)).status).toBe(200)
    expect((await ask('interface/instances', {}, sandbox.tokens.expired)).status).toBe(401)
  })

  it('restates days: totals and new raw reports change together, and no other day does', async () => {
    const totals = async (range: object): Promise<Data> =>
      (await answered('script/overview', { ...range, instance: '4123' })).total
    const bad = async (): Promise<number> => {
      const asked: Data = await (
        await ask('raw/request', {
          ...order,
          filters: [{ column: 'result', operator: 'equals', value: 'bad' }],
        })
      ).json()
      await control('/clock', { advance: 60_000 })
      return (await answered('raw/report', { raw: asked.id })).rows
    }
    const [before, elsewhere] = [await totals(week), await totals({ start: 20261101, end: 20261109 })]
    expect(await bad()).toBe(before.bad)
    await control('/days/restate', { days: ['2026-11-12', '2026-11-13'] })
    const after = await totals(week)
    expect(after).not.toEqual(before)
    expect(await bad()).toBe(after.bad)
    expect(await totals({ start: 20261101, end: 20261109 })).toEqual(elsewhere)
  })

  it('moves the day on: tomorrow can be asked for, and 91 days ago no longer', async () => {
    const start = { ...order, start: 20260822, end: 20260822 }
    const feedback = async (change: object): Promise<Data> => {
      const answer: Data = await (await ask('raw/request', change)).json()
      if (answer.id) await ask('raw/cancel', { raw: answer.id })
      return answer.feedback.fail
    }
    expect(await feedback(start)).toEqual({})
    expect(await feedback({ ...order, end: 20261121 })).toHaveProperty('end')
    await control('/clock', { advance: 86_400_000 })
    expect(await feedback(start)).toHaveProperty('start')
    expect(await feedback({ ...order, end: 20261121 })).toEqual({})
  })

  it('lets the next report fail', async () => {
    await control('/raw', { next: 'fail' })
    const { id }: Data = await (await ask('raw/request', order)).json()
    await control('/clock', { advance: 60_000 })
    const found = (await rawReports()).find((each: Data) => each.id === id)
    expect(found).toMatchObject({ status: 'Failed', created: null })
    expect(Date.parse(found.failed)).toBeGreaterThan(Date.parse(found.requested))
  })

  it('counts what was asked', async () => {
    await ask('direct/browsers', { ...week, page: 2 })
    await ask('direct/browsers', { ...week, page: 3 })
    const { requests }: Data = await (await fetch(`${sandbox.controlAddress}/requests`)).json()
    expect(requests.map((each: Data) => [each.path, each.status, each.parameters.page])).toEqual([
      ['direct/browsers', 200, 2],
      ['direct/browsers', 200, 3],
    ])
    expect(JSON.stringify(requests)).not.toContain(sandbox.tokens.admin)
  })
})
