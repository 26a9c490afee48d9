import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { AccessToken } from '#main/api/token.ts'
import { browsersAnswer, overviewAnswer, rawRequestedAnswer } from '#test/helpers/answers.ts'
import { json, plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Script, ScriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall, standingClock, tokenText, week } from '#test/helpers/service-client.ts'

const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function open(
  script: Script,
  options: Parameters<typeof clientFor>[1] = {},
): Promise<{ server: ScriptedServer; client: ServiceClient }> {
  const server = await scriptedServer(script)
  const client = clientFor(server.address, options)
  opened.push(client, server)
  return { server, client }
}

const packed =
  (coding: string, body: Buffer): Script =>
  (_, response) => {
    response.writeHead(200, { 'content-encoding': coding })
    response.end(body)
  }

const overviewBytes = Buffer.from(JSON.stringify(overviewAnswer))

describe('a call', () => {
  it('posts its parameters with the token to its endpoint', async () => {
    const { server, client } = await open(json(browsersAnswer))
    await client.call('script/browsers', { ...week, browser: 'Chrome', limit: 1000 })
    const [request] = server.requests
    expect(request).toMatchObject({ method: 'POST', path: '/v1/script/browsers' })
    expect(request?.headers['content-type']).toBe('application/json')
    expect(request?.headers['accept-encoding']).toBe('gzip, br')
    expect(JSON.parse(request?.body ?? '')).toEqual({
      token: tokenText,
      start: 20261114,
      end: 20261120,
      browser: 'Chrome',
      limit: 1000,
    })
  })

  it('posts a form where the account says so', async () => {
    const { server, client } = await open(json(overviewAnswer), { bodyEncoding: 'form' })
    await client.call('script/overview', { ...week, chart: true })
    expect(server.requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded')
    expect(server.requests[0]?.body).toBe(
      `token=${encodeURIComponent(tokenText)}&start=20261114&end=20261120&chart=1`,
    )
  })

  it('goes below the base path of an address', async () => {
    const server = await scriptedServer(json(overviewAnswer))
    const client = clientFor(`${server.address}/api`)
    opened.push(client, server)
    await client.call('script/overview', week)
    expect(server.requests[0]?.path).toBe('/api/v1/script/overview')
  })

  it('gives the answer, its text and when it came', async () => {
    const clock = standingClock(1_800_000_000_000)
    const { client } = await open(json(browsersAnswer), { clock })
    const received = await client.call('script/browsers', week)
    expect(received.receivedAt).toBe(1_800_000_000_000)
    expect(received.text).toBe(JSON.stringify(browsersAnswer))
    expect(received.answer.table.rows[0]?.label).toEqual({ kind: 'text', text: 'Chrome + more' })
    expect(decodeAnswer('script/browsers', received.text)).toEqual(received.answer)
  })

  it.each([
    ['ahead', 4 * 86_400_000, [4 * 86_400_000]],
    ['hardly ahead', 4 * 60_000, []],
    ['behind', -4 * 86_400_000, []],
  ])('says by how much this clock runs before the service’s, where it is %s', async (_, by, told) => {
    const clock = standingClock()
    const date = new Date(clock.now() - by).toUTCString()
    const onProxyAnswer: number[][] = []
    const { client } = await open(plain(200, JSON.stringify(overviewAnswer), { date }), {
      clock,
      ahead: (...ahead) => onProxyAnswer.push(ahead),
    })
    const { receivedAt } = await client.call('script/overview', week)
    expect(receivedAt).toBe(clock.now())
    expect(onProxyAnswer).toEqual(told.map((each) => [each, receivedAt]))
  })

  it.each(['', 'soon'])('says nothing of clocks where there is no date: %j', async (date) => {
    const ahead = () => expect.unreachable()
    const { client } = await open(plain(200, JSON.stringify(overviewAnswer), date ? { date } : {}), { ahead })
    await client.call('script/overview', week)
  })

  it('never lets an echoed token out, however it is written', async () => {
    const echoes = [tokenText, encodeURIComponent(tokenText)]
    const query = { ...overviewAnswer.query, token: tokenText, source: encodeURIComponent(tokenText) }
    const { client } = await open(json({ ...overviewAnswer, query, debug: { echoes } }))
    const { answer, text } = await client.call('script/overview', week)
    expect(JSON.stringify({ answer, text })).not.toContain('5e15a')
    expect(answer.query).toEqual({ start: 20261114, end: 20261120, source: '[token]' })
  })

  it.each([
    ['gzip', gzipSync(overviewBytes)],
    ['GZIP', gzipSync(overviewBytes)],
    ['x-gzip', gzipSync(overviewBytes)],
    ['br', brotliCompressSync(overviewBytes)],
    ['deflate', deflateSync(overviewBytes)],
    ['identity', overviewBytes],
    ['gzip', gzipSync(Buffer.concat([Buffer.from('\uFEFF'), overviewBytes]))],
  ])('reads an answer that is packed with %s', async (coding, body) => {
    const { client } = await open(packed(coding, body))
    const { answer } = await client.call('script/overview', week)
    expect(answer.total.good).toBe(20)
  })

  it('asks for the token anew each time', async () => {
    const tokens = ['first-token', 'second-token']
    const server = await scriptedServer(json(overviewAnswer))
    const client = clientFor(server.address, {
      token: () => Promise.resolve(new AccessToken(tokens.shift() ?? '', server.address)),
    })
    opened.push(client, server)
    await client.call('script/overview', week)
    await client.call('script/overview', week)
    expect(server.requests.map(({ body }) => (JSON.parse(body) as { token: string }).token)).toEqual([
      'first-token',
      'second-token',
    ])
  })

  it('sends a token of another service nowhere, not even without it', async () => {
    const token = () => Promise.resolve(new AccessToken(tokenText, 'https://reports.example'))
    const { server, client } = await open(json(overviewAnswer), { token })
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind: 'no-token',
      field: 'token',
      message: 'This address belongs to another service. Type the token for it.',
    })
    expect({ asked: server.requests, connections: server.connections() }).toEqual({
      asked: [],
      connections: 0,
    })
  })

  it('passes on what hinders the token, without asking the service', async () => {
    const hindered = new Error('The keychain is locked')
    const { server, client } = await open(json(overviewAnswer), { token: () => Promise.reject(hindered) })
    await expect(client.call('script/overview', week)).rejects.toBe(hindered)
    expect(server.requests).toEqual([])
  })
})

