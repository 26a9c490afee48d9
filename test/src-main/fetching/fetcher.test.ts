import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { Socket } from 'node:net'
import { createFetcher } from '#main/fetching/fetcher.ts'
import type { FetcherOptions, ResponseBody } from '#main/fetching/fetcher.ts'
import { classifyError } from '#main/raw/downloads/trouble.ts'
import type { LookUp, AddressScope } from '#main/fetching/address-scope.ts'
import { rangeHeaders } from '#main/raw/downloads/receiving.ts'
import { networkCodeOf } from '#main/api/transport/exchange.ts'
import { authorityOfTests } from '#test/helpers/certificates.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import type { ProxyOptions } from '#test/helpers/proxy-server.ts'
import { inTurn, plain, scriptedServer } from '#test/helpers/scripted-server.ts'
import type { Certificate, Script, ScriptedServer } from '#test/helpers/scripted-server.ts'

const { authority, opened } = authorityOfTests()
let certificate: Certificate
beforeAll(async () => {
  certificate = await authority.issue('DNS:files.example,DNS:other.example,IP:127.0.0.1,DNS:localhost')
})
async function server(script: Script, secured?: Certificate): Promise<ScriptedServer> {
  const made = await scriptedServer(script, secured)
  opened.push(made)
  return made
}
/** A fetcher for whom every public name leads to one server, by way of a proxy. */
async function through(target: ScriptedServer, options: ProxyOptions = {}) {
  const proxy = await proxyServer(target.port, options)
  opened.push(proxy)
  const scheme = options.certificate ? 'HTTPS' : 'PROXY'
  return {
    proxy,
    fetcher: fetcherWith({ resolveProxy: () => Promise.resolve(`${scheme} 127.0.0.1:${proxy.port}`) }),
  }
}
const fetcherWith = (options: Partial<FetcherOptions> = {}) =>
  createFetcher({
    resolveProxy: () => Promise.resolve('DIRECT'),
    certificates: () => Promise.resolve([authority.certificate]),
    timeouts: { connect: 30_000, firstByte: 30_000, idle: 30_000 },
    ...options,
  })

const never = new AbortController().signal
/** Reads all of a body. */
async function textOf(body: ResponseBody): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of body) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}
const fetched = async (
  fetcher: ReturnType<typeof fetcherWith>,
  address: string,
  allowed: AddressScope = 'public',
  headers: Readonly<Record<string, string>> = {},
) => {
  const reply = await fetcher.get(address, headers, allowed, never)
  onTestFinished(() => reply.body.destroy())
  return { ...reply, text: await textOf(reply.body) }
}

