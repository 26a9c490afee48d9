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
