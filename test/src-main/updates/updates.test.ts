import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noUpdates } from '#shared/app/settings.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { testAuthority } from '#test/helpers/certificates.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import { scriptedServer } from '#test/helpers/scripted-server.ts'
import { feedText, maker, noon, page, publishAt } from './maker.ts'
import { checked, harness, passHours, stateOf } from './harness.ts'

const day = 24 * 3_600_000

describe('without a feed', () => {
  it('nobody is asked', async () => {
    const { start, host, clock } = await harness()
    const updates = start({ source: null })
    updates.start()
    expect(clock.nextAlarm()).toBe(Infinity)
    expect(await updates.read()).toEqual({ kind: 'without-feed' })
    await expect(updates.check()).rejects.toThrow('does not check for updates')
    await expect(updates.daily(true)).rejects.toThrow('does not check for updates')
    expect(host.server.requests).toEqual([])
  })
})

it('removes the packages that an earlier version fetched, and nothing else', async () => {
  const { folder, start } = await harness()
  const packages = join(folder, 'updates')
  mkdirSync(packages)
  writeFileSync(join(packages, 'traffic-desk_0.2.1_amd64.deb'), 'package')
  const others = readdirSync(folder).filter((name) => name !== 'updates')
  start({ source: null }).start()
  await eventually(() => expect(existsSync(packages)).toBe(false))
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(others))
})

describe('looking by hand', () => {
  it('finds a newer version, and says so in the window alone', async () => {
    const { start, host, by, announced } = await harness()
    publishAt(host, by, feedText())
    const updates = start()
    expect(await stateOf(updates)).toMatchObject({ checkedAt: null, offer: null, failure: null })
    const state = await checked(updates)
    expect(state.checkedAt).toBeGreaterThan(noon)
    const offer = { version: '1.3.0', date: noon - day, notes: 'What is new.', page }
    expect(state.offer).toEqual(offer)
    expect(announced).toEqual([])
  })

  it('asks plainly: nothing tells who asks', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText())
    await checked(start())
    expect(host.server.requests.map(({ method, path }) => [method, path])).toEqual([
      ['GET', '/desk/latest.json'],
      ['GET', '/desk/latest.json.sig'],
    ])
    for (const { headers, body } of host.server.requests) {
      expect(Object.keys(headers).sort()).toEqual([
        ...['accept', 'accept-encoding', 'connection', 'host', 'user-agent'],
      ])
      expect([headers['user-agent'], body]).toEqual(['traffic-desk', ''])
    }
  })

  it('says that this one is the newest', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText({ version: '1.2.3' }))
    expect(await checked(start())).toMatchObject({ offer: null, failure: null })
  })

  it('refuses what another has signed, and says so', async () => {
    const { start, host, announced } = await harness()
    publishAt(host, maker(), feedText())
    const state = await checked(start())
    expect(state).toMatchObject({ checkedAt: null, offer: null, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('not signed by the maker')
    expect(announced).toEqual([])
  })

  it('refuses an older feed than one that was read, also after a restart', async () => {
    const { start, host, by } = await harness()
    const before = feedText({ version: '1.2.9', date: '2026-11-10T12:00:00Z' })
    publishAt(host, by, feedText({ version: '1.2.3' }))
    await checked(start())
    publishAt(host, by, before)
    const state = await checked(start())
    expect(state).toMatchObject({ offer: null, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('list of updates was rejected. It')
  })

  it('goes nowhere else than to the feed', async () => {
    const { start, host, by } = await harness()
    const elsewhere = await harness()
    const text = feedText()
    publishAt(elsewhere.host, by, text)
    host.lying.set('/desk/latest.json', { redirect: elsewhere.host.address })
    const state = await checked(start())
    expect(state).toMatchObject({ offer: null, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('an address that is not allowed')
    expect(elsewhere.host.server.requests).toEqual([])
  })

  it('asks only where the certificate is trusted', async () => {
    const authority = await testAuthority()
    onTestFinished(() => authority.remove())
    const text = feedText()
    const { start, by } = await harness()
    const files = new Map([
      ['/latest.json', text],
      ['/latest.json.sig', by.sign(text)],
    ])
    const certificate = await authority.issue('IP:127.0.0.1')
    const server = await scriptedServer(({ path }, response) => response.end(files.get(path)), certificate)
    onTestFinished(() => server.close())
    const source = { address: `${server.address}/latest.json`, key: by.publicKey }
    const trusting = (certificates: readonly string[]) =>
      start({
        source,
        fetching: {
          resolveProxy: () => Promise.resolve('DIRECT'),
          certificates: () => Promise.resolve(certificates),
        },
      })
    const wary = await checked(trusting([]))
    expect(wary).toMatchObject({ offer: null, failure: { kind: 'server-trouble' } })
    expect(wary.failure?.message).toContain('certificate')
    expect(server.requests).toEqual([])
    expect((await checked(trusting([authority.certificate]))).offer?.version).toBe('1.3.0')
  })

  it('says that a proxy wants to know who asks', async () => {
    const { start, by, host } = await harness()
    const proxy = await proxyServer(host.server.port, { basic: 'maria:open sesame' })
    onTestFinished(() => proxy.close())
    const state = await checked(
      start({
        source: { address: 'https://downloads.example/latest.json', key: by.publicKey },
        fetching: { resolveProxy: () => Promise.resolve(`PROXY 127.0.0.1:${proxy.port}`) },
      }),
    )
    expect(state.failure?.message).toMatch(/asks for a name and password/)
    expect(host.server.requests).toEqual([])
  })

  it('takes no more of a feed than one can be', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText() + ' '.repeat(70_000))
    expect((await checked(start())).failure?.message).toContain('more than was announced')
  })

  it('says what to do where nobody answers, or nothing lies there', async () => {
    const { start, host } = await harness()
    const missing = await checked(start())
    expect(missing.failure).toMatchObject({ kind: 'server-trouble' })
    expect(missing.failure?.message).toContain('404')
    await host.server.close()
    const offline = await checked(start())
    expect(offline.failure).toMatchObject({ kind: 'offline' })
    expect(offline.failure?.message).toContain('Check the network')
  })

  it('keeps what it knows where it cannot look', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText())
    const updates = start()
    await checked(updates)
    host.lying.clear()
    const state = await checked(updates)
    expect(state).toMatchObject({ offer: { version: '1.3.0' }, failure: { kind: 'server-trouble' } })
    expect(state.checkedAt).not.toBeNull()
  })
})

