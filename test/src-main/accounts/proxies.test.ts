import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { inArchiveProcess } from '#main/raw/downloads/archive-process.ts'
import { BrokenArchive } from '#main/files/zip-errors.ts'
import { classifyError } from '#main/raw/downloads/trouble.ts'
import { createFetcher } from '#main/fetching/fetcher.ts'
import { proxyOrigin } from '#shared/accounts/account.ts'
import type { ProxyOrigin } from '#shared/accounts/account.ts'
import { failureOf } from '#shared/api/failure.ts'
import { filesWith, holds } from '#test/e2e/helpers/traces.ts'
import { overviewAnswer } from '#test/helpers/answers.ts'
import { basicHeader, proxyServer } from '#test/helpers/proxy-server.ts'
import { json, scriptedServer } from '#test/helpers/scripted-server.ts'
import { failureOfCall } from '#test/helpers/service-client.ts'
import { openAsThread } from '#test/helpers/app-threads.ts'
import { basic, behindProxies, name, originOf, password, settingOf } from './behind-proxies.ts'

const { authority, opened, proxyFor, session } = behindProxies()

describe('a proxy that wants a name and password', () => {
  it('is signed in to, and told them with each connection from then on', async () => {
    const proxy = await proxyFor({ basic })
    const { ask, signIn, proxies, goneOn } = session(settingOf(proxy))
    expect(await failureOfCall(ask())).toMatchObject({
      kind: 'proxy-sign-in',
      message: expect.stringMatching(`The proxy 127.0.0.1:${proxy.port} asks`) as string,
    })
    expect(proxies.asking()).toEqual([{ origin: originOf(proxy), kind: 'asks', refusedSaved: false }])
    expect(await signIn(proxy)).toEqual({ stored: 'keychain' })
    expect(proxies.asking()).toEqual([])
    expect(goneOn()).toBe(1)
    expect((await ask()).answer.total.good).toBe(20)
    // The first request, the sign-in, and what was asked after it.
    expect(proxy.told).toEqual([null, basicHeader(basic), basicHeader(basic)])
    expect(proxy.seen()).not.toContain('Proxy-Authorization')
  })

  it('is told them encrypted where it speaks TLS', async () => {
    const certificate = await authority.issue('DNS:localhost')
    const proxy = await proxyFor({ basic, certificate })
    const { ask, signIn } = session(`HTTPS localhost:${proxy.port}`)
    await failureOfCall(ask())
    const origin = proxyOrigin(`https://localhost:${proxy.port}`) as ProxyOrigin
    expect(await signIn(proxy, { proxy: origin })).toEqual({ stored: 'keychain' })
    expect((await ask()).answer.total.good).toBe(20)
  })

  it('is told nothing where another answers in its place', async () => {
    const certificate = await authority.issue('DNS:localhost')
    const proxy = await proxyFor({ basic, certificate })
    const { ask, signIn } = session(`HTTPS localhost:${proxy.port}`)
    await failureOfCall(ask())
    const { port } = proxy
    await proxy.close()
    const stranger = await proxyServer(1, { certificate: await authority.issue('DNS:reports.example'), port })
    opened.push(stranger)
    const origin = proxyOrigin(`https://localhost:${port}`) as ProxyOrigin
    const failure = failureOf(await signIn(proxy, { proxy: origin }).catch((error: unknown) => error))
    expect(failure.message).toMatch(/is for another name, so nothing was sent/)
    expect(stranger.told).toEqual([])
  })

  it('refuses the wrong one in words, and nothing is kept of it', async () => {
    const proxy = await proxyFor({ basic })
    const { ask, signIn, keychain, proxies, folder } = session(settingOf(proxy))
    await failureOfCall(ask())
    const failure = failureOf(await signIn(proxy, { password: 'another' }).catch((error: unknown) => error))
    expect(failure).toMatchObject({ kind: 'invalid', field: 'password' })
    expect(failure.message).toMatch(/rejected this name/)
    expect([...keychain.secrets]).toEqual([])
    expect(filesWith(folder, 'another')).toEqual([])
    expect(proxies.asking()).toHaveLength(1)
    // What waits goes on waiting: only a person tries.
    await failureOfCall(ask())
    expect(proxy.told).toHaveLength(2)
  })

  it.each([
    ['', password, 'name'],
    ['DOMAIN:maria', password, 'name'],
    ['maria', '', 'password'],
    ['maria', 'two\r\nlines', 'password'],
  ])('is told nothing that cannot be told: %j, %j', async (typed, secret, field) => {
    const proxy = await proxyFor({ basic })
    const { ask, signIn } = session(settingOf(proxy))
    await failureOfCall(ask())
    const given = { name: typed, password: secret }
    const failure = failureOf(await signIn(proxy, given).catch((error: unknown) => error))
    expect(failure).toMatchObject({ kind: 'invalid', field })
    expect(proxy.told).toEqual([null])
  })

  it('is asked once however much waits for it', async () => {
    const proxy = await proxyFor({ basic })
    const { ask, proxies } = session(settingOf(proxy))
    const failures = await Promise.all(Array.from({ length: 20 }, () => failureOfCall(ask())))
    expect(new Set(failures.map(({ kind }) => kind))).toEqual(new Set(['proxy-sign-in']))
    for (let turn = 0; turn < 5; turn += 1) await failureOfCall(ask())
    expect(proxy.asked).toHaveLength(1)
    proxies.tryAgain()
    await failureOfCall(ask())
    expect(proxy.asked).toHaveLength(2)
  })

  it('hears what is kept once where it is wrong by now: it goes, and a person is asked', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    proxy.demand('maria:changed')
    const { folder, keychain } = first
    const second = session(settingOf(proxy), { folder, keychain })
    const before = proxy.told.length
    await Promise.all(Array.from({ length: 12 }, () => failureOfCall(second.ask())))
    expect(proxy.told.slice(before)).toEqual([basicHeader(basic)])
    expect(second.proxies.asking()).toEqual([{ origin: originOf(proxy), kind: 'asks', refusedSaved: true }])
    expect([...keychain.secrets]).toEqual([])
    await second.signIn(proxy, { password: 'changed' })
    expect((await second.ask()).answer.total.good).toBe(20)
  })

  it('does not hold everybody up where it never answers the first', async () => {
    const proxy = await proxyFor({ basic })
    const first = session(settingOf(proxy))
    await failureOfCall(first.ask())
    await first.signIn(proxy)
    // On this clock every pause is over at once.
    const second = session(settingOf(proxy), { ...first, now: () => 0 })
    const { version } = await second.proxies.passFor(originOf(proxy))
    expect((await second.ask()).answer.total.good).toBe(20)
    // What it says late of an earlier password says nothing of this one.
    proxy.demand('maria:changed')
    const again = session(settingOf(proxy), { ...first })
    await failureOfCall(again.ask())
    await again.signIn(proxy, { password: 'changed' })
    const late = {
      origin: originOf(proxy),
      authority: 'reports.example:443',
      version,
      status: 407,
      challenges: 'Basic',
    }
    expect(await again.proxies.onProxyAnswer(late)).toBe('again')
    expect(again.proxies.asking()).toEqual([])
  })

  it('hears nothing that was typed for another, nor does the service', async () => {
    const server = await scriptedServer(json(overviewAnswer), await authority.issue('DNS:reports.example'))
    opened.push(server)
    const [one, other] = [await proxyFor({ basic }, server.port), await proxyFor({ basic }, server.port)]
    const first = session(settingOf(one))
    await failureOfCall(first.ask())
    await first.signIn(one)
    await first.ask()
    const { folder, keychain } = first
    const second = session(settingOf(other), { folder, keychain })
    await failureOfCall(second.ask())
    expect(other.told).toEqual([null])
    // A proxy that never asked is told nothing, whoever speaks for the window.
    await expect(first.signIn(other)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    expect(other.told).toEqual([null])
    // An entry that somebody put under another proxy's name is not for it.
    keychain.secrets.set(originOf(other), keychain.secrets.get(originOf(one)) ?? '')
    await second.entries.set(originOf(other), keychain.secrets.get(originOf(one)) ?? '')
    const third = session(settingOf(other), { folder, keychain })
    await failureOfCall(third.ask())
    expect(other.told).toEqual([null, null])
    for (const { headers, body } of server.requests) {
      expect(holds(Buffer.from(JSON.stringify(headers) + body), password)).toBe(false)
      expect(Object.keys(headers)).not.toContain('proxy-authorization')
    }
  })

  it('of several that the system names, each is told its own', async () => {
    const away = await proxyServer(1)
    await away.close()
    const proxy = await proxyFor({ basic })
    const { ask, signIn } = session(`PROXY 127.0.0.1:${away.port}; ${settingOf(proxy)}`)
    expect((await failureOfCall(ask())).message).toContain(`127.0.0.1:${proxy.port}`)
    await signIn(proxy)
    expect((await ask()).answer.total.good).toBe(20)
  })

  it('leaves the password in no file, no message and nothing that is printed', async () => {
    const proxy = await proxyFor({ basic })
    const { ask, signIn, folder, proxies, told } = session(settingOf(proxy))
    const failures = [await failureOfCall(ask()), await signIn(proxy)]
    await ask()
    proxy.demand('maria:changed')
    proxies.tryAgain()
    expect(filesWith(folder, password)).toEqual([])
    expect(filesWith(folder, basic)).toEqual([])
    const printed = inspect([failures, told, proxies, proxies.list()], { depth: 8, showHidden: true })
    expect(holds(Buffer.from(printed), password)).toBe(false)
    expect(JSON.stringify(failures) + JSON.stringify(told)).not.toContain(name)
  })
})

