import { describe, expect, it } from 'vitest'
import type { RawListRow } from '../../../../src-shared/service/answers.ts'
import type { AccountId } from '../../../../src-shared/values/ids.ts'
import { account, firstId, secondId } from '../../store/helpers.ts'
import { FakeService, failing, ready, reportId, row } from '../fake-service.ts'
import { everything, quiet, roomIn, roomWith, world } from '../room.ts'

const minute = 60_000
const day = 86_400_000

/** A room that has kept its first list, of these rows. */
async function begun(...rows: RawListRow[]) {
  const made = await roomWith()
  made.service.put(...rows)
  made.room.begin()
  await quiet()
  made.service.heard()
  return made
}

/** Lets so much time pass, a minute at a time. */
async function minutes(clock: { move: (milliseconds: number) => Promise<void> }, count: number) {
  for (let passed = 0; passed < count; passed += 1) {
    await clock.move(minute)
    await quiet()
  }
}

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
    await room.close()
  })

  it('is of a report that nobody saw running, too', async () => {
    const { room, service, shown, clock } = await begun(row('runs'))
    service.put(row('new', ready))
    await minutes(clock, 2)
    expect(shown).toEqual(['ready new'])
    await room.close()
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
    await room.close()
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
    await room.close()
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
    await room.close()
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
    await room.close()
  })

  it('is a summary where more than three waited, such as at the start', async () => {
    const { room, given, service, shown } = await begun(...['a', 'b', 'c', 'd'].map((id) => row(id)))
    await room.close()
    for (const id of ['a', 'b', 'c']) service.change(id, ready)
    service.change('d', { failed: '2026-11-20T12:00:00+00:00' })
    const again = roomIn(given)
    again.begin()
    await quiet()
    expect(shown).toEqual(['summary failed d, ready c, ready b, ready a'])
    await again.close()
    const third = roomIn(given)
    third.begin()
    await quiet()
    expect(shown).toHaveLength(1)
    await third.close()
  })

  it('is one summary over all accounts, though one of them answers late', async () => {
    const given = await world()
    given.accounts.push(account({ id: secondId, name: 'Other' }))
    await given.store.run('accounts/put', account({ id: secondId, name: 'Other' }))
    const services = [firstId, secondId].map((id) => given.services.get(id) ?? new FakeService())
    for (const [at, service] of services.entries()) service.put(row(`a${at}`), row(`b${at}`))
    const room = roomIn(given)
    room.begin()
    await quiet()
    for (const [at, service] of services.entries()) {
      service.change(`a${at}`, ready)
      service.change(`b${at}`, ready)
    }
    room.nudge()
    await quiet()
    expect(given.shown).toEqual(['summary ready b0, ready a0, ready b1, ready a1'])
    await room.close()
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
    await room.close()
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
    await room.close()
  })
})