describe('fetching an archive', () => {
  it('asks plainly: no token, no cookie, no referrer, no body, nothing packed', async () => {
    const files = await server(plain(200, 'bytes'))
    const reply = await fetched(fetcherWith(), `${files.address}/a%20b.zip?signature=1%2B2`, 'loopback')
    expect(reply).toMatchObject({ status: 200, text: 'bytes', host: `127.0.0.1:${files.port}` })
    const [request] = files.requests
    expect(request).toMatchObject({ method: 'GET', path: '/a%20b.zip?signature=1%2B2', body: '' })
    expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ])
    expect(request?.headers['accept-encoding']).toBe('identity')
  })

  it('goes over TLS, direct and through proxies of both kinds, which see the host alone', async () => {
    const files = await server(plain(200, 'bytes'), certificate)
    expect((await fetched(fetcherWith(), `https://localhost:${files.port}/secret`, 'loopback')).text).toBe(
      'bytes',
    )
    for (const options of [{}, { certificate }]) {
      const { proxy, fetcher } = await through(files, options)
      expect((await fetched(fetcher, 'https://files.example/secret')).text).toBe('bytes')
      expect(proxy.asked).toEqual(['files.example:443'])
      expect(proxy.seen()).not.toContain('secret')
    }
  })

  it.each(['its length', 'no length'])('brings a large file over TLS whole that says %s', async (says) => {
    const large = 'abcdefghijklmnopqrstuvwxyz0123456789'.repeat(150_000)
    const files = await server(({ headers: { range } }, response) => {
      const from = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
      response.writeHead(from > 0 ? 206 : 200, {
        ...(says === 'its length' && { 'content-length': large.length - from }),
        ...(from > 0 && { 'content-range': `bytes ${from}-${large.length - 1}/${large.length}` }),
      })
      response.end(large.slice(from))
    }, certificate)
    const address = `https://localhost:${files.port}`
    const reply = await fetched(fetcherWith(), `${address}/whole`, 'loopback')
    expect(reply.text === large).toBe(true)
    const missing = rangeHeaders({ got: 1_000_000, validator: '"one"' })
    const rest = await fetched(fetcherWith(), `${address}/rest`, 'loopback', missing)
    expect(rest.status).toBe(206)
    expect(rest.text === large.slice(1_000_000)).toBe(true)
    // An address may be good for one request alone, also where a part is continued.
    expect(files.requests.map(({ path }) => path)).toEqual(['/whole', '/rest'])
    const { fetcher } = await through(files)
    expect((await fetched(fetcher, 'https://files.example/')).text === large).toBe(true)
  })

  it.each([
    ...[100_000, 200_000].map(
      (length) => [`is whole where the other side closes after ${length} bytes`, length, false] as const,
    ),
    ['is held back at its source, however large it is', 20_000_000, false],
    ...[100_000, 20_000_000].map(
      (length) =>
        [
          `of ${length} bytes is lost, and nothing else, where the other side hangs up`,
          length,
          true,
        ] as const,
    ),
  ] as const)('takes an answer in chunks as slowly as it is written: it %s', async (_, length, resets) => {
    const large = Buffer.alloc(length, 'abcdefghijklmnopqrstuvwxyz')
    let unsent = 0
    const files = await server((_, response) => {
      response.write(large)
      const { socket } = response
      if (resets) setImmediate(() => socket?.resetAndDestroy())
      else response.end()
      unsent = socket?.writableLength ?? 0
      sockets.push(socket)
    })
    const sockets: (Socket | null)[] = []
    const reply = await fetcherWith().get(`http://127.0.0.1:${files.port}/`, {}, 'loopback', never)
    // For so long that everything that can come has come.
    const wait = async () => {
      for (let turn = 0; turn < 500; turn += 1) await new Promise(setImmediate)
      if (length > 10_000_000) expect(sockets[0]?.writableLength).toBeGreaterThan(unsent / 2)
    }
    const pieces: Uint8Array[] = []
    const read = async () => {
      for await (const piece of reply.body) {
        if (pieces.length === 0) await wait()
        pieces.push(piece)
      }
    }
    if (resets) return await expect(read()).rejects.toThrow()
    await read()
    expect(Buffer.concat(pieces).equals(large)).toBe(true)
  })

  it('trusts no server whose certificate is of another name or authority', async () => {
    const files = await server(plain(200, 'bytes'), await authority.issue('DNS:elsewhere.example'))
    const { fetcher } = await through(files)
    const failure: unknown = await fetched(fetcher, 'https://files.example/').catch(
      (thrown: unknown) => thrown,
    )
    expect(networkCodeOf(failure)).toBe('ERR_TLS_CERT_ALTNAME_INVALID')
    const nobody = { certificates: () => Promise.resolve(undefined) }
    await expect(
      fetched(fetcherWith(nobody), `https://localhost:${files.port}/`, 'loopback'),
    ).rejects.toMatchObject({
      code: expect.stringMatching(/CERT|SIGNATURE/),
    })
    expect(files.requests).toEqual([])
  })

  it('follows a few redirects, and says who answered', async () => {
    const to = (location: string) => plain(302, '', { location })
    const files = await server(
      inTurn(to('https://other.example/b'), to('/c'), plain(200, 'bytes')),
      certificate,
    )
    const { fetcher, proxy } = await through(files)
    expect(await fetched(fetcher, 'https://files.example/a')).toMatchObject({
      text: 'bytes',
      host: 'other.example',
    })
    expect(proxy.asked).toEqual(['files.example:443', 'other.example:443', 'other.example:443'])
    expect(files.requests.map(({ path }) => path)).toEqual(['/a', '/b', '/c'])
  })

  it.each([
    'file:///etc/passwd',
    'ftp://other.example/a.zip',
    'http://other.example/a.zip',
    'javascript:alert(1)',
    'https://127.0.0.1/a.zip',
    'https://localhost/a.zip',
    'https://10.0.0.1/a.zip',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/a.zip',
    'https://2130706433/a.zip',
    'https://0x7f000001/a.zip',
    'https://0177.0.0.1/a.zip',
    'https://127.1/a.zip',
    'https://0/a.zip',
    'https://[::]/a.zip',
    'https://[::ffff:127.0.0.1]/a.zip',
    'https://[::ffff:a00:1]/a.zip',
    'https://[64:ff9b::7f00:1]/a.zip',
    'https://[fe80::1]/a.zip',
    'https://%EF%BC%91%EF%BC%92%EF%BC%97.0.0.1/a.zip',
    'https://localhost./a.zip',
    'https://files.localhost/a.zip',
    '//10.0.0.1/a.zip',
    'data:application/zip;base64,UEs=',
    'blob:https://files.example/1',
    'traffic-desk-app://desk/',
    'https://me:secret@other.example/a.zip',
    'http://[',
  ])('goes nowhere where it is sent to %s', async (location) => {
    const files = await server(plain(307, '', { location }), certificate)
    const { fetcher, proxy } = await through(files)
    const error: unknown = await fetched(fetcher, 'https://files.example/a').catch(
      (thrown: unknown) => thrown,
    )
    expect(error).toMatchObject({ failure: { kind: 'malformed' } })
    expect(classifyError(error, 'files.example')).toMatchObject({ kind: 'fail' })
    expect(proxy.asked).toEqual(['files.example:443'])
    expect(files.requests).toHaveLength(1)
  })

  it('gives up where it is sent round in circles', async () => {
    const files = await server(plain(302, '', { location: '/a' }), certificate)
    const { fetcher } = await through(files)
    await expect(fetched(fetcher, 'https://files.example/a')).rejects.toMatchObject({
      failure: { kind: 'malformed' },
    })
    expect(files.requests).toHaveLength(6)
  })

  it('connects to no name that leads inside', async () => {
    // The system knows this name as an address of this computer.
    const files = await server(plain(200, 'bytes'), certificate)
    await expect(fetched(fetcherWith(), `https://localhost:${files.port}/`, 'private')).rejects.toMatchObject(
      {
        failure: { kind: 'malformed' },
      },
    )
    expect(files.connections()).toBe(0)
  })

  describe('asks what its name leads to', () => {
    const answers = (...found: readonly string[][]) => {
      const asked: string[] = []
      const lookUp: LookUp = (hostname, _, callback) => {
        const addresses = found[Math.min(asked.length, found.length - 1)] ?? []
        asked.push(hostname)
        callback(
          null,
          addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
        )
      }
      return { asked, lookUp }
    }

    it.each(['127.0.0.1', '::1', '::ffff:127.0.0.1', '10.1.2.3', '169.254.169.254', '0.0.0.0', 'fd00::1'])(
      'and is refused where that is %s',
      async (address) => {
        const files = await server(plain(200, 'bytes', { 'content-length': '5' }), certificate)
        const { lookUp } = answers([address])
        const error: unknown = await fetched(
          fetcherWith({ lookUp }),
          `https://files.example:${files.port}/`,
        ).catch((thrown: unknown) => thrown)
        expect(error).toMatchObject({ failure: { kind: 'malformed' } })
        expect(classifyError(error, 'files.example')).toMatchObject({ kind: 'fail' })
        expect(files.connections()).toBe(0)
      },
    )

    it('once: what was checked is what is connected to, whatever the name leads to a moment later', async () => {
      const files = await server(plain(200, 'bytes', { 'content-length': '5' }), certificate)
      const { lookUp, asked } = answers(['127.0.0.1'], ['10.0.0.1'])
      const reply = await fetched(fetcherWith({ lookUp }), `https://files.example:${files.port}/`, 'loopback')
      expect(reply.text).toBe('bytes')
      expect(asked).toEqual(['files.example'])
    })

    it('anew for each redirect, each time by the same rule', async () => {
      const again = await server(plain(200, 'bytes', { 'content-length': '5' }), certificate)
      const files = await server(
        plain(302, '', { location: `https://other.example:${again.port}/` }),
        certificate,
      )
      // The service is of the network: its files may come from there, and from nowhere in this computer.
      const { lookUp, asked } = answers(['127.0.0.1'], ['127.0.0.1'])
      const fetcher = fetcherWith({ lookUp })
      expect((await fetched(fetcher, `https://files.example:${files.port}/`, 'loopback')).text).toBe('bytes')
      expect(asked).toEqual(['files.example', 'other.example'])
      await expect(fetched(fetcher, `https://files.example:${files.port}/`, 'private')).rejects.toMatchObject(
        { failure: { kind: 'malformed' } },
      )
      expect(files.requests).toHaveLength(1)
    })

    it('and takes of several addresses only those that are far enough away', async () => {
      const files = await server(plain(200, 'bytes', { 'content-length': '5' }), certificate)
      const { lookUp } = answers(['192.0.2.1', '127.0.0.1'])
      await expect(
        fetched(fetcherWith({ lookUp }), `https://files.example:${files.port}/`),
      ).rejects.toBeDefined()
      expect(files.connections()).toBe(0)
    })
  })

  it.each([
    [407, 'proxy-sign-in', /name and password/],
    [502, 'server-trouble', /can't connect/],
  ])('says so where the proxy answers %i', async (refusal, kind, words) => {
    const { fetcher } = await through(await server(plain(200), certificate), { refusal })
    const error: unknown = await fetched(fetcher, 'https://files.example/').catch((thrown: unknown) => thrown)
    expect(classifyError(error, 'files.example')).toMatchObject({
      failure: { kind, message: expect.stringMatching(words) },
    })
  })

  it('gives a server up that does not begin', async () => {
    const files = await server(() => undefined)
    const impatient = fetcherWith({ timeouts: { connect: 30_000, firstByte: 300, idle: 30_000 } })
    const error: unknown = await fetched(impatient, files.address, 'loopback').catch(
      (thrown: unknown) => thrown,
    )
    expect(classifyError(error, 'host')).toMatchObject({ kind: 'again', failure: { kind: 'timed-out' } })
  })

  it('tries the next way where a proxy refused the connection', async () => {
    const files = await server(plain(200, 'bytes'), certificate)
    const proxy = await proxyServer(files.port)
    opened.push(proxy)
    const gone = await scriptedServer(plain(200))
    await gone.close()
    const resolveProxy = () => Promise.resolve(`PROXY 127.0.0.1:${gone.port}; PROXY 127.0.0.1:${proxy.port}`)
    expect((await fetched(fetcherWith({ resolveProxy }), 'https://files.example/')).text).toBe('bytes')
  })

  it('is broken off at once, whatever it waits for', async () => {
    const files = await server(() => undefined)
    const controller = new AbortController()
    const reason = new Error('Enough')
    const asked = fetcherWith().get(files.address, {}, 'loopback', controller.signal)
    controller.abort(reason)
    await expect(asked).rejects.toBeDefined()
    const slow = fetcherWith({ resolveProxy: () => new Promise(() => undefined) })
    const other = new AbortController()
    const waiting = slow.get('https://files.example/', {}, 'public', other.signal)
    other.abort(reason)
    await expect(waiting).rejects.toBeDefined()
  })
})