describe('a proxy that wants to be told in another way', () => {
  it.each([
    [['Digest realm="Basic, x", nonce="abc"'], 'Digest'],
    [['Negotiate', 'NTLM'], 'NTLM, Negotiate'],
    [['Bearer realm="x"', 'Strange realm="y"'], 'Bearer'],
    [['<script>'], 'one that it does not name'],
  ])('is told nothing, and a person is told why: %j', async (challenges, kinds) => {
    let now = 0
    const proxy = await proxyFor({ basic, challenges })
    const { ask, signIn, proxies, told } = session(settingOf(proxy), { now: () => now })
    const failure = await failureOfCall(ask())
    expect(failure.kind).toBe('proxy-sign-in')
    expect(failure.message).toContain(`(${kinds})`)
    expect(proxies.asking()).toEqual([{ origin: originOf(proxy), kind: 'other-kind', kinds }])
    await expect(signIn(proxy)).rejects.toMatchObject({ failure: { kind: 'invalid' } })
    await failureOfCall(ask())
    expect(proxy.told).toEqual([null])
    // The network's own program may have signed in by then.
    now = 5 * 60_000
    proxy.demand(null)
    expect((await ask()).answer.total.good).toBe(20)
    expect(proxies.list()).toEqual([])
    expect(told).toEqual([[{ origin: originOf(proxy), kind: 'other-kind', kinds }], []])
  })

  it('is told in the one that is spoken here where it takes several', async () => {
    const proxy = await proxyFor({
      basic,
      challenges: ['Negotiate, NTLM, basic realm="a, b", charset="UTF-8"'],
    })
    const { ask, signIn } = session(settingOf(proxy))
    await failureOfCall(ask())
    await signIn(proxy)
    expect((await ask()).answer.total.good).toBe(20)
  })
})

