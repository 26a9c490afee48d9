import type { ServerResponse } from 'node:http'
import net from 'node:net'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it } from 'vitest'
import type { ServiceClient } from '#main/api/client.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import type { FailureKind } from '#shared/api/failure.ts'
import { overviewAnswer, rawDoneAnswer } from '#test/helpers/answers.ts'
import { inTurn, json, plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Script } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall, standingClock, tokenText, week } from '#test/helpers/service-client.ts'

const opened: { close: () => Promise<void> }[] = []

afterEach(async () => {
  await Promise.all(opened.splice(0).map((each) => each.close()))
})

async function open(script: Script, options: Parameters<typeof clientFor>[1] = {}) {
  const server = await scriptedServer(script)
  const clock = standingClock()
  const client = clientFor(server.address, { clock, ...options })
  opened.push(client, server)
  return { server, client, clock }
}

const answerText = JSON.stringify(overviewAnswer)
const overview = (client: ServiceClient) => client.call('script/overview', week)

/** Sends something and breaks the connection once it is on its way. */
const cutAfter = (response: ServerResponse, part: string | Buffer) =>
  response.write(part, () => response.socket?.destroy())

const reset: Script = (_, response) => response.socket?.resetAndDestroy()
const silence: Script = () => undefined
const cutWithLength: Script = (_, response) => {
  response.writeHead(200, { 'content-length': String(answerText.length) })
  cutAfter(response, answerText.slice(0, 40))
}
const cutInChunks: Script = (_, response) => {
  response.writeHead(200)
  cutAfter(response, answerText.slice(0, 40))
}
const cutWhilePacked: Script = (_, response) => {
  const body = gzipSync(answerText)
  response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': String(body.length - 20) })
  response.end(body.subarray(0, body.length - 20))
}

const noHttp: Script = (_, response) => response.socket?.end('220 mail.example ESMTP\r\n')

/** What goes wrong, whether it may pass, and what the person is told if it does not. */
const faults: readonly [name: string, script: Script, passing: boolean, kind: FailureKind, words: RegExp][] =
  [
    ['a reset connection', reset, true, 'offline', /was lost/],
    ['a cut in a body of known length', cutWithLength, true, 'offline', /was lost/],
    ['a cut in a body in chunks', cutInChunks, true, 'offline', /was lost/],
    ['what is no HTTP', noHttp, false, 'malformed', /no Traffic Reporting Service/i],
    ['a cut in a packed body', cutWhilePacked, true, 'offline', /was lost/],
    ['500', plain(500, '{"error":"Broken+down"}'), true, 'server-trouble', /status 500/],
    ['502', plain(502, '<h1>Bad gateway</h1>'), true, 'server-trouble', /status 502/],
    ['504', plain(504), true, 'server-trouble', /took too long/],
    ['501', plain(501), false, 'server-trouble', /status 501/],
    ['400', plain(400, '{"error":"limit+is+wrong"}'), false, 'bad-request', /rejected this request/],
    ['401', plain(401), false, 'refused-token', /rejected the access token/],
    ['403', plain(403), false, 'no-right', /no access/],
    ['404', plain(404), false, 'not-found', /Check the service address|no longer has this raw report/],
    [
      'a redirect',
      plain(302, '', { location: 'https://elsewhere.example/' }),
      false,
      'server-trouble',
      /elsewhere\.example/,
    ],
    [
      'a web page',
      plain(200, '<!doctype html><p>Welcome'),
      false,
      'malformed',
      /no Traffic Reporting Service/i,
    ],
    ['an empty answer', plain(200), false, 'malformed', /it is empty/],
    ['half an answer', plain(200, answerText.slice(0, 40)), false, 'malformed', /no valid JSON/],
    ['no content', plain(204), false, 'malformed', /status 204 and no content/],
    ['a part of an answer', plain(206, '{}'), false, 'malformed', /status 206 and no content/],
    ['another JSON', plain(200, '{"hello":"world"}'), false, 'malformed', /Can't read the service's answer/],
    [
      'an error with status 200',
      plain(200, '{"error":"no+such+sort"}'),
      false,
      'bad-request',
      /rejected this request/,
    ],
    [
      'data that is not packed',
      plain(200, answerText, { 'content-encoding': 'gzip' }),
      false,
      'malformed',
      /unpacked/,
    ],
    [
      'an unknown coding',
      plain(200, answerText, { 'content-encoding': 'zstd' }),
      false,
      'malformed',
      /packed/,
    ],
  ]