it('a check says that it runs, and ends with the app', async () => {
  const { start, by, told } = await harness()
  const server = await scriptedServer(() => undefined)
  onTestFinished(() => server.close())
  const updates = start({ source: { address: `${server.address}/latest.json`, key: by.publicKey } })
  const checking = checked(updates)
  await eventually(() => expect(server.requests).toHaveLength(1))
  expect(told).toMatchObject([{ checking: true }])
  await updates.stop()
  expect(await checking).toMatchObject({ checking: false, offer: null, failure: null })
})

describe('looking by itself', () => {
  it('waits some minutes, looks once a day, and announces a version once, also after a restart', async () => {
    const { start, host, by, clock, announced } = await harness()
    publishAt(host, by, feedText({ version: '1.2.3' }))
    const updates = start()
    updates.start()
    expect(host.server.requests).toEqual([])
    expect(clock.nextAlarm() - noon).toBeGreaterThan(60_000)
    const looks = () => host.server.requests.filter(({ path }) => path === '/desk/latest.json').length
    await passHours(clock, 1, updates)
    await eventually(() => expect(looks()).toBe(1))
    await passHours(clock, 23, updates)
    expect(looks()).toBe(1)
    publishAt(host, by, feedText({ date: new Date(noon).toISOString() }))
    await passHours(clock, 3, updates)
    await eventually(() => expect(announced).toEqual(['1.3.0']))
    expect(looks()).toBe(2)
    await passHours(clock, 26, updates)
    await eventually(() => expect(looks()).toBe(3))
    await updates.stop()

    const again = start()
    await again.start()
    await passHours(clock, 26, again)
    await eventually(() => expect(looks()).toBe(4))
    expect(announced).toEqual(['1.3.0'])
    await again.stop()
  })

  it('looks once after a long sleep, and not for each day that went by', async () => {
    const { start, host, by, clock } = await harness()
    publishAt(host, by, feedText({ version: '1.2.3' }))
    const updates = start()
    updates.start()
    await passHours(clock, 1, updates)
    await eventually(() => expect(host.server.requests).toHaveLength(2))
    clock.time += 5 * day
    await passHours(clock, 3, updates)
    await eventually(() => expect(host.server.requests).toHaveLength(4))
    await passHours(clock, 3, updates)
    expect(host.server.requests).toHaveLength(4)
    await updates.stop()
  })

  it('does not try again at once where it failed', async () => {
    const { start, host, clock } = await harness()
    const updates = start()
    updates.start()
    await passHours(clock, 1, updates)
    await eventually(() => expect(host.server.requests).toHaveLength(1))
    await eventually(async () => expect((await stateOf(updates)).failure).not.toBeNull())
    await passHours(clock, 23, updates)
    expect(host.server.requests).toHaveLength(1)
    await passHours(clock, 4, updates)
    await eventually(() => expect(host.server.requests).toHaveLength(2))
    await updates.stop()
  })

  it('waits where it cannot be read whether it is wished', async () => {
    const { start, clock, host } = await harness()
    const store = { run: () => Promise.reject(new Error('The disk is away')) }
    const updates = start({ store })
    updates.start()
    clock.move(3_600_000)
    await eventually(() => expect(clock.nextAlarm() - clock.time).toBeGreaterThan(3_000_000))
    await expect(updates.read()).rejects.toThrow('The disk is away')
    expect(host.server.requests).toEqual([])
    await updates.stop()
  })

  it('announces nothing that it cannot remember', async () => {
    const { start, clock, host, by, announced } = await harness()
    publishAt(host, by, feedText())
    const store: Pick<StateStore, 'run'> = {
      run: (name) =>
        name === 'updates/read'
          ? Promise.resolve(noUpdates as never)
          : Promise.reject(new Error('The disk is away')),
    }
    const updates = start({ store })
    updates.start()
    await passHours(clock, 1, updates)
    await eventually(async () => expect((await stateOf(updates)).offer?.version).toBe('1.3.0'))
    await updates.stop()
    expect(announced).toEqual([])
  })

  it('is left where it is switched off, or everything is paused', async () => {
    const { start, clock, host } = await harness()
    const updates = start()
    updates.start()
    updates.pause(true)
    expect(clock.nextAlarm()).toBe(Infinity)
    updates.pause(false)
    expect(clock.nextAlarm()).toBeLessThan(Infinity)
    expect(await updates.daily(false)).toMatchObject({ daily: false })
    expect(clock.nextAlarm()).toBe(Infinity)
    expect(await start().read()).toMatchObject({ daily: false })
    expect(host.server.requests).toEqual([])
    await updates.stop()
  })
})

it('knows of what was found before, without asking', async () => {
  const { start, host, by } = await harness()
  publishAt(host, by, feedText())
  await checked(start())
  host.lying.clear()
  expect(await stateOf(start())).toMatchObject({ offer: { version: '1.3.0' } })
  expect(await stateOf(start({ running: '1.3.0' }))).toMatchObject({ offer: null })
})
