import { describe, expect, it } from 'vitest'
import { overviewAnswer, rawDoneAnswer } from '#test/helpers/answers.ts'
import { authorityOfTests } from '#test/helpers/certificates.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import type { ProxyOptions } from '#test/helpers/proxy-server.ts'
import { inTurn, json, scriptedServer } from '#test/helpers/scripted-server.ts'
import { clientFor, failureOfCall, tokenText, week } from '#test/helpers/service-client.ts'

const { authority, opened } = authorityOfTests()

/** A service named reports.example, reached through a proxy alone, and a client with this proxy setting. */
async function open(settings: (port: number) => string, options: ProxyOptions = {}) {
  const answers = inTurn(json(overviewAnswer), json(rawDoneAnswer))
  const server = await scriptedServer(answers, await authority.issue('DNS:reports.example'))
  const proxy = await proxyServer(server.port, options)
  const resolved: string[] = []
  const client = clientFor('https://reports.example', {
    certificates: () => Promise.resolve([authority.certificate]),
    resolveProxy: (url) => {
      resolved.push(url)
      return Promise.resolve(settings(proxy.port))
    },
  })
  opened.push(client, proxy, server)
  return { server, proxy, client, resolved }
}

/** A port of loopback at which nobody listens. */
async function deadPort(): Promise<number> {
  const server = await scriptedServer(() => undefined)
  await server.close()
  return server.port
}

describe('through a proxy', () => {
  it('a service is asked, by its address, in a tunnel that the proxy cannot read', async () => {
    const { server, proxy, client, resolved } = await open((port) => `PROXY 127.0.0.1:${port}; DIRECT`)
    expect((await client.call('script/overview', week)).answer.total.good).toBe(20)
    expect(resolved).toEqual(['https://reports.example/v1/script/overview'])
    expect(proxy.asked).toEqual(['reports.example:443'])
    expect(server.requests[0]?.body).toContain(tokenText)
    expect(proxy.seen()).not.toContain('script/overview')
    expect(proxy.seen()).not.toContain(tokenText)
  })

  it('what must not be sent twice has a tunnel of its own', async () => {
    const { proxy, client } = await open((port) => `PROXY 127.0.0.1:${port}`)
    await client.call('script/overview', week)
    await client.call('raw/cancel', { raw: 'r1' })
    expect(proxy.asked).toHaveLength(2)
  })

  it('the next one is used where one is not there, and first from then on', async () => {
    const dead = await deadPort()
    const { server, client } = await open((port) => `PROXY 127.0.0.1:${dead}; PROXY 127.0.0.1:${port}`)
    await client.call('script/overview', week)
    await client.call('raw/cancel', { raw: 'r1' })
    expect(server.requests.map(({ path }) => path)).toEqual(['/v1/script/overview', '/v1/raw/cancel'])
  })

  it('what must not be sent twice is not sent along a second way', async () => {
    const dead = await deadPort()
    const { server, client } = await open((port) => `PROXY 127.0.0.1:${dead}; PROXY 127.0.0.1:${port}`)
    expect((await failureOfCall(client.call('raw/cancel', { raw: 'r1' }))).kind).toBe('offline')
    expect(server.requests).toEqual([])
  })

  it('that is not there it is told so', async () => {
    const dead = await deadPort()
    const { client } = await open(() => `PROXY 127.0.0.1:${dead}`)
    const told = {
      kind: 'offline',
      message: expect.stringMatching(
        /proxy, 127\.0\.0\.1:\d+, refused the connection(?!.*may have been carried out)/,
      ) as string,
    }
    expect(await failureOfCall(client.call('script/overview', week))).toEqual(told)
    expect(await failureOfCall(client.call('raw/cancel', { raw: 'r1' }))).toEqual(told)
  })

  it.each([
    [407, 'proxy-sign-in', /127\.0\.0\.1:\d+ asks for a name and password/],
    [403, 'server-trouble', /can't connect to reports\.example/],
  ])('that refuses with %i it is told so', async (status, kind, words) => {
    const { client, server } = await open((port) => `PROXY 127.0.0.1:${port}`, { refusal: status })
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind,
      message: expect.stringMatching(words) as string,
    })
    expect(server.requests).toEqual([])
  })

  it('of a kind that cannot be used it is told so', async () => {
    const { client } = await open(() => 'SOCKS5 127.0.0.1:1080')
    expect(await failureOfCall(client.call('script/overview', week))).toMatchObject({
      kind: 'server-trouble',
      message: expect.stringMatching(/SOCKS5 127\.0\.0\.1:1080/) as string,
    })
  })
})

describe('a proxy setting that does not come', () => {
  const silent = { resolveProxy: () => new Promise<string>(() => {}) }

  it('is waited for as long as a connection, and nothing was sent then', async () => {
    const client = clientFor('https://reports.example', { ...silent, timeouts: { connect: 100 } })
    opened.push(client)
    expect(await failureOfCall(client.call('raw/cancel', { raw: 'r1' }))).toEqual({
      kind: 'timed-out',
      message: expect.stringMatching(
        /proxy took longer than 0\.1 s(?!.*may have been carried out)/,
      ) as string,
    })
  })

  it('holds up nobody who cancels, and no place of the queue', async () => {
    const first = new AbortController()
    const next = new AbortController()
    let asked = 0
    const client = clientFor('https://reports.example', {
      resolveProxy: () => {
        asked += 1
        if (asked === 4) first.abort()
        if (asked === 5) next.abort()
        return new Promise(() => {})
      },
    })
    opened.push(client)
    const ask = ({ signal }: AbortController) =>
      failureOfCall(client.call('script/overview', week, { signal }))
    const failures = await Promise.all([ask(first), ask(first), ask(first), ask(first), ask(next)])
    expect(failures.map(({ kind }) => kind)).toEqual(Array(5).fill('cancelled'))
    expect(asked).toBe(5)
  })
})

describe('a proxy that speaks TLS itself', () => {
  it('is used where its certificate is trusted', async () => {
    const certificate = await authority.issue('DNS:localhost')
    const { server, client, proxy } = await open((port) => `HTTPS localhost:${port}`, { certificate })
    expect((await client.call('script/overview', week)).answer.total.good).toBe(20)
    expect([server.requests.length, proxy.asked.length]).toEqual([1, 1])
  })

  it('is not used where it is not', async () => {
    const certificate = await authority.issue('DNS:elsewhere.example')
    const { server, client } = await open((port) => `HTTPS localhost:${port}`, { certificate })
    expect((await failureOfCall(client.call('script/overview', week))).kind).toBe('server-trouble')
    expect(server.requests).toEqual([])
  })
})
