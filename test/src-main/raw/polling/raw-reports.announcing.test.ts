import { describe, expect, it } from 'vitest'
import { account, firstId, secondId } from '#test/src-main/database/helpers.ts'
import { FakeService, failing, ready, reportId, row } from '../fake-service.ts'
import { quiet, roomIn, harness } from '../room.ts'
import { begun, minutes } from './begun.ts'

const day = 86_400_000

describe('what is announced', () => {
  it('is each end of what ran, and nothing old of a first list', async () => {
    const { room, service, shown, clock } = await begun(
      row('old', ready),
      ...['a', 'b', 'c', 'd'].map((id) => row(id)),
    )
    expect(shown).toEqual([])
    service.change('a', ready)
    await minutes(clock, 2)
    service.change('b', { failed: '2026-11-20T12:00:00+00:00' })
    await minutes(clock, 2)
    service.change('c', { status: 'Timed%20Out' })
    service.change('c', { status: 'Timed Out' })
    service.change('d', { cancelled: '2026-11-20T12:00:00+00:00', status: '?' })
    await minutes(clock, 2)
    expect(shown).toEqual(['ready a', 'failed b', 'cancelled d', 'timed-out c'])
    await room.stop()
  })

  it('is of a report that nobody saw running, too', async () => {
    const { room, service, shown, clock } = await begun(row('runs'))
    service.put(row('new', ready))
    await minutes(clock, 2)
    expect(shown).toEqual(['ready new'])
    await room.stop()
  })

  it('has rows and size, and is announced without them where the service does not say them soon', async () => {
    const { room, service, news, clock } = await begun(row('a'), row('b'))
    service.change('a', ready)
    await minutes(clock, 2)
    service.before = (path) => {
      if (path === 'raw/report') throw failing('server-trouble')
    }
    service.change('b', ready)
    await minutes(clock, 2)
    expect(news).toMatchObject([
      { announcement: { report: 'a', rows: 99, size: 1234 } },
      { announcement: { report: 'b', rows: null, size: null } },
    ])
    await room.stop()
  })

  it('is nothing that nobody wants to hear of, neither then nor later', async () => {
    const { room, given, service, shown, clock } = await begun(row('a'), row('b'))
    given.settings = { ...given.settings, announce: { ...given.settings.announce, ready: false } }
    service.change('a', ready)
    service.change('b', { failed: '2026-11-20T12:00:00+00:00' })
    await minutes(clock, 2)
    given.settings = { ...given.settings, announce: { ...given.settings.announce, ready: true } }
    room.announceAgain()
    await quiet()
    expect(shown).toEqual(['failed b'])
    await room.stop()
  })

  it('is told within the desk first, once, also where nobody wants to hear of it, and whatever comes of that', async () => {
    const {
      room,
      given,
      service,
      shown,
      clock,
      ready: told,
    } = await begun(...['a', 'b', 'c', 'd'].map((id) => row(id)))
    given.settings = { ...given.settings, announce: { ...given.settings.announce, ready: false } }
    service.change('a', ready)
    service.change('b', { failed: '2026-11-20T12:00:00+00:00' })
    await minutes(clock, 2)
    given.settings = { ...given.settings, announce: { ...given.settings.announce, ready: true } }
    given.desktop.takes = false
    for (const id of ['c', 'd']) service.change(id, ready)
    await minutes(clock, 2)
    told.push('somebody')
    service.put(row('e', ready))
    await room.fresh(firstId)
    await quiet()
    given.desktop.takes = true
    room.announceAgain()
    await quiet()
    expect(told).toEqual(['a', 'd', 'c', 'somebody', 'e'])
    expect(shown).toEqual(['failed b', 'ready d', 'ready c', 'ready e'])
    await room.stop()
  })

  it('waits until the desktop takes it', async () => {
    const { room, service, shown, clock, desktop } = await begun(row('a'), row('b'))
    desktop.takes = false
    service.change('a', ready)
    await minutes(clock, 2)
    expect(shown).toEqual([])
    desktop.takes = true
    room.announceAgain()
    await quiet()
    room.announceAgain()
    await quiet()
    expect(shown).toEqual(['ready a'])
    await room.stop()
  })

  it('is saved while the desktop says nothing of what it was handed, and waits for its answer', async () => {
    const { room, given, service, shown, clock, desktop, ready: told } = await begun(row('a'), row('b'))
    desktop.answers = false
    service.change('a', ready)
    await minutes(clock, 2)
    service.change('b', ready)
    await minutes(clock, 2)
    expect(told).toEqual(['a', 'b'])
    expect(shown).toEqual(['ready a'])
    // The app ends without that answer; what was handed over is not shown again.
    await room.stop()
    desktop.answers = true
    const again = roomIn(given)
    again.start()
    await quiet()
    expect(shown).toEqual(['ready a', 'ready b'])
    await again.stop()
  })

  it('is shown where what saves files does not answer', async () => {
    const { room, given, service, shown, clock, saving, ready: told } = await begun(row('a'), row('b'))
    saving.answers = false
    service.change('a', ready)
    await minutes(clock, 2)
    expect(shown).toEqual(['ready a'])
    service.change('b', ready)
    // Found, and not marked before the app ends: what saves files hears of it in the next session once more.
    await room.fresh(firstId)
    await quiet()
    await room.stop()
    expect(shown).toEqual(['ready a'])
    saving.answers = true
    const again = roomIn(given)
    again.start()
    await quiet()
    expect(told).toEqual(['a', 'b', 'b'])
    expect(shown).toEqual(['ready a', 'ready b'])
    await again.stop()
  })

  it('is a summary where more than three waited, such as at the start', async () => {
    const { room, given, service, shown } = await begun(...['a', 'b', 'c', 'd'].map((id) => row(id)))
    await room.stop()
    for (const id of ['a', 'b', 'c']) service.change(id, ready)
    service.change('d', { failed: '2026-11-20T12:00:00+00:00' })
    const again = roomIn(given)
    again.start()
    await quiet()
    expect(shown).toEqual(['summary failed d, ready c, ready b, ready a'])
    await again.stop()
    const third = roomIn(given)
    third.start()
    await quiet()
    expect(shown).toHaveLength(1)
    await third.stop()
  })

  it('is one summary over all accounts, though one of them answers late', async () => {
    const given = await harness()
    given.accounts.push(account({ id: secondId, name: 'Other' }))
    await given.store.run('accounts/put', account({ id: secondId, name: 'Other' }))
    const services = [firstId, secondId].map((id) => given.services.get(id) ?? new FakeService())
    for (const [at, service] of services.entries()) service.put(row(`a${at}`), row(`b${at}`))
    const room = roomIn(given)
    room.start()
    await quiet()
    for (const [at, service] of services.entries()) {
      service.change(`a${at}`, ready)
      service.change(`b${at}`, ready)
    }
    room.retryNow()
    await quiet()
    expect(given.shown).toEqual(['summary ready b0, ready a0, ready b1, ready a1'])
    await room.stop()
  })

  it('is an expiry in three days, and in one where the file is not saved', async () => {
    const expires = '2026-11-25T00:00:00+00:00'
    const { room, shown, clock, saved } = await begun(
      row('kept', { ...ready, expires }),
      row('lost', { ...ready, expires }),
      row('failed', { failed: '2026-11-20T11:00:00+00:00', expires }),
    )
    saved.set(reportId('kept'), 'saved')
    for (let hours = 0; hours < 24 * 7; hours += 1) {
      await clock.move(day / 24)
      await quiet()
    }
    expect(shown).toEqual([
      'expires-in-3-days lost',
      'expires-in-3-days kept',
      'expires-in-1-day-unsaved lost',
    ])
    await room.stop()
  })

  it('tells of an expiry without the service, too', async () => {
    const { room, service, shown, clock } = await begun(
      row('a', { ...ready, expires: '2026-11-25T00:00:00+00:00' }),
    )
    service.before = () => {
      throw failing('offline')
    }
    for (let hours = 0; hours < 48; hours += 1) {
      await clock.move(day / 24)
      await quiet()
    }
    expect(shown).toEqual(['expires-in-3-days a'])
    await room.stop()
  })
})
