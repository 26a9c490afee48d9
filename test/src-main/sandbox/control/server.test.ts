import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startControlServer } from '#main/sandbox/control/server.ts'
import { createSandboxState, createClock } from '#main/sandbox/control/state.ts'
import type { SandboxState } from '#main/sandbox/control/state.ts'
import { plainBehaviour } from '#main/sandbox/contracts.ts'
import { day } from '#shared/values/day.ts'

let state: SandboxState
let ended: string[]
let server: { address: string; close: () => Promise<void> }
beforeEach(async () => {
  const today = day('2026-11-20')
  state = createSandboxState({ today, clock: createClock(today, () => 0) })
  ended = []
  const raw = {
    endNext: (outcome: string) => ended.push(outcome),
    summary: () => [{ id: 'a', status: 'Ready' }],
  }
  server = await startControlServer({ state, raw })
})
afterEach(() => server.close())

async function send(method: string, path: string, data?: unknown) {
  const body = data === undefined ? {} : { body: JSON.stringify(data) }
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${server.address}${path}`, { method, headers, ...body })
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  return { status: response.status, data: (await response.json()) as any }
}

describe('the control server', () => {
  it('tells the state', async () => {
    const { data } = await send('GET', '/state')
    expect(data).toEqual({
      now: Date.parse('2026-11-20T12:00:00Z'),
      today: '2026-11-20',
      behaviour: plainBehaviour,
      faults: [],
      tokens: { admin: 'valid', limited: 'valid' },
      requests: 0,
      raw: [{ id: 'a', status: 'Ready' }],
    })
  })

  it.each([
    [{ spaces: 'plus' }, { ...plainBehaviour, spaces: 'plus' }],
    [
      { windows: { tables: 7 } },
      { ...plainBehaviour, windows: { tables: 7, overview: null, lookups: null } },
    ],
    [{ raw: { minutes: 2 } }, { ...plainBehaviour, raw: { ...plainBehaviour.raw, minutes: 2 } }],
    [
      { errorBodies: 'html', clockSkew: -60_000, downloadRanges: false, restated: ['2026-11-19'] },
      {
        ...plainBehaviour,
        errorBodies: 'html',
        clockSkew: -60_000,
        downloadRanges: false,
        restated: ['2026-11-19'],
      },
    ],
  ])('switches the behaviour %o and leaves the rest', async (change, expected) => {
    expect((await send('POST', '/behaviour', change)).status).toBe(200)
    expect(state.behaviour()).toEqual(expected)
  })

  it('can switch every behaviour there is', async () => {
    const { status, data } = await send('POST', '/behaviour', plainBehaviour)
    expect([status, data.behaviour]).toEqual([200, plainBehaviour])
  })

  it.each([
    { kind: 'delay', milliseconds: 5 },
    { kind: 'status', status: 503, retryAfter: '3' },
    { kind: 'cut', after: 0.5 },
    { kind: 'html' },
    { kind: 'malformed' },
    { kind: 'drip', bytes: 10, everyMilliseconds: 5 },
    { kind: 'redirect', to: 'http://127.0.0.1:9/' },
    { kind: 'reset' },
    { kind: 'wrong-length' },
    { kind: 'nothing' },
  ])('takes the fault $kind, for once and anywhere unless told otherwise', async (does) => {
    await send('POST', '/faults', { does })
    await send('POST', '/faults', { path: 'download', times: null, does })
    expect(state.faults.waiting()).toEqual([
      { path: null, times: 1, does },
      { path: 'download', times: null, does },
    ])
    await send('DELETE', '/faults')
    expect(state.faults.waiting()).toEqual([])
  })

  it('advances the clock', async () => {
    const { data } = await send('POST', '/clock', { advance: 86_400_000 })
    expect(data.today).toBe('2026-11-21')
    expect(state.clock.today()).toBe('2026-11-21')
  })

  it('revokes and restores tokens', async () => {
    expect((await send('POST', '/tokens', { revoke: 'limited' })).data.tokens.limited).toBe('revoked')
    expect([state.tokens.isRevoked('limited'), state.tokens.isRevoked('admin')]).toEqual([true, false])
    await send('POST', '/tokens', { restore: 'limited' })
    expect(state.tokens.isRevoked('limited')).toBe(false)
  })

  it('changes which instances the limited token sees', async () => {
    await send('POST', '/tokens', { limit: ['4101', '4117'] })
    expect(state.tokens.limitedTo('interface/instances')).toEqual(['4101', '4117'])
    expect((await send('POST', '/tokens', { limit: ['1'] })).status).toBe(400)
  })

  it('lets the next report fail or time out', async () => {
    await send('POST', '/raw', { next: 'fail' })
    await send('POST', '/raw', { next: 'time-out' })
    expect(ended).toEqual(['failed', 'timed_out'])
  })

  it('restates days, on top of those restated before', async () => {
    await send('POST', '/days/restate', { days: ['2026-11-19'] })
    await send('POST', '/days/restate', { days: ['2026-11-18', '2026-11-19'] })
    expect(state.behaviour().restated).toEqual(['2026-11-18', '2026-11-19'])
  })

  it('tells what was asked, and forgets it', async () => {
    state.requests.add({ path: 'direct/overview', status: 200, parameters: { token: 'x', start: 20261101 } })
    const { data } = await send('GET', '/requests')
    expect(data.requests).toEqual([
      { path: 'direct/overview', status: 200, time: state.clock.now(), parameters: { start: 20261101 } },
    ])
    await send('DELETE', '/requests')
    expect(state.requests.list()).toEqual([])
  })

  it.each([
    ['/behaviour', { spaces: 'tab' }, 'spaces'],
    ['/behaviour', { colour: 'red' }, 'colour'],
    ['/behaviour', { windows: { tables: 0 } }, 'windows.tables'],
    ['/behaviour', { restated: ['2026-02-30'] }, 'A day of the calendar'],
    ['/behaviour', [], 'object'],
    ['/faults', { does: { kind: 'explode' } }, 'does.kind'],
    ['/faults', { does: { kind: 'status', status: 42 } }, 'does.status'],
    ['/faults', { times: 0, does: { kind: 'html' } }, 'times'],
    ['/faults', { does: { kind: 'redirect', to: 'nowhere' } }, 'does.to'],
    ['/clock', { advance: -5 }, 'advance'],
    ['/clock', { advance: '5' }, 'advance'],
    ['/tokens', { revoke: 'expired' }, 'revoke'],
    ['/raw', { next: 'explode' }, 'next'],
    ['/days/restate', { days: 20261119 }, 'days'],
  ])('answers a 400 in words to %s %o, and changes nothing', async (path, data, words) => {
    const before = await send('GET', '/state')
    const answer = await send('POST', path, data)
    expect(answer.status).toBe(400)
    expect(answer.data.error).toContain(words)
    expect(await send('GET', '/state')).toEqual(before)
  })

  it('answers a 400 to a body that is no JSON or has another type, and a 404 elsewhere', async () => {
    const post = (body: string, type: string) =>
      fetch(`${server.address}/clock`, { method: 'POST', body, headers: { 'content-type': type } })
    expect((await post('{', 'application/json')).status).toBe(400)
    expect((await post('{"advance":1}', 'text/plain')).status).toBe(400)
    expect(state.clock.now()).toBe(Date.parse('2026-11-20T12:00:00Z'))
    expect(await send('GET', '/nothing')).toMatchObject({ status: 404, data: { error: expect.any(String) } })
  })
})
