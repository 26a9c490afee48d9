import { describe, expect, it } from 'vitest'
import { queryKey } from '#shared/reports/query.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { settled } from '../reports/clock.ts'
import { desk, recent, settledDays } from '../reports/helpers.ts'

const instances = 'interface/instances'
const timeoutMs = 20_000

describe('probing', () => {
  it('happens only while a window is open, at once for the first time', async () => {
    const { reports, service, received } = await desk()
    await settled()
    expect(service.asked).toEqual([])
    expect(reports.connection(firstId)).toEqual({ kind: 'unknown' })
    reports.setWatching(true)
    await settled()
    expect(service.asked).toMatchObject([{ path: instances, given: { page: 1, limit: 1000 } }])
    expect(received()).toEqual(['online'])
  })

  it('goes on after 1, 2, 4 … 30 seconds until the service is found', async () => {
    const { reports, service, clock, received } = await desk()
    service.failure = 'offline'
    reports.setWatching(true)
    await settled()
    const pauses: (number | undefined)[] = []
    for (let nth = 0; nth < 7; nth += 1) {
      const [pause = 0] = clock.waiting()
      pauses.push(pause)
      await clock.move(pause)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000))
    expect(received()).toEqual(['offline'])
    service.failure = null
    await clock.move(30_000)
    expect(received()).toEqual(['online'])
    expect(clock.waiting()).toEqual([])
  })

  it('looks again at a service that was not heard of for a while, and notices that it has gone', async () => {
    const { reports, service, clock, received } = await desk()
    reports.setWatching(true)
    await settled()
    const asked = service.asked.length
    reports.look()
    await settled()
    expect(service.asked).toHaveLength(asked)
    await clock.move(20_000)
    service.failure = 'offline'
    reports.look()
    await settled()
    expect(received()).toEqual(['online', 'offline'])
  })

  it('looks again also where the clock was set back since the service was heard of', async () => {
    const { reports, service, clock, received } = await desk()
    reports.setWatching(true)
    await settled()
    await clock.move(-3_600_000)
    service.failure = 'offline'
    reports.look()
    await settled()
    expect(received()).toEqual(['online', 'offline'])
  })

  it('says that the instances are others where a new token sees others', async () => {
    const { reports, service, clock, tell, received } = await desk()
    reports.setWatching(true)
    await settled()
    received()
    service.instances = [{ id: 7, name: 'Acme' }]
    await clock.move(1)
    tell({ kind: 'account/renewed', account: firstId })
    await settled()
    expect(received()).toContain(`changed ${instances}?page=1&limit=1000`)
  })

  it('looks at once when the computer woke up, and begins with short pauses again', async () => {
    const { reports, service, clock } = await desk()
    service.failure = 'offline'
    reports.setWatching(true)
    await settled()
    await clock.move(1000)
    await clock.move(2000)
    expect(clock.waiting()).toEqual([4000])
    const before = service.asked.length
    reports.wake()
    await settled()
    expect(service.asked).toHaveLength(before + 1)
    expect(clock.waiting()).toEqual([1000])
  })

  it('broken off because the account has a new client says nothing of the service', async () => {
    const { reports, service, clock, received } = await desk()
    service.failure = 'cancelled'
    reports.setWatching(true)
    await settled()
    expect(received()).toEqual([])
    service.failure = null
    await clock.move(1000)
    expect(received()).toEqual(['online'])
  })

  it('ends when the last window closes, and begins when one opens', async () => {
    const { reports, service, clock } = await desk()
    service.failure = 'offline'
    reports.setWatching(true)
    await settled()
    reports.setWatching(false)
    expect(clock.waiting()).toEqual([])
    reports.wake()
    await settled()
    expect(service.asked).toHaveLength(1)
    reports.setWatching(true)
    await settled()
    expect(service.asked).toHaveLength(2)
  })

  it('gives up waiting for an answer after a while, and counts that as away', async () => {
    const { reports, service, clock, received } = await desk()
    let release = () => {}
    service.gate = new Promise((resolve) => (release = resolve))
    service.failure = 'cancelled'
    reports.setWatching(true)
    await settled()
    expect(clock.waiting()).toEqual([timeoutMs])
    await clock.move(timeoutMs)
    expect(service.asked[0]?.options.signal?.aborted).toBe(true)
    release()
    await settled()
    expect(received()).toEqual(['offline'])
  })

  it('ends where it is stopped', async () => {
    const { reports, service, clock } = await desk()
    service.failure = 'offline'
    reports.setWatching(true)
    await settled()
    await reports.stop()
    expect(clock.waiting()).toEqual([])
  })
})

