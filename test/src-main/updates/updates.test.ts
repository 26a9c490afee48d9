import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { noUpdates } from '#shared/app/settings.ts'
import type { StateStore } from '#main/database/state/state-store.ts'
import { testAuthority } from '#test/helpers/certificates.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { proxyServer } from '#test/helpers/proxy-server.ts'
import { scriptedServer } from '#test/helpers/scripted-server.ts'
import { feedText, maker, noon, packageBytes, publishAt } from './maker.ts'
import { after, passHours, harness } from './harness.ts'

const day = 24 * 3_600_000
const left = (folder: string) => (existsSync(folder) ? readdirSync(folder) : [])

describe('without a feed', () => {
  it('nobody is asked, nothing is kept, and no step is taken', async () => {
    const { start, host, clock, packages } = await harness()
    const updates = start({ source: null })
    updates.start()
    expect(clock.nextAlarm()).toBe(Infinity)
    expect(await updates.read()).toEqual({ kind: 'without-feed' })
    await expect(updates.do('look')).rejects.toThrow('does not check for updates')
    await expect(updates.daily(true)).rejects.toThrow('does not check for updates')
    expect(host.server.requests).toEqual([])
    expect(left(packages)).toEqual([])
  })
})

describe('looking by hand', () => {
  it('finds a newer version, and says so in the window alone', async () => {
    const { start, host, by, announced } = await harness()
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes), bytes)
    const updates = start()
    expect(await after(updates)).toMatchObject({ checkedAt: null, stage: { kind: 'none' }, failure: null })
    const state = await after(updates, 'look')
    expect(state.checkedAt).toBeGreaterThan(noon)
    const offer = { version: '1.3.0', date: noon - day, notes: 'What is new.', size: bytes.length }
    expect(state.stage).toEqual({ kind: 'there', offer })
    expect(announced).toEqual([])
  })

  it('asks plainly: nothing tells who asks', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText(packageBytes(10)))
    await after(start(), 'look')
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
    publishAt(host, by, feedText(packageBytes(10), { version: '1.2.3' }))
    expect(await after(start(), 'look')).toMatchObject({ stage: { kind: 'none' }, failure: null })
  })

  it('refuses what another has signed, and says so', async () => {
    const { start, host, announced } = await harness()
    publishAt(host, maker(), feedText(packageBytes(10)))
    const state = await after(start(), 'look')
    expect(state).toMatchObject({ checkedAt: null, stage: { kind: 'none' }, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('not signed by the maker')
    expect(announced).toEqual([])
  })

  it('refuses an older feed than one that was read, also after a restart', async () => {
    const { start, host, by } = await harness()
    const bytes = packageBytes(10)
    const before = feedText(bytes, { version: '1.2.9', date: '2026-11-10T12:00:00Z' })
    publishAt(host, by, feedText(bytes, { version: '1.2.3' }))
    await after(start(), 'look')
    publishAt(host, by, before)
    const state = await after(start(), 'look')
    expect(state).toMatchObject({ stage: { kind: 'none' }, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('list of updates was rejected. It')
  })

  it('goes nowhere else than to the feed', async () => {
    const { start, host, by } = await harness()
    const elsewhere = await harness()
    const text = feedText(packageBytes(10))
    publishAt(elsewhere.host, by, text)
    host.lying.set('/desk/latest.json', { redirect: elsewhere.host.address })
    const state = await after(start(), 'look')
    expect(state).toMatchObject({ stage: { kind: 'none' }, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain('an address that is not allowed')
    expect(elsewhere.host.server.requests).toEqual([])
  })

  it('asks only where the certificate is trusted', async () => {
    const authority = await testAuthority()
    onTestFinished(() => authority.remove())
    const text = feedText(packageBytes(10))
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
    const wary = await after(trusting([]), 'look')
    expect(wary).toMatchObject({ stage: { kind: 'none' }, failure: { kind: 'server-trouble' } })
    expect(wary.failure?.message).toContain('certificate')
    expect(server.requests).toEqual([])
    expect((await after(trusting([authority.certificate]), 'look')).stage.kind).toBe('there')
  })

  it('says that a proxy wants to know who asks', async () => {
    const { start, by, host } = await harness()
    const proxy = await proxyServer(host.server.port, { basic: 'maria:open sesame' })
    onTestFinished(() => proxy.close())
    const state = await after(
      start({
        source: { address: 'https://downloads.example/latest.json', key: by.publicKey },
        fetching: { resolveProxy: () => Promise.resolve(`PROXY 127.0.0.1:${proxy.port}`) },
      }),
      'look',
    )
    expect(state.failure?.message).toMatch(/asks for a name and password/)
    expect(host.server.requests).toEqual([])
  })

  it('takes no more of a feed than one can be', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText(packageBytes(10)) + ' '.repeat(70_000))
    expect((await after(start(), 'look')).failure?.message).toContain('more than was announced')
  })

  it('says what to do where nobody answers, or nothing lies there', async () => {
    const { start, host } = await harness()
    const missing = await after(start(), 'look')
    expect(missing.failure).toMatchObject({ kind: 'server-trouble' })
    expect(missing.failure?.message).toContain('404')
    await host.server.close()
    const offline = await after(start(), 'look')
    expect(offline.failure).toMatchObject({ kind: 'offline' })
    expect(offline.failure?.message).toContain('Check the network')
  })

  it('keeps what it knows where it cannot look', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText(packageBytes(10)))
    const updates = start()
    await after(updates, 'look')
    host.lying.clear()
    const state = await after(updates, 'look')
    expect(state).toMatchObject({ stage: { kind: 'there' }, failure: { kind: 'server-trouble' } })
    expect(state.checkedAt).not.toBeNull()
  })
})

