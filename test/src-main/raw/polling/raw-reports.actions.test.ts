import { describe, expect, it } from 'vitest'
import { undoFor } from '#main/raw/list/pending-removals.ts'
import { NeverSent } from '#main/api/network-failure.ts'
import type { RawListRow } from '#shared/api/answers.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { failing, ready, reportId, row } from '../fake-service.ts'
import { everything, quiet, roomIn, roomWith } from '../room.ts'

const minute = 60_000

async function begun(...rows: RawListRow[]) {
  const made = await roomWith()
  made.service.put(...rows)
  made.room.start()
  await quiet()
  made.service.received()
  const { room, events } = made
  const listed = async () => (await room.list({ account: firstId, query: everything, force: false })).reports
  const cancel = (id: string) => room.cancel({ account: firstId, report: reportId(id) })
  const remove = (...ids: string[]) => room.remove({ account: firstId, reports: ids.map(reportId) })
  const removed = () => events.filter(({ name }) => name === 'raw/removed')
  return { ...made, listed, cancel, remove, removed }
}

describe('cancelling', () => {
  it('is asked for once, shows in the list, and is no news', async () => {
    const { room, service, shown, clock, cancel, listed } = await begun(row('a'))
    expect(await cancel('a')).toEqual({ done: ['a'], failed: [] })
    await quiet()
    expect((await listed()).map(({ life }) => life.state)).toEqual(['cancelled'])
    await clock.move(5 * minute)
    await quiet()
    expect(shown).toEqual([])
    expect(service.received().filter((path) => path === 'raw/cancel')).toHaveLength(1)
    await room.stop()
  })

  it('is not asked for where the report has ended', async () => {
    const { room, service, cancel } = await begun(row('a', ready))
    expect(await cancel('a')).toEqual({
      done: [],
      failed: [{ id: 'a', name: 'Report a', words: 'The report is no longer in progress.' }],
    })
    expect(service.received()).not.toContain('raw/cancel')
    await room.stop()
  })

  it('that is refused says why, and what ends after all is news', async () => {
    const { room, service, shown, cancel } = await begun(row('a'), row('b'))
    service.change('a', { created: null, status: 'Ready' })
    expect(await cancel('a')).toMatchObject({ failed: [{ words: 'The report is not in progress' }] })
    await quiet()
    expect(shown).toEqual(['ready a'])
    service.before = (path) => {
      if (path === 'raw/cancel') throw failing('no-right')
    }
    expect(await cancel('b')).toMatchObject({ failed: [{ id: 'b', words: 'It is no-right.' }] })
    service.change('b', { cancelled: '2026-11-20T12:00:00+00:00' })
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual(['ready a', 'cancelled b'])
    await room.stop()
  })

  it('whose answer is lost is never asked for again: the report tells', async () => {
    const { room, service, shown, cancel } = await begun(row('a'), row('b'))
    service.after = (path) => {
      if (path === 'raw/cancel') throw failing('timed-out')
    }
    expect(await cancel('a')).toEqual({ done: ['a'], failed: [] })
    service.before = (path) => {
      if (path === 'raw/cancel') throw failing('timed-out')
    }
    expect(await cancel('b')).toMatchObject({
      failed: [{ id: 'b', words: 'The answer was lost. The report is: In progress.' }],
    })
    expect(service.calls.filter(({ path }) => path === 'raw/cancel')).toHaveLength(2)
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual([])
    await room.stop()
  })

  it('asked for twice at once is asked for once', async () => {
    const { room, service, cancel } = await begun(row('a'))
    const answers = await Promise.all([cancel('a'), cancel('a')])
    expect(answers).toEqual([
      { done: ['a'], failed: [] },
      { done: ['a'], failed: [] },
    ])
    expect(service.calls.filter(({ path }) => path === 'raw/cancel')).toHaveLength(1)
    await room.stop()
  })

  it('asked for again before the list shows it is asked for here, though it is refused', async () => {
    const { room, service, shown, cancel } = await begun(row('a'))
    service.before = (path) => {
      if (path === 'raw/table') throw failing('offline')
    }
    await cancel('a')
    expect(await cancel('a')).toMatchObject({ failed: [{ words: 'The report is not in progress' }] })
    service.before = () => undefined
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual([])
    await room.stop()
  })
})