/** After these a service is left alone, and asked again for as long as it takes (requests.rest.test.ts). */
const refusals: typeof faults = [
  ['429', plain(429), true, 'server-trouble', /too many calls/],
  ['503', plain(503), true, 'server-trouble', /unavailable/],
]

describe.each(faults)('%s', (_, script, passing, kind, words) => {
  it('fails a read in words that help, tried again where that may help', async () => {
    const { server, client, clock } = await open(script)
    const failure = await failureOfCall(overview(client))
    expect(failure).toMatchObject({ kind, message: expect.stringMatching(words) as string })
    expect(server.requests).toHaveLength(passing ? 3 : 1)
    expect(clock.waits).toEqual(passing ? [200, 400] : [])
  })
})

describe.each([...faults, ...refusals])(
  '%s, where it must not be sent twice,',
  (_, script, __, kind, words) => {
    it.each(['raw/cancel', 'raw/remove'] as const)('fails %s without asking again', async (path) => {
      const { server, client } = await open(script)
      const failure = await failureOfCall(client.call(path, { raw: 'r1' }))
      expect(failure.kind).toBe(kind)
      expect(failure.message).toMatch(kind === 'offline' ? /may have been carried out/ : words)
      expect(server.requests).toHaveLength(1)
    })

    it('fails raw/request without asking again', async () => {
      const { server, client } = await open(script)
      const order = { type: 'request', instance: '1', ...week, standard: ['source'] }
      expect((await failureOfCall(client.call('raw/request', order))).kind).toBe(kind)
      expect(server.requests).toHaveLength(1)
    })
  },
)

describe('trouble that passes', () => {
  it.each([...faults, ...refusals].filter(([, , passing]) => passing))(
    'is not seen: %s',
    async (_, script) => {
      const { server, client } = await open(inTurn(script, json(overviewAnswer)))
      expect((await overview(client)).answer.total.good).toBe(20)
      expect(server.requests).toHaveLength(2)
    },
  )

  it('is waited for as long as the service asks', async () => {
    const { client, clock } = await open(inTurn(plain(502, '', { 'retry-after': '7' }), json(overviewAnswer)))
    await overview(client)
    expect(clock.waits).toEqual([7200])
  })

  it('is waited for until a date, by this clock', async () => {
    const clock = standingClock()
    const date = new Date(clock.now() + 9000).toUTCString()
    const { client } = await open(inTurn(plain(504, '', { 'retry-after': date }), json(overviewAnswer)), {
      clock,
    })
    await overview(client)
    expect(clock.waits).toEqual([9200])
  })

  it('is not waited for where that would take too long', async () => {
    const { server, client } = await open(plain(502, '', { 'retry-after': '3600' }))
    expect((await failureOfCall(overview(client))).kind).toBe('server-trouble')
    expect(server.requests).toHaveLength(1)
  })
})

describe('time', () => {
  it('runs out before the answer begins', async () => {
    const { server, client } = await open(silence, { timeouts: { firstByte: 50 } })
    const failure = await failureOfCall(overview(client))
    expect(failure).toMatchObject({
      kind: 'timed-out',
      message: expect.stringMatching(/respond within/) as string,
    })
    expect(server.requests).toHaveLength(1)
  })

  it('runs out while an answer stands still', async () => {
    const { client } = await open(
      (_, response) => {
        response.writeHead(200)
        response.write('{"total":')
      },
      { timeouts: { idle: 50 } },
    )
    expect(await failureOfCall(overview(client))).toMatchObject({
      kind: 'timed-out',
      message: expect.stringMatching(/stopped responding/) as string,
    })
  })

  /** Sends a text in pieces, each after the one before has left. */
  const drip =
    (text: string, every: number): Script =>
    (_, response) => {
      response.writeHead(200)
      let sent = 0
      const timer = setInterval(() => {
        response.write(text.slice(sent, sent + 8))
        sent += 8
        if (sent >= text.length) {
          clearInterval(timer)
          response.end()
        }
      }, every)
      response.on('close', () => clearInterval(timer))
    }

  it('does not run out for an answer that comes slowly', async () => {
    const { client } = await open(drip(answerText, 2), { timeouts: { firstByte: 5000, idle: 5000 } })
    expect((await overview(client)).answer.total.good).toBe(20)
  })

  it('runs out for an answer that never ends', async () => {
    const { client } = await open(drip(' '.repeat(100_000), 2), { timeouts: { whole: 60 } })
    expect(await failureOfCall(overview(client))).toMatchObject({
      kind: 'timed-out',
      message: expect.stringMatching(/did not finish/) as string,
    })
  })
})

