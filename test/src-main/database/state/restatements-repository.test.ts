import { describe, expect, it } from 'vitest'
import { noteRestatement } from '#main/database/state/restatements-repository.ts'
import { day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { account, firstId, firstDataScope, openFor, sessionFor, temporaryFolder } from '../helpers.ts'

const dataScope = 'scope-1' as DataScopeId
const subject = 'direct/browsers?'
const range = { start: day('2026-11-02'), end: day('2026-11-02') }

describe('a restatement', () => {
  it('goes with its account', () => {
    const session = sessionFor(temporaryFolder())
    session.run('accounts/put', account())
    const times = { beforeFetchedAt: 5 as Instant, afterFetchedAt: 6 as Instant }
    const said = { totals: [], rows: [], differing: 0, ...times }
    session.run('restatements/note', { dataScope: firstDataScope, subject, range, ...said })
    expect(session.run('restatements/marks', firstDataScope)).toHaveLength(1)
    session.run('accounts/remove', firstId)
    expect(session.run('restatements/marks', firstDataScope)).toEqual([])
  })

  it('makes room for newer ones: those go first that left totals as they were', () => {
    const { database } = openFor(temporaryFolder())
    const note = (before: number, totals: number, whose = dataScope) =>
      noteRestatement(
        database,
        {
          ...{ dataScope: whose, subject, range, rows: [], differing: 0 },
          ...{ beforeFetchedAt: before as Instant, afterFetchedAt: (before + 1) as Instant },
          totals: Array.from({ length: totals }, () => ({ name: 'suspect', before: 1, after: 2 })),
        },
        3,
      )
    const stored = () =>
      database
        .rows(
          'SELECT before_fetched_at AS before FROM restatements WHERE data_scope = ? ORDER BY id',
          dataScope,
        )
        .map(({ before }) => before)
    note(0, 1, 'scope-2' as DataScopeId)
    note(1, 1)
    note(2, 0)
    note(3, 0)
    note(4, 1)
    expect(stored()).toEqual([1, 3, 4])
    note(5, 1)
    expect(stored()).toEqual([1, 4, 5])
    note(6, 1)
    expect(stored()).toEqual([4, 5, 6])
    expect(database.rows('SELECT id FROM restatements')).toHaveLength(4)
  })
})