describe('removing', () => {
  it('can be undone until it is sent, and shows until when', async () => {
    const { room, service, clock, listed, remove, removed } = await begun(row('a', ready), row('b', ready))
    remove('a', 'b')
    const until = clock.now() + undoFor
    expect((await listed()).map(({ undoUntil }) => undoUntil)).toEqual([until, until])
    expect(room.undoRemove({ account: firstId, reports: [reportId('b')] })).toEqual(['b'])
    expect((await listed()).map(({ row: { id }, undoUntil }) => [id, undoUntil])).toEqual([
      ['a', until],
      ['b', null],
    ])
    await clock.move(undoFor - 1)
    expect(service.received()).not.toContain('raw/remove')
    await clock.move(1)
    await quiet()
    expect(removed()).toEqual([{ name: 'raw/removed', account: firstId, done: ['a'], failed: [] }])
    expect(room.undoRemove({ account: firstId, reports: [reportId('a')] })).toEqual([])
    expect(await room.known(firstId, reportId('a'))).toBeNull()
    expect(await room.known(firstId, reportId('b'))).toEqual(row('b', ready))
    expect(await room.known(firstId, reportId('c'))).toBeNull()
    expect((await listed()).map(({ row: { id } }) => id)).toEqual(['b'])
    expect(service.calls.find(({ path }) => path === 'raw/remove')?.given).toEqual({ raw: 'a' })
    await room.stop()
  })

  it('undone for all is never sent', async () => {
    const { room, service, clock, remove } = await begun(row('a', ready))
    remove('a')
    remove('a')
    room.undoRemove({ account: firstId, reports: [reportId('a')] })
    await clock.move(minute)
    await room.stop()
    expect(service.received()).not.toContain('raw/remove')
  })

  it('is not undone by a list that was on its way meanwhile', async () => {
    const { room, service, clock, listed, remove } = await begun(row('a', ready), row('b'))
    let open = () => {}
    service.slow = new Promise((resolve) => (open = resolve))
    room.retryNow()
    await quiet()
    remove('a')
    await clock.move(undoFor)
    await quiet()
    service.slow = null
    // From here on lists cannot be asked for: only the one on its way could bring the report back.
    service.before = (path) => {
      if (path === 'raw/table') throw failing('offline')
    }
    open()
    await quiet()
    expect((await listed()).map(({ row: { id } }) => id)).toEqual(['b'])
    await room.stop()
  })

  it('names those that failed, with the words of the service', async () => {
    const { room, service, clock, remove, removed, shown, listed } = await begun(
      ...['a', 'b', 'c'].map((id) => row(id, ready)),
    )
    remove('a', 'b', 'c')
    service.rows.delete('b')
    await clock.move(undoFor)
    await quiet()
    const failed = [{ id: 'b', name: 'Report b', words: 'There is no such report' }]
    expect(removed()).toEqual([{ name: 'raw/removed', account: firstId, done: ['a', 'c'], failed }])
    await clock.move(minute)
    await quiet()
    // Somebody else removed it, but it was to go.
    expect([shown, await listed()]).toEqual([[], []])
    await room.stop()
  })

  it('whose answer is lost is looked up in the list', async () => {
    const { room, service, clock, remove, removed } = await begun(row('a', ready), row('b', ready))
    service.after = (path) => {
      if (path !== 'raw/remove') return
      service.put(row('b', ready))
      throw failing('timed-out')
    }
    remove('a', 'b')
    await clock.move(undoFor)
    await quiet()
    expect(removed()).toMatchObject([
      { done: ['a'], failed: [{ id: 'b', words: 'The answer was lost. The report is still in the list.' }] },
    ])
    expect(service.calls.filter(({ path }) => path === 'raw/remove')).toHaveLength(1)
    await room.stop()
  })

  it('that never left this computer, or was refused, failed for all, and nothing is looked up', async () => {
    const { room, service, clock, remove, removed } = await begun(row('a', ready))
    const { failure } = failing('offline')
    service.before = (path) => {
      if (path === 'raw/remove') throw new NeverSent(failure)
    }
    remove('a')
    await clock.move(undoFor)
    await quiet()
    expect(removed()).toMatchObject([{ done: [], failed: [{ id: 'a', words: 'It is offline.' }] }])
    await room.stop()
  })

  it('is sent at once when the app closes', async () => {
    const { room, service, given, remove } = await begun(row('a', ready), row('b', ready))
    remove('a', 'b')
    await room.stop()
    expect(service.calls.find(({ path }) => path === 'raw/remove')?.given).toEqual({ raw: ['a', 'b'] })
    const again = roomIn(given)
    expect((await again.list({ account: firstId, query: everything, force: false })).results).toBe(0)
    await again.stop()
  })
})

