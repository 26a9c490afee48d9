import { expect, it } from 'vitest'
import type { HistoryPath, TableId } from '#main/analytics/history-layout.ts'
import { day } from '#shared/values/day.ts'
import type { DataScopeId, InstanceId, Instant } from '#shared/values/ids.ts'
import { scopeOf } from '#main/accounts/data-scopes.ts'
import { account, answer, firstId, firstDataScope, sessionFor, temporaryFolder } from './helpers.ts'

const path =
  `account=${firstDataScope}/report=r/month=2026-11/0123456789abcdef-00000000.parquet` as HistoryPath
const file = { path, size: 1, checksum: '00000000', tables: 1 }
const on = { start: day('2026-11-01'), end: day('2026-11-01') }
const table = {
  ...{
    id: '0123456789abcdef' as TableId,
    dataScope: firstDataScope,
    subject: 's',
    range: on,
    whole: true,
    rows: 1,
  },
  ...{ fetchedAt: 1 as Instant, doubt: null, head: '{}' },
}
const provisional = { session: 'now', checks: 1, arrivedAt: 1_000_000 as Instant }

/** A check by which nothing has changed. */
const checkAt = (number: number, startedAt: number) => ({
  ...{ account: firstId, scope: scopeOf(account(), ['1'] as InstanceId[]), now: 1 as Instant },
  newId: '33333333-3333-4333-8333-333333333333' as DataScopeId,
  check: { session: 'now', number, startedAt: startedAt as Instant },
})

/** The account's token came to see others, and the same again. */
function withTwoTerms() {
  const session = sessionFor(temporaryFolder())
  session.run('accounts/put', account())
  const take = (...instances: string[]) =>
    session.run('data-scopes/take', {
      ...{ account: firstId, scope: scopeOf(account(), instances as InstanceId[]), now: 1 as Instant },
      newId: `22222222-2222-4222-8222-${instances.join('').padStart(12, '0')}` as DataScopeId,
    })
  take('1')
  return { session, take }
}

it('keeps nothing of a term that has ended, nor of a data scope that it does not know', () => {
  const { session, take } = withTwoTerms()
  expect(session.run('answers/keep', answer({ term: 0, provisional }))).toBe(true)
  take('2')
  const late = answer({ term: 0, key: 'late' })
  expect(session.run('answers/keep', late)).toBe(false)
  expect(session.run('answers/keep', { ...late, provisional })).toBe(false)
  expect(session.run('tables/keep', { file, tables: [table], term: 0 })).toEqual({ unused: [path] })
  take('1')
  expect(session.run('answers/keep', late)).toBe(false)
  expect(session.run('tables/keep', { file, tables: [table], term: 0 })).toEqual({ unused: [path] })
  expect(session.run('tables/keep', { file, tables: [table], term: 1, provisional })).toEqual({ unused: [] })
  const dataScope = 'nobody' as DataScopeId
  expect(session.run('answers/keep', answer({ dataScope }))).toBe(false)
})

it('keeps what was computed from tables of a data scope that has ended since as that one’s', () => {
  const { session, take } = withTwoTerms()
  take('2')
  const computed = answer({ term: 0, madeOf: 'tables' })
  expect(session.run('answers/keep', computed)).toBe(true)
  take('1')
  expect(session.run('answers/keep', { ...computed, key: 'late' })).toBe(false)
})

it.each([
  ['a minute later', 2, 1_060_000, true],
  ['more than that later', 2, 1_060_001, false],
  ['by a clock that was set back since', 2, 900_000, false],
  ['before it came', 1, 2_000_000, null],
] as const)('what a check finds that begins %s', (_, number, startedAt, isKept) => {
  const { session } = withTwoTerms()
  session.run('answers/keep', answer({ term: 0, provisional }))
  session.run('tables/keep', { file, tables: [table], term: 0, provisional })
  session.run('data-scopes/take', checkAt(number, startedAt))
  const place = { dataScope: firstDataScope, subject: 's' }
  const read = session.run('answers/read', { dataScope: firstDataScope, key: answer().key })
  expect({
    answer: read !== null,
    kept: session.run('tables/list', place).length,
    waiting: session.run('tables/provisional', place).length,
    waits: session.run('answers/wait', firstDataScope),
  }).toEqual({
    answer: isKept !== false,
    kept: isKept === true ? 1 : 0,
    waiting: isKept === null ? 1 : 0,
    waits: isKept === null,
  })
})