describe('a report that is missing', () => {
  const without = (id: string) => (service: FakeService) => {
    service.page = (answer) => {
      const rows = answer.rows.filter((each) => each.id !== reportId(id))
      return { ...answer, rows, query: { ...answer.query, results: rows.length } }
    }
  }

  it('has disappeared where the service does not know it any more', async () => {
    const { room, service, shown, clock } = await begun(row('a'), row('b'))
    service.rows.delete('a')
    await minutes(clock, 1)
    expect(shown).toEqual(['disappeared a'])
    await minutes(clock, 5)
    expect(shown).toEqual(['disappeared a'])
    await room.close()
  })

  it('has not where the service knows it, and its end is announced by what the service says of it', async () => {
    const { room, service, shown, clock } = await begun(row('a'), row('b'))
    without('a')(service)
    await minutes(clock, 3)
    service.change('a', ready)
    await minutes(clock, 2)
    expect(shown).toEqual(['ready a'])
    expect((await room.list({ account: firstId, query: everything, byHand: false })).results).toBe(2)
    await room.close()
  })

  it('has disappeared from two lists in a row where the service cannot be asked for it', async () => {
    const { room, service, shown } = await begun(row('a'), row('b'))
    service.before = (path) => {
      if (path === 'raw/report') throw failing('server-trouble')
    }
    without('a')(service)
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual([])
    service.page = (answer) => answer
    await room.fresh(firstId)
    without('a')(service)
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual([])
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual(['disappeared a'])
    await room.close()
  })

  it('is no news where it had expired, was removed here, or belongs to another token', async () => {
    const { room, service, shown, clock, tell } = await begunWithTell(
      row('a', { ...ready, expires: '2026-11-20T12:00:30+00:00' }),
      row('b', ready),
      row('c', ready),
      row('d'),
    )
    shown.length = 0
    room.remove({ account: firstId, reports: [reportId('b')] })
    await minutes(clock, 1)
    service.rows.delete('a')
    await minutes(clock, 2)
    service.rows.delete('c')
    service.put(row('e', ready))
    tell({ kind: 'renewed', account: firstId })
    await quiet()
    service.change('d', ready)
    await minutes(clock, 2)
    expect(shown).toEqual(['ready d'])
    await room.close()
  })

  async function begunWithTell(...rows: RawListRow[]) {
    const made = await begun(...rows)
    return { ...made, tell: made.room.tell }
  }
})

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
    await room.close()
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
    room.nudge()
    await quiet()
    expect(service.heard().filter((path) => path === 'raw/table')).toHaveLength(2)
    await room.close()
  })

  it('is not by itself while the person wants quiet, and at once when they want it again', async () => {
    const { room, service, clock } = await begun(row('a'))
    room.pause(true)
    expect(clock.waiting()).toEqual([])
    service.heard()
    await clock.move(60 * minute)
    await quiet()
    // The machine wakes up, or the service is back.
    room.nudge()
    await quiet()
    expect(service.heard()).toEqual([])
    await room.list({ account: firstId, query: everything, byHand: true })
    await quiet()
    expect(service.heard()).toContain('raw/table')
    expect(clock.waiting()).toEqual([])
    room.pause(false)
    await quiet()
    expect(service.heard()).toContain('raw/table')
    expect(clock.waiting()).toEqual([5_000])
    await room.close()
  })

  it('is at once for a report that was accepted, which is in the list before the service has it there', async () => {
    const { room, service, shown } = await begun()
    const list = () => room.list({ account: firstId, query: everything, byHand: false })
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
    await room.close()
  })

  it('is not where the token is refused, until there is another', async () => {
    const { room, service, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('refused-token')
    }
    await minutes(clock, 2)
    service.heard()
    await minutes(clock, 60)
    expect(service.heard()).toEqual([])
    service.before = () => undefined
    room.tell({ kind: 'renewed', account: firstId })
    await quiet()
    expect(service.heard()).toContain('raw/table')
    await room.close()
  })

  it('is less and less often where the service is away, and goes on when it is back', async () => {
    const { room, service, shown, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('offline')
    }
    service.change('a', ready)
    await minutes(clock, 120)
    expect(service.heard().length).toBeLessThan(40)
    service.before = () => undefined
    await minutes(clock, 6)
    expect(shown).toEqual(['ready a'])
    await room.close()
  })

  it('begins with an account that comes later, and not with one that has no token', async () => {
    const { room, given, service } = await begun()
    const other = account({ id: secondId, name: 'Other' })
    await given.store.run('accounts/put', other)
    given.accounts.push({ ...other, tokenPlace: 'absent' })
    const otherService = given.services.get(secondId) ?? service
    room.tell({ kind: 'activated', account: secondId })
    await quiet()
    expect(otherService.heard()).toEqual([])
    given.accounts.splice(1, 1, { ...other, tokenPlace: 'keychain' })
    room.tell({ kind: 'renewed', account: secondId })
    await quiet()
    expect(otherService.heard()).toContain('raw/table')
    await room.close()
  })

  it('starts no service of samples for nobody', async () => {
    const given = await world()
    given.accounts.splice(0, 1, account({ kind: 'sample' }))
    const service = given.services.get(firstId) ?? new FakeService()
    service.put(row('a'), row('b', ready))
    const room = roomIn(given)
    room.begin()
    room.tell({ kind: 'activated', account: firstId })
    await quiet()
    expect(service.heard()).toEqual([])
    await room.list({ account: firstId, query: everything, byHand: false })
    await quiet()
    expect(service.heard()).toContain('raw/table')
    await room.close()
    // The next start has another service, which knows nothing of what was asked for.
    service.rows.delete('a')
    const again = roomIn(given)
    again.begin()
    await quiet()
    expect((await again.summary()).running).toEqual([])
    await again.list({ account: firstId, query: everything, byHand: false })
    await quiet()
    expect(given.shown).toEqual([])
    await again.close()
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
    await room.list({ account: firstId, query: everything, byHand: false })
    await quiet()
    expect(await room.summary()).toMatchObject({
      readyUnseen: 0,
      attention: 0,
      lastFinished: { report: 'a' },
    })
    await room.close()
  })

  it('forgets an account that is removed', async () => {
    const { room, given, service, clock, shown } = await begun(row('a'))
    given.accounts.splice(0, 1)
    await given.store.run('accounts/remove', firstId)
    room.tell({ kind: 'removed', account: firstId })
    service.change('a', ready)
    await minutes(clock, 10)
    expect(shown).toEqual([])
    expect(service.heard()).toEqual([])
    expect(await room.summary()).toMatchObject({ running: [], lastFinished: null })
    await expect(
      room.list({ account: 'none' as AccountId, query: everything, byHand: false }),
    ).rejects.toThrow('removed')
    await room.close()
  })
})
