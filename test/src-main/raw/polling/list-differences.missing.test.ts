import { describe, expect, it } from 'vitest'
import type { RawListRow } from '#shared/api/answers.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import type { FakeService } from '../fake-service.ts'
import { failing, ready, reportId, row } from '../fake-service.ts'
import { everything, quiet } from '../room.ts'
import { begun, minutes } from './begun.ts'

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
    await room.stop()
  })

  it('has not where the service knows it, and its end is announced by what the service says of it', async () => {
    const { room, service, shown, clock } = await begun(row('a'), row('b'))
    without('a')(service)
    await minutes(clock, 3)
    service.change('a', ready)
    await minutes(clock, 2)
    expect(shown).toEqual(['ready a'])
    expect((await room.list({ account: firstId, query: everything, force: false })).results).toBe(2)
    await room.stop()
  })

  it('has not from any number of lists while the service does not say so of it, and is listed', async () => {
    const { room, service, shown } = await begun(row('a'), row('b'))
    service.before = (path) => {
      if (path === 'raw/report') throw failing('server-trouble')
    }
    without('a')(service)
    for (let lists = 0; lists < 3; lists += 1) await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual([])
    expect((await room.list({ account: firstId, query: everything, force: false })).results).toBe(2)
    service.rows.delete('a')
    service.before = () => undefined
    await room.fresh(firstId)
    await quiet()
    expect(shown).toEqual(['disappeared a'])
    await room.stop()
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
    tell({ kind: 'account/renewed', account: firstId })
    await quiet()
    service.change('d', ready)
    await minutes(clock, 2)
    expect(shown).toEqual(['ready d'])
    await room.stop()
  })

  async function begunWithTell(...rows: RawListRow[]) {
    const made = await begun(...rows)
    return { ...made, tell: made.room.tell }
  }
})

describe('a list that was full and is empty', () => {
  const fourteen = Array.from({ length: 14 }, (_, place) => row(`r${place}`, ready))
  const listed = (room: Awaited<ReturnType<typeof begun>>['room']) =>
    room.list({ account: firstId, query: everything, force: false })
  const empty = (service: FakeService) => {
    service.page = (answer) => ({ ...answer, rows: [], query: { ...answer.query, results: 0, pages: 0 } })
  }

  it('takes no report away and is asked for again soon, while the service knows each of them', async () => {
    const { room, service, shown, clock } = await begun(...fourteen)
    empty(service)
    service.received()
    await room.fresh(firstId)
    await quiet()
    const { results, lack, fetchedAt } = await listed(room)
    expect({ results, lack }).toEqual({ results: 14, lack: { reports: 14, isEmpty: true } })
    expect(fetchedAt).toBe(clock.now())
    // A few are asked for at a time, in turn.
    expect(service.received().filter((path) => path === 'raw/report')).toHaveLength(8)
    await minutes(clock, 4)
    expect(service.received().filter((path) => path === 'raw/table').length).toBeGreaterThan(1)
    service.page = (answer) => answer
    await minutes(clock, 5)
    expect(await listed(room)).toMatchObject({ results: 14, lack: null })
    expect(shown).toEqual([])
    await quiet()
    expect(clock.waiting()).toEqual([30 * 60_000])
    await room.stop()
  })

  it('says nothing of what a token sees that was typed again', async () => {
    const { room, service, shown } = await begun(...fourteen)
    empty(service)
    room.tell({ kind: 'account/renewed', account: firstId })
    await quiet()
    expect((await listed(room)).results).toBe(14)
    service.page = (answer) => answer
    await room.fresh(firstId)
    await quiet()
    expect(await listed(room)).toMatchObject({ results: 14, lack: null })
    expect(shown).toEqual([])
    await room.stop()
  })

  it('of which some are left is how the service lists, once it has been the same for minutes', async () => {
    const { room, service, shown, clock } = await begun(...fourteen)
    service.hidden = new Set(['r0', 'r1', 'r2', 'r3'])
    expect((await room.fresh(firstId)).complete).toBe(false)
    await minutes(clock, 6)
    const { complete, pollState } = await room.fresh(firstId)
    expect([complete, pollState.isShort]).toEqual([true, false])
    expect(await listed(room)).toMatchObject({ results: 14, lack: { reports: 4, isEmpty: false } })
    expect(shown).toEqual([])
    await room.stop()
  })

  it('is believed where the service knows none of them', async () => {
    const { room, service, shown, clock } = await begun(...fourteen.slice(0, 10))
    service.rows.clear()
    await room.fresh(firstId)
    await quiet()
    expect(await listed(room)).toMatchObject({ results: 2, lack: { reports: 2, isEmpty: true } })
    await minutes(clock, 1)
    expect(await listed(room)).toMatchObject({ results: 0, lack: null })
    expect(shown.join(', ').match(/disappeared/g)).toHaveLength(10)
    await room.stop()
  })

  it('takes no lost removal for done, nor says that no report is missing', async () => {
    const { room, service, given, clock } = await begun(row('a', ready))
    service.before = (path) => {
      if (path === 'raw/remove') throw failing('offline')
    }
    empty(service)
    room.remove({ account: firstId, reports: [reportId('a')] })
    await minutes(clock, 1)
    expect(given.events.find(({ name }) => name === 'raw/removed')).toMatchObject({
      done: [],
      failed: [{ id: 'a', words: 'The answer was lost. The report is still in the list.' }],
    })
    service.put(row('b', ready))
    service.page = (answer) => answer
    expect((await room.fresh(firstId)).complete).toBe(true)
    empty(service)
    expect((await room.fresh(firstId)).complete).toBe(false)
    await room.stop()
  })
})
