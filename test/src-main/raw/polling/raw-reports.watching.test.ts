import { describe, expect, it } from 'vitest'
import type { AccountId } from '#shared/values/ids.ts'
import { account, firstId, secondId } from '#test/src-main/database/helpers.ts'
import { FakeService, failing, ready, reportId, row } from '../fake-service.ts'
import { everything, quiet, roomIn, harness } from '../room.ts'
import { begun, minutes } from './begun.ts'

const minute = 60_000

describe('when it is looked', () => {
  it('is soon at first and then later, while anything runs', async () => {
    const { room, clock } = await begun(row('a'))
    const waits: (number | undefined)[] = []
    for (let looks = 0; looks < 9; looks += 1) {
      const [wait] = clock.waiting()
      waits.push(wait)
      await clock.move(wait ?? 0)
      await quiet()
    }
    expect(waits).toEqual([5_000, 7_500, 11_250, 16_875, 25_313, 37_969, 56_953, 60_000, 60_000])
    await room.stop()
  })

  it('is every half hour where nothing runs, and never where there is nothing', async () => {
    const { room, service, clock } = await begun(row('a', ready))
    expect(clock.waiting()).toEqual([30 * minute])
    service.rows.clear()
    await clock.move(30 * minute)
    await quiet()
    await clock.move(30 * minute)
    await quiet()
    expect(clock.waiting()).toEqual([])
    room.retryNow()
    await quiet()
    expect(service.received().filter((path) => path === 'raw/table')).toHaveLength(2)
    await room.stop()
  })

  it('is not by itself while the person wants quiet, and at once when they want it again', async () => {
    const { room, service, clock } = await begun(row('a'))
    room.pause(true)
    expect(clock.waiting()).toEqual([])
    service.received()
    await clock.move(60 * minute)
    await quiet()
    // The machine wakes up, or the service is back.
    room.retryNow()
    await quiet()
    expect(service.received()).toEqual([])
    await room.list({ account: firstId, query: everything, force: true })
    await quiet()
    expect(service.received()).toContain('raw/table')
    expect(clock.waiting()).toEqual([])
    room.pause(false)
    await quiet()
    expect(service.received()).toContain('raw/table')
    expect(clock.waiting()).toEqual([5_000])
    await room.stop()
  })

  it('is at once for a report that was accepted, which is in the list before the service has it there', async () => {
    const { room, service, shown } = await begun()
    const list = () => room.list({ account: firstId, query: everything, force: false })
    service.put(row('a'))
    service.page = (answer) => ({ ...answer, rows: [], query: { ...answer.query, results: 0, pages: 0 } })
    await room.accepted({ account: firstId, report: reportId('a'), name: 'A', type: 'Direct', instance: '' })
    expect((await list()).reports.map(({ row: { id } }) => id)).toEqual(['a'])
    await quiet()
    expect((await list()).reports.map(({ life }) => life.state)).toEqual(['in-progress'])
    service.change('a', ready)
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual(['ready a'])
    await room.stop()
  })

  it('is not where the token is refused, until there is another', async () => {
    const { room, service, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('refused-token')
    }
    await minutes(clock, 2)
    service.received()
    await minutes(clock, 60)
    expect(service.received()).toEqual([])
    service.before = () => undefined
    room.tell({ kind: 'account/renewed', account: firstId })
    await quiet()
    expect(service.received()).toContain('raw/table')
    await room.stop()
  })

  it('is every half hour where the keychain is locked, so that it is noticed once that is not', async () => {
    const { room, service, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('no-keychain')
    }
    await minutes(clock, 2)
    service.received()
    await minutes(clock, 120)
    expect([2, 3, 4, 5]).toContain(service.received().length)
    service.before = () => undefined
    await minutes(clock, 36)
    expect(service.received()).toContain('raw/table')
    await room.stop()
  })

  it('is soon again where the service was away at the start, though nothing ran when it was last seen', async () => {
    const { room, given, service, shown, clock } = await begun(row('old', ready))
    await room.stop()
    service.put(row('overnight', ready))
    service.before = () => {
      throw failing('offline')
    }
    const next = roomIn(given)
    next.start()
    await minutes(clock, 2)
    service.before = () => undefined
    await minutes(clock, 2)
    expect(shown).toEqual(['ready overnight'])
    await next.stop()
  })

  it('is less and less often where the service is away, and goes on when it is back', async () => {
    const { room, service, shown, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('offline')
    }
    service.change('a', ready)
    await minutes(clock, 120)
    expect(service.received().length).toBeLessThan(40)
    expect(room.lastFailure(firstId)?.kind).toBe('offline')
    service.before = () => undefined
    await minutes(clock, 6)
    expect(shown).toEqual(['ready a'])
    expect([room.lastFailure(firstId), room.lastFailure(secondId)]).toEqual([null, undefined])
    await room.stop()
  })

  it('begins with an account that comes later, and not with one that has no token', async () => {
    const { room, given, service } = await begun()
    const other = account({ id: secondId, name: 'Other' })
    await given.store.run('accounts/put', other)
    given.accounts.push({ ...other, tokenPlace: 'absent' })
    const otherService = given.services.get(secondId) ?? service
    room.tell({ kind: 'account/activated', account: secondId })
    await quiet()
    expect(otherService.received()).toEqual([])
    given.accounts.splice(1, 1, { ...other, tokenPlace: 'keychain' })
    room.tell({ kind: 'account/renewed', account: secondId })
    await quiet()
    expect(otherService.received()).toContain('raw/table')
    await room.stop()
  })

  it('starts no service of samples for nobody', async () => {
    const given = await harness()
    given.accounts.splice(0, 1, account({ kind: 'sample' }))
    const service = given.services.get(firstId) ?? new FakeService()
    service.put(row('a'), row('b', ready))
    const room = roomIn(given)
    room.start()
    room.tell({ kind: 'account/activated', account: firstId })
    await quiet()
    expect(service.received()).toEqual([])
    await room.list({ account: firstId, query: everything, force: false })
    await quiet()
    expect(service.received()).toContain('raw/table')
    await room.stop()
    // The next start has another service, which knows nothing of what was asked for.
    service.rows.delete('a')
    const again = roomIn(given)
    again.start()
    await quiet()
    expect((await again.summary()).running).toEqual([])
    await again.list({ account: firstId, query: everything, force: false })
    await quiet()
    expect(given.shown).toEqual([])
    await again.stop()
  })
})