describe('archives', () => {
  it('come through a proxy that was signed in to', async () => {
    const proxy = await proxyFor({ basic })
    const { ask, signIn, proxies, certificates } = session(settingOf(proxy))
    const resolveProxy = () => Promise.resolve(settingOf(proxy))
    const fetcher = createFetcher({ resolveProxy, proxyAccess: proxies, certificates })
    const get = () => fetcher.get('https://reports.example/', {}, 'public', new AbortController().signal)
    await expect(get()).rejects.toMatchObject({ failure: { kind: 'proxy-sign-in' } })
    await signIn(proxy)
    const reply = await get()
    expect(reply.status).toBe(200)
    reply.body.destroy()
    await ask()
    expect(proxy.told).toEqual([null, ...Array<string>(3).fill(basicHeader(basic))])
  })

  it('are told of it in their thread for one connection at a time', async () => {
    const proxy = await proxyFor({ basic })
    const { signIn, proxies, certificates, folder } = session(settingOf(proxy))
    const path = join(folder, 'archive.zip.part')
    const fetch = () =>
      inArchiveProcess(
        openAsThread('archive'),
        {
          ...{ kind: 'fetch', url: 'https://reports.example/', allowed: 'public', path },
          ...{ part: { got: 0, validator: null, size: null }, recorded: null, modified: null },
        },
        new AbortController().signal,
        {
          proxy: () => Promise.resolve(settingOf(proxy)),
          ...{ proxyAccess: proxies, certificates },
          began: () => Promise.resolve(),
          portion: () => Promise.resolve(1_000_000),
          wrote: () => undefined,
          arrived: () => undefined,
        },
      )
    const refused: unknown = await fetch().catch((error: unknown) => error)
    expect(classifyError(refused, 'reports.example')).toMatchObject({
      ...{ kind: 'again', max: Infinity },
      failure: { kind: 'proxy-sign-in' },
    })
    await signIn(proxy)
    // It has come, and is no archive.
    await expect(fetch()).rejects.toBeInstanceOf(BrokenArchive)
    expect(proxy.told).toEqual([null, basicHeader(basic), basicHeader(basic)])
    expect(filesWith(folder, password)).toEqual([])
  })
})
