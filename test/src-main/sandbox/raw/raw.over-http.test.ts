import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSandbox } from '#main/sandbox/sandbox.ts'
import type { Sandbox } from '#main/sandbox/sandbox.ts'
import { rawStandardColumns, rawTypes } from '#shared/api/raw-columns.ts'
import { day } from '#shared/values/day.ts'
import { today } from './fake-rows.ts'
import type { Answer } from './harness.ts'
import { readCsv, unpack } from './read-archive.ts'

let sandbox: Sandbox
beforeAll(async () => {
  sandbox = await createSandbox({ seed: 7, today })
})
afterAll(() => sandbox.close())

const json = { 'content-type': 'application/json' }

async function post(path: string, parameters: object, on = sandbox, token = on.tokens.admin) {
  const body = JSON.stringify({ token, ...parameters })
  const response = await fetch(`${on.address}/v1/${path}`, { method: 'POST', headers: json, body })
  return { status: response.status, data: (await response.json()) as Answer }
}

async function control(path: string, data: object, on = sandbox) {
  const body = JSON.stringify(data)
  const response = await fetch(`${on.controlAddress}${path}`, { method: 'POST', headers: json, body })
  expect(response.status).toBe(200)
}

/** Requests a report, lets it finish and fetches it. */
async function archive(order: object, on = sandbox) {
  const { data } = await post('raw/request', order, on)
  expect(data.success, decode(data.message)).toBe(true)
  await control('/clock', { advance: 3_600_000 }, on)
  const { url } = (await post('raw/download', { raw: data.id }, on)).data
  const response = await fetch(decode(url))
  expect(response.status).toBe(200)
  const record = (await post('raw/report', { raw: data.id }, on)).data
  return { bytes: Buffer.from(await response.arrayBuffer()), record }
}

const decode = (text: string) => decodeURIComponent(text.replaceAll('+', ' '))

const range = { start: 20261101, end: 20261112 }

describe('raw reports over HTTP', () => {
  it.each(rawTypes)('of type %s hold as many rows as the totals say', async (type) => {
    const { instances } = (await post('interface/instances', { all: false })).data
    const instance = String(instances[1].id)
    const { record, bytes } = await archive({ type, instance, ...range, standard: rawStandardColumns[type] })
    const family = type === 'direct' ? 'direct' : 'script'
    const { total } = (await post(`${family}/overview`, { instance, ...range })).data
    const expected = {
      direct: total.suspect + total.nonsuspect,
      response: total.good + total.warning + total.bad,
      request: total.good + total.warning + total.bad + total.drops,
    }
    const rows = readCsv((await unpack(bytes)).text)
    expect(rows.length - 1).toBe(expected[type])
    expect(record).toMatchObject({ rows: expected[type], file_size: bytes.length })
    expect(rows[0]).toHaveLength(1 + rawStandardColumns[type].length)
    const times = rows.slice(1).map((row) => row[0] ?? '')
    expect(times).toEqual(times.toSorted())
    expect(times[0]?.slice(0, 10)).toBe('2026-11-01')
    expect(times.at(-1)?.slice(0, 10)).toBe('2026-11-12')
  })

  it('can hold drops or requests with responses alone', async () => {
    const order = { type: 'request', instance: '4123', ...range, standard: ['source'] }
    const { total } = (await post('script/overview', { instance: '4123', ...range })).data
    const rows = async (value: string) =>
      (await archive({ ...order, filters: [{ column: 'result', value }] })).record.rows
    expect(await rows('drops')).toBe(total.drops)
    expect(await rows('with-responses')).toBe(total.good + total.warning + total.bad)
  })

  it('are requested by a form as well', async () => {
    const form = new URLSearchParams([
      ['token', sandbox.tokens.admin],
      ['type', 'response'],
      ['instance', '4123'],
      ['start', '20261119'],
      ['end', '20261119'],
      ['standard[]', 'source'],
      ['standard[]', 'result'],
      ['additional[]', '3'],
      ['filters[0][column]', '3'],
      ['filters[0][operator]', 'not_empty'],
      ['send_email', '0'],
    ])
    const response = await fetch(`${sandbox.address}/v1/raw/request`, { method: 'POST', body: form })
    const { id, success } = (await response.json()) as Answer
    expect(success).toBe(true)
    expect((await post('raw/report', { raw: id })).data).toMatchObject({
      columns: { standard: ['source', 'result'], additional: [3] },
      filters: [{ column: '3', operator: 'not_empty' }],
      send_email: false,
    })
    await post('raw/cancel', { raw: id })
  })

  it('are the same, byte for byte, from another sandbox of the same seed and day', async () => {
    const [one, other, third] = await Promise.all([
      createSandbox({ seed: 7, today }),
      createSandbox({ seed: 7, today }),
      createSandbox({ seed: 8, today: day('2026-11-20') }),
    ])
    const order = {
      type: 'direct',
      instance: '4123',
      ...range,
      standard: ['user_agent', 'city'],
      additional: [1, 5],
    }
    const made = await Promise.all([one, other, third].map((each) => archive(order, each)))
    expect(made[1]?.bytes).toEqual(made[0]?.bytes)
    expect(made[1]?.record.file_name).toBe(made[0]?.record.file_name)
    expect(made[2]?.bytes).not.toEqual(made[0]?.bytes)
    await Promise.all([one, other, third].map((each) => each.close()))
  })

  it('are told apart in failures: 404, 403 and a refusal with feedback', async () => {
    expect((await post('raw/report', { raw: 'nonsense' })).status).toBe(404)
    expect((await post('raw/download', { raw: 'nonsense' })).status).toBe(404)
    const usage = await post('raw/table', { processing_usage: true }, sandbox, sandbox.tokens.limited)
    expect(usage.status).toBe(403)
    const refused = await post('raw/request', { type: 'direct', instance: '1', ...range, standard: ['page'] })
    expect(refused.status).toBe(200)
    expect(Object.keys(refused.data.feedback.fail).sort()).toEqual(['instance', 'standard'])
  })

  it('are logged without tokens', async () => {
    const { requests } = (await (await fetch(`${sandbox.controlAddress}/requests`)).json()) as Answer
    const paths = requests.map((each: { path: string }) => each.path)
    expect(paths).toEqual(expect.arrayContaining(['raw/request', 'raw/download', 'download']))
    const text = JSON.stringify(requests)
    for (const token of Object.values(sandbox.tokens)) expect(text).not.toContain(token)
  })
})