describe('a full record', () => {
  const asked = { account: firstId, report: reportId('a'), force: false }

  it('of a report that has ended is kept, and asked for again by hand', async () => {
    const { room, service } = await begun(row('a', ready))
    const first = await room.report(asked)
    expect(first).toMatchObject({ report: { rows: 99, file_size: 1234 }, failure: null })
    expect(first.listed).toMatchObject({ saved: 'none', undoUntil: null, life: { state: 'ready' } })
    await room.report(asked)
    expect(service.received()).toEqual(['raw/report'])
    await room.report({ ...asked, force: true })
    expect(service.received()).toEqual(['raw/report'])
    await room.stop()
  })

  it('of one that runs is asked for each time, and what it tells is found out by the list', async () => {
    const { room, service, shown } = await begun(row('a'))
    await room.report(asked)
    service.change('a', ready)
    expect((await room.report(asked)).report.status).toBe('Ready')
    await quiet()
    expect(shown).toEqual(['ready a'])
    await room.stop()
  })

  it('that is kept is there with the failure where the service is away', async () => {
    const { room, service } = await begun(row('a'))
    await room.report(asked)
    service.before = () => {
      throw failing('offline')
    }
    expect(await room.report(asked)).toMatchObject({ report: { id: 'a' }, failure: { kind: 'offline' } })
    await expect(room.report({ ...asked, report: reportId('b') })).rejects.toThrow('offline')
    await room.stop()
  })
})

describe('the list', () => {
  it('is the kept one where the service is away, with the failure, and is not asked for again and again', async () => {
    const { room, service, clock } = await begun(row('a'))
    service.before = () => {
      throw failing('offline')
    }
    await clock.move(10 * minute)
    await quiet()
    const asked = { account: firstId, query: everything, force: false }
    const answer = await room.list(asked)
    expect(answer).toMatchObject({ results: 1, failure: { kind: 'offline' } })
    expect(answer.fetchedAt).toBeLessThan(clock.now())
    await quiet()
    service.received()
    for (let looks = 0; looks < 5; looks += 1) await room.list(asked)
    await quiet()
    expect(service.received()).toEqual([])
    await room.list({ ...asked, force: true })
    await quiet()
    expect(service.received()).toEqual(['raw/table'])
    await room.stop()
  })

  it('says that it is being asked for, and has nothing before the first answer', async () => {
    const { room, service } = await roomWith()
    service.put(row('a'))
    const asked = { account: firstId, query: everything, force: false }
    expect(await room.list(asked)).toMatchObject({ results: 0, fetchedAt: null, refreshing: true })
    await quiet()
    expect(await room.list(asked)).toMatchObject({ results: 1, refreshing: false, failure: null })
    await room.stop()
  })
})