describe('looking by itself', () => {
  it('waits some minutes, looks once a day, and announces a version once, also after a restart', async () => {
    const { start, host, by, clock, announced } = await harness()
    publishAt(host, by, feedText(packageBytes(10), { version: '1.2.3' }))
    const updates = start()
    updates.start()
    expect(host.server.requests).toEqual([])
    expect(clock.nextAlarm() - noon).toBeGreaterThan(60_000)
    const looks = () => host.server.requests.filter(({ path }) => path === '/desk/latest.json').length
    await passHours(clock, 1, updates)
    await eventually(() => expect(looks()).toBe(1))
    await passHours(clock, 23, updates)
    expect(looks()).toBe(1)
    publishAt(host, by, feedText(packageBytes(10), { date: new Date(noon).toISOString() }))
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
    publishAt(host, by, feedText(packageBytes(10), { version: '1.2.3' }))
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
    await eventually(async () => expect((await after(updates)).failure).not.toBeNull())
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
    publishAt(host, by, feedText(packageBytes(10)))
    const store: Pick<StateStore, 'run'> = {
      run: (name) =>
        name === 'updates/read'
          ? Promise.resolve(noUpdates as never)
          : Promise.reject(new Error('The disk is away')),
    }
    const updates = start({ store })
    updates.start()
    await passHours(clock, 1, updates)
    await eventually(async () => expect((await after(updates)).stage.kind).toBe('there'))
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

/** A world whose package is on its way: its first thousand bytes have come, and no more do. */
async function halfLoaded() {
  const { start, host, by, packages } = await harness()
  const bytes = packageBytes()
  publishAt(host, by, feedText(bytes))
  const updates = start()
  await after(updates, 'look')
  host.lying.set('/desk/app.deb', { first: bytes.subarray(0, 1000), of: bytes.length })
  const downloading = updates.do('download')
  await eventually(() => expect(left(packages)).toEqual(['traffic-desk-1.3.0.deb.part']))
  return { updates, downloading, packages }
}

describe('downloading', () => {
  it('brings the package for its owner alone, under a name of ours, and remembers it after a restart', async () => {
    const { start, host, by, packages, told } = await harness()
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes), bytes)
    const updates = start()
    expect((await after(updates, 'look', 'download')).stage.kind).toBe('ready')
    const path = join(packages, 'traffic-desk-1.3.0.deb')
    expect(readFileSync(path).equals(bytes)).toBe(true)
    expect([statSync(packages).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600])
    expect(told.map((each) => each.kind === 'with-feed' && each.stage.kind)).toContain('downloading')
    const requests = host.server.requests.length
    expect((await after(start())).stage.kind).toBe('ready')
    expect(host.server.requests).toHaveLength(requests)
  })

  it('knows of what was found before, without asking', async () => {
    const { start, host, by } = await harness()
    publishAt(host, by, feedText(packageBytes(10)))
    await after(start(), 'look')
    host.lying.clear()
    expect(await after(start())).toMatchObject({ stage: { kind: 'there', offer: { version: '1.3.0' } } })
    expect(await after(start({ running: '1.3.0' }))).toMatchObject({ stage: { kind: 'none' } })
  })

  it.each([
    [
      'other bytes of the same length',
      (bytes: Buffer) => packageBytes(bytes.length - 11),
      'signature is wrong',
    ],
    [
      'one byte changed',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -1), Buffer.of((bytes.at(-1) ?? 0) ^ 1)]),
      'signature is wrong',
    ],
    ['the end missing', (bytes: Buffer) => bytes.subarray(0, -1), 'bytes arrived'],
    ['more at its end', (bytes: Buffer) => Buffer.concat([bytes, Buffer.of(1)]), 'more than was announced'],
  ])('refuses %s, and leaves nothing behind', async (_, changed, words) => {
    const { start, host, by, packages } = await harness()
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes), changed(bytes))
    const state = await after(start(), 'look', 'download')
    expect(state).toMatchObject({ stage: { kind: 'there' }, failure: { kind: 'malformed' } })
    expect(state.failure?.message).toContain(words)
    expect(left(packages)).toEqual([])
  })

  it('follows a package to where it lies', async () => {
    const { start, host, by } = await harness()
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes))
    host.lying.set('/desk/app.deb', { redirect: '/elsewhere/app.deb' }).set('/elsewhere/app.deb', bytes)
    expect((await after(start(), 'look', 'download')).stage.kind).toBe('ready')
  })

  it('can be cancelled, and leaves nothing behind', async () => {
    const { updates, downloading, packages } = await halfLoaded()
    expect(await after(updates, 'cancel')).toMatchObject({ stage: { kind: 'there' }, failure: null })
    await downloading
    expect(left(packages)).toEqual([])
  })

  it('is broken off by the end of the app', async () => {
    const { updates, downloading, packages } = await halfLoaded()
    await updates.stop()
    await downloading
    expect(left(packages)).toEqual([])
  })

  it('removes packages of other versions, and what was left half-written', async () => {
    const { start, host, by, packages } = await harness()
    const bytes = packageBytes()
    publishAt(host, by, feedText(bytes), bytes)
    const updates = start()
    await after(updates, 'look', 'download')
    writeFileSync(join(packages, 'traffic-desk-1.2.9.deb'), 'old')
    writeFileSync(join(packages, 'traffic-desk-1.3.0.deb.part'), 'half')
    await after(updates, 'look')
    expect(left(packages)).toEqual(['traffic-desk-1.3.0.deb'])
    await after(start({ running: '1.3.0' }))
    expect(left(packages)).toEqual([])
  })
})