describe('size', () => {
  const bomb = Buffer.alloc(64 * 1024 * 1024, ' ')

  it.each([
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
  ])('of a small packed answer (%s) that unpacks to a very large one is bounded', async (coding, body) => {
    expect(body.length).toBeLessThan(100_000)
    const { server, client } = await open(plain(200, '', {}), { largestAnswer: 1024 * 1024 })
    server.answer((_, response) => {
      response.writeHead(200, { 'content-encoding': coding })
      response.end(body)
    })
    expect(await failureOfCall(overview(client))).toMatchObject({
      kind: 'malformed',
      message: expect.stringMatching(/larger than 1 MiB/) as string,
    })
  })

  it('of what a failure says is bounded, and the failure stays what it is', async () => {
    const { client } = await open(plain(401, 'x'.repeat(1_000_000)))
    expect((await failureOfCall(overview(client))).kind).toBe('refused-token')
  })
})

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with %i is not followed, so the token goes nowhere else',
    async (status) => {
      const elsewhere = await scriptedServer(json(overviewAnswer))
      opened.push(elsewhere)
      const { client } = await open(
        plain(status, '', { location: `${elsewhere.address}/v1/script/overview` }),
      )
      const failure = await failureOfCall(overview(client))
      expect(failure.message).toContain(`127.0.0.1:${elsewhere.port}`)
      expect(elsewhere.requests).toEqual([])
    },
  )
})

describe('a failure', () => {
  it('never has the token in it', async () => {
    const echoes = [tokenText, encodeURIComponent(tokenText), JSON.stringify(tokenText)]
    for (const status of [200, 302, 400, 401, 403, 500]) {
      for (const echo of echoes) {
        const { client } = await open(
          plain(status, `{"error":"Bad token ${echo.replaceAll('"', '\\"')}"}`, { location: '/x' }),
        )
        expect(JSON.stringify(await failureOfCall(overview(client)))).not.toContain('5e15a')
      }
    }
  })
})

describe('nobody there', () => {
  it('is offline', async () => {
    const server = await scriptedServer(silence)
    await server.close()
    const clock = standingClock()
    const client = clientFor(server.address, { clock })
    opened.push(client)
    expect(await failureOfCall(overview(client))).toMatchObject({
      kind: 'offline',
      message: expect.stringMatching(/refused the connection/) as string,
    })
    expect(clock.waits).toEqual([200, 400])
    const cancel = () => client.call('raw/cancel', { raw: 'r1' })
    await expect(cancel()).rejects.toBeInstanceOf(NeverSent)
    expect((await failureOfCall(cancel())).message).not.toMatch(/may have been carried out/)
  })

  it('is offline where a connection does not come about in time, without trying for as long again', async () => {
    const sockets: net.Socket[] = []
    const silent = net.createServer((socket) => sockets.push(socket.on('error', () => undefined)))
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { port } = silent.address() as AddressInfo
    const client = clientFor(`https://127.0.0.1:${port}`, { timeouts: { connect: 200 } })
    opened.push(client)
    expect(await failureOfCall(overview(client))).toMatchObject({
      kind: 'offline',
      message: expect.stringMatching(/doesn't respond/) as string,
    })
    expect(sockets).toHaveLength(1)
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => silent.close(resolve))
  })

  it('is offline until somebody is there again', async () => {
    const { client, server } = await open(inTurn(reset, reset, reset, json(overviewAnswer)))
    expect((await failureOfCall(overview(client))).kind).toBe('offline')
    expect((await overview(client)).answer.total.good).toBe(20)
    expect(server.requests).toHaveLength(4)
  })
})

describe('rawDone answers', () => {
  it('that were not successful are answers, not failures', async () => {
    const { client } = await open(json({ ...rawDoneAnswer, success: false }))
    expect((await client.call('raw/cancel', { raw: 'r1' })).answer.success).toBe(false)
  })
})