describe('in a few words', () => {
  it('tells what runs, what became ready and what wants a look, until the person looks', async () => {
    const { room, service, clock } = await begun(row('a'), row('b'), row('c'))
    service.change('a', ready)
    service.change('b', { failed: '2026-11-20T12:00:00+00:00' })
    await minutes(clock, 2)
    const summary = await room.summary()
    expect(summary).toMatchObject({
      running: [{ account: firstId, report: 'c', name: 'Report c' }],
      readyUnseen: 1,
      attention: 1,
      lastFinished: { report: 'a', kind: 'ready' },
    })
    await room.list({ account: firstId, query: everything, force: false })
    await quiet()
    expect(await room.summary()).toMatchObject({
      readyUnseen: 0,
      attention: 0,
      lastFinished: { report: 'a' },
    })
    await room.stop()
  })

  it('forgets an account that is removed', async () => {
    const { room, given, service, clock, shown } = await begun(row('a'))
    given.accounts.splice(0, 1)
    await given.store.run('accounts/remove', firstId)
    room.tell({ kind: 'account/removed', account: firstId, dataScopes: [] })
    service.change('a', ready)
    await minutes(clock, 10)
    expect(shown).toEqual([])
    expect(service.received()).toEqual([])
    expect(await room.summary()).toMatchObject({ running: [], lastFinished: null })
    await expect(
      room.list({ account: 'none' as AccountId, query: everything, force: false }),
    ).rejects.toThrow('removed')
    await room.stop()
  })
})
