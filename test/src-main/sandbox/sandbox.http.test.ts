import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { endpointPaths } from '#shared/api/endpoints.ts'
import { day } from '#shared/values/day.ts'
import { ask, control } from './asking.ts'

let sandbox: Sandbox
const days = { start: 20261114, end: 20261120 }

beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today: day('2026-11-20') })
})
afterEach(() => control(sandbox, '/behaviour', { errorBodies: 'error-text', bodies: 'both' }))
afterAll(() => sandbox.close())

describe('request bodies', () => {
  it('as a form answer what the same JSON does, sent as 1 and 0 or as words', async () => {
    const asked = { ...days, instance: '4101', rates: 1, rules: 0, search: 'é + %', page: 2 }
    const json = await ask(sandbox, 'script/networks', asked)
    const form = await ask(sandbox, 'script/networks', asked, { form: true })
    expect([form.status, form.text]).toEqual([200, json.text])
  })

  it('as a form hold lists and objects', async () => {
    const fields = new URLSearchParams({ token: sandbox.tokens.admin, type: 'direct', instance: '4101' })
    fields.append('start', '20261110')
    fields.append('end', '20261112')
    for (const column of ['source', 'result']) fields.append('standard[]', column)
    fields.append('filters[0][column]', 'result')
    fields.append('filters[0][operator]', 'no such operator')
    fields.append('filters[0][value]', 'suspect')
    const response = await fetch(`${sandbox.address}/v1/raw/request`, { method: 'POST', body: fields })
    expect(await response.text()).toMatch(/operator/)
    fields.set('filters[0][operator]', 'equals')
    const accepted = await fetch(`${sandbox.address}/v1/raw/request`, { method: 'POST', body: fields })
    expect(await accepted.json()).toMatchObject({ success: true })
  })

  it.each([
    ['json', 'application/x-www-form-urlencoded', 'token=x'],
    ['form', 'application/json', '{}'],
    ['both', 'text/plain', '{}'],
    ['both', 'application/json', '[]'],
    ['both', 'application/json', '{'],
    ['both', 'application/x-www-form-urlencoded', 'a[b][c]=1'],
  ])('where %s is taken, %s %s is a 400', async (bodies, type, body) => {
    await control(sandbox, '/behaviour', { bodies })
    const headers = { 'content-type': type }
    const response = await fetch(`${sandbox.address}/v1/direct/overview`, { method: 'POST', headers, body })
    expect(response.status).toBe(400)
  })

  it('above a megabyte are a 413', async () => {
    expect((await ask(sandbox, 'direct/overview', { ...days, source: 'x'.repeat(1_000_001) })).status).toBe(
      413,
    )
  })
})

describe('HTTP', () => {
  it('knows POST to its 27 endpoints only', async () => {
    expect(endpointPaths).toHaveLength(27)
    for (const path of ['direct/connections', 'direct', '', 'constructor', 'direct/browsers/']) {
      expect((await ask(sandbox, path, days)).status).toBe(404)
    }
    const elsewhere = await fetch(`${sandbox.address}/direct/browsers`, { method: 'POST' })
    expect(elsewhere.status).toBe(404)
    const got = await fetch(`${sandbox.address}/v1/direct/browsers`)
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
  })

  it.each([
    ['error-object', /^\{"error":\{/],
    ['message', /^\{"message":"/],
    ['html', /^<!doctype html>/],
    ['empty', /^$/],
  ])('fails with a body of the form %s', async (errorBodies, form) => {
    await control(sandbox, '/behaviour', { errorBodies })
    const { status, text } = await ask(sandbox, 'direct/overview', {})
    expect([status, text]).toEqual([400, expect.stringMatching(form)])
  })

  it.each(['gzip', 'br'])('compresses with %s where that is taken, and says the same', async (encoding) => {
    const body = JSON.stringify({ token: sandbox.tokens.admin, ...days, limit: 100 })
    const post = (accepted: string) =>
      fetch(`${sandbox.address}/v1/script/referrers`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'accept-encoding': accepted },
        body,
      })
    const [plain, packed] = await Promise.all([post('identity'), post(encoding)])
    expect(packed.headers.get('content-encoding')).toBe(encoding)
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await packed.text()).toBe(await plain.text())
  })

  it('dates its answers, off by as much as it is told', async () => {
    await control(sandbox, '/behaviour', { clockSkew: 3_600_000 })
    const { headers } = await ask(sandbox, 'interface/instances')
    await control(sandbox, '/behaviour', { clockSkew: 0 })
    const off = Date.parse(headers.get('date') ?? '') - Date.now()
    expect(Math.abs(off - 3_600_000)).toBeLessThan(10_000)
  })
})