describe('the connection', () => {
  it('is lost by a report that cannot be asked, found by probing, and then every view is told to ask again', async () => {
    const { ask, reports, service, clock, received } = await desk({ watching: true })
    await ask(recent)
    await ask(settledDays)
    await settled()
    received()
    await clock.move(10 * 60_000)
    service.failure = 'offline'
    await ask(recent)
    await settled()
    expect(received()).toEqual(['offline', `changed ${queryKey(recent)}`])
    expect(reports.connection(firstId)).toEqual({ kind: 'offline' })

    service.failure = null
    service.suspect = 2
    await clock.move(1000)
    expect(received()).toEqual(['online', `changed ${queryKey(settledDays)}`, `changed ${queryKey(recent)}`])
    expect((await ask(recent)).provenance.refreshing).toBe(true)
    expect((await ask(settledDays)).provenance).toMatchObject({ from: 'stored', refreshing: false })
    await settled()
    expect((await ask(recent)).figures.total.suspect).toBe(2)
  })

  it('is found by a report that is answered, which stops the probing', async () => {
    const { ask, service, clock, received } = await desk({ watching: true })
    service.failure = 'offline'
    await expect(ask(recent)).rejects.toThrow()
    expect(clock.waiting()).toEqual([1000])
    service.failure = null
    await ask(recent)
    expect(received()).toEqual(['offline', 'online', `changed ${queryKey(recent)}`])
    expect(clock.waiting()).toEqual([])
  })

  it('is looked for ever more slowly where a report loses it again each time it was found', async () => {
    const { ask, service, clock } = await desk({ watching: true })
    await settled()
    service.failing = 'direct/overview'
    service.failure = 'offline'
    const pauses: (number | undefined)[] = []
    for (let nth = 0; nth < 7; nth += 1) {
      await expect(ask(recent)).rejects.toThrow()
      const [pause = 0] = clock.waiting()
      pauses.push(pause)
      await clock.move(pause)
    }
    expect(pauses).toEqual([1, 2, 4, 8, 16, 30, 30].map((seconds) => seconds * 1000))
    await clock.move(60_000)
    await expect(ask(recent)).rejects.toThrow()
    expect(clock.waiting()).toEqual([1000])
  })

  it('counts what was fetched before the service was away as stale', async () => {
    const { ask, service, clock } = await desk({ watching: true })
    await ask(recent)
    await clock.move(1000)
    service.failure = 'offline'
    await ask(recent, true)
    await settled()
    service.failure = null
    await clock.move(1000)
    expect((await ask(recent)).provenance.refreshing).toBe(true)
    await settled()
    expect((await ask(recent)).provenance.refreshing).toBe(false)
  })

  it('does not count what is fetched as stale for ever where the clock is set back after the service was away', async () => {
    const { ask, service, clock } = await desk({ watching: true })
    service.failure = 'offline'
    await expect(ask(recent)).rejects.toThrow()
    service.failure = null
    await clock.move(1000)
    await clock.move(-3_600_000)
    await ask(recent)
    expect((await ask(recent)).provenance).toMatchObject({ from: 'stored', refreshing: false })
  })

  it.each(['server-trouble', 'timed-out', 'malformed', 'not-found'] as const)(
    'is not lost by one report that ends as %s while something small is answered',
    async (kind) => {
      const { ask, reports, service, received } = await desk({ watching: true })
      await settled()
      const probes = service.count(instances)
      service.failure = kind
      service.failing = 'direct/overview'
      await expect(ask(recent)).rejects.toMatchObject({ failure: { kind } })
      await settled()
      expect(service.count(instances)).toBe(probes + 1)
      expect(reports.connection(firstId)).toEqual({ kind: 'online' })
      expect(received()).toEqual(['online'])
    },
  )

  it('is lost where a gateway answers in the service’s place', async () => {
    const { reports, service, clock, received } = await desk()
    service.failure = 'server-trouble'
    reports.setWatching(true)
    await settled()
    expect(received()).toEqual(['offline'])
    expect(clock.waiting()).toEqual([1000])
  })

  it.each(['no-right', 'bad-request', 'out-of-window'] as const)(
    'stands where the service says %s',
    async (kind) => {
      const { ask, reports, service } = await desk()
      service.failure = kind
      await expect(ask(recent)).rejects.toMatchObject({ failure: { kind } })
      expect(reports.connection(firstId)).toEqual({ kind: 'online' })
    },
  )

  it('waits for a proxy that wants to know who asks, and goes on once somebody has signed in', async () => {
    const { ask, reports, service, received } = await desk()
    await ask(recent)
    received()
    service.failure = 'proxy-sign-in'
    reports.setWatching(true)
    reports.wake()
    await settled()
    expect(received()).toEqual(['proxy-sign-in'])
    service.failure = null
    reports.wake()
    await settled()
    expect(received()).toEqual(['online', `changed ${queryKey(recent)}`])
  })

  it.each([
    // A service may have disabled the token for a while: it is tried once more, and that is all.
    ['refused-token', 'refused', 1],
    ['no-token', 'no-token', 0],
    ['no-keychain', 'no-token', 0],
  ] as const)('ends with %s, and is not probed on and on', async (kind, state, more) => {
    const { ask, reports, service, clock, tell, received } = await desk()
    await ask(recent)
    received()
    service.failure = kind
    reports.setWatching(true)
    reports.wake()
    await settled()
    expect(received()).toEqual([state])
    expect(clock.waiting()).toEqual([])
    const asked = service.asked.length
    reports.wake()
    await settled()
    expect(service.asked).toHaveLength(asked + more)
    expect(clock.waiting()).toEqual([])

    service.failure = null
    tell({ kind: 'account/renewed', account: firstId })
    await settled()
    expect(received()).toEqual(['unknown', 'online', `changed ${queryKey(recent)}`])
  })
})