describe('connections', () => {
  it('are kept for the next read', async () => {
    const { server, client } = await open(json(overviewAnswer))
    for (let calls = 0; calls < 20; calls += 1) await client.call('script/overview', week)
    // The next call may begin while the connection of the last is still being put back.
    expect(server.connections()).toBeLessThanOrEqual(2)
  })

  it('are made anew for what must not be sent twice', async () => {
    const { server, client } = await open(json(rawRequestedAnswer))
    const order = { type: 'request', instance: '1', ...week, standard: ['source'] }
    await client.call('raw/request', order)
    await client.call('raw/request', order)
    expect(server.connections()).toBe(2)
    expect(server.requests.map(({ headers }) => headers.connection)).toEqual(['close', 'close'])
  })

  it('carry at most four requests at once', async () => {
    let atOnce = 0
    let max = 0
    const held: (() => void)[] = []
    const { client } = await open((request, response) => {
      atOnce += 1
      max = Math.max(max, atOnce)
      held.push(() => {
        atOnce -= 1
        json(overviewAnswer)(request, response)
      })
      if (held.length >= 4) for (const release of held.splice(0)) release()
    })
    await Promise.all(Array.from({ length: 12 }, () => client.call('script/overview', week)))
    expect(max).toBe(4)
  })

  it('go direct to this computer, without asking for a proxy', async () => {
    const asked: string[] = []
    const { client } = await open(json(overviewAnswer), {
      resolveProxy: (url) => {
        asked.push(url)
        return Promise.resolve('PROXY 127.0.0.1:1')
      },
    })
    await client.call('script/overview', week)
    expect(asked).toEqual([])
  })
})

describe('a closed client', () => {
  it('fails what still runs, and what is asked later, as cancelled', async () => {
    const { client } = await open(() => undefined)
    const running = failureOfCall(client.call('script/overview', week))
    await new Promise((resolve) => setImmediate(resolve))
    await client.close()
    expect((await running).kind).toBe('cancelled')
    expect((await failureOfCall(client.call('script/overview', week))).kind).toBe('cancelled')
  })
})
