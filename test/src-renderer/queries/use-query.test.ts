import { beforeEach, describe, expect, it, vi } from 'vitest'
import { answerKey, queryKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { plainReport, tableQueryAt } from '#shared/views/address.ts'
import { CancellableQuery, LINGER, LONG_WAIT } from '#renderer/queries/use-query.svelte.ts'
import { createQueryClient } from '#renderer/queries/client.ts'
import { figures } from '#renderer/queries/reports.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { day } from '#shared/values/day.ts'
import { FakeDesk, account, failed, good, otherAccount } from '../helpers/fake-desk.ts'
import { answerFor } from '../helpers/figures.ts'
import { slowAnswers } from '../helpers/slow-answers.ts'

const today = day('2026-11-20')
const browsers = tableQueryAt({ ...plainReport, dimension: 'browsers' }, today)
const devices = tableQueryAt({ ...plainReport, dimension: 'devices' }, today)
const browsersSorted = tableQueryAt(
  { ...plainReport, dimension: 'browsers', sort: [{ header: 'Suspect', direction: 'asc' }] },
  today,
)

const A_MINUTE = 60_000
const AN_HOUR = 60 * A_MINUTE

type Outcome = CallOutcome<'reports/ask'>

/** A query whose answers come when the test says so. */
function slowly() {
  const desk = new FakeDesk()
  const { answer, settle, asked } = slowAnswers<Outcome>()
  desk.answer('reports/ask', answer)
  const app = { bridge: desk.bridge, queries: createQueryClient(desk.bridge) }
  return { desk, settle, asked, query: new CancellableQuery(app, figures) }
}

const answered = (query: ReportQuery): Outcome => good(answerFor(query))
const refreshing = (query: ReportQuery): Outcome => {
  const answer = answerFor(query)
  return good({ ...answer, provenance: { ...answer.provenance, refreshing: true } })
}
const changed = (query: ReportQuery) => ({ account: account.id, key: queryKey(query) })

beforeEach(() => void vi.useFakeTimers())

describe('a query', () => {
  it('is never answered by an older one, whichever answer comes first', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    query.ask(account.id, devices)
    await settle(1, answered(devices))
    await settle(0, answered(browsers))
    expect(query.answer?.query).toEqual(devices)
  })

  it('drops the failure of an older one', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    query.ask(account.id, devices)
    await settle(0, failed('malformed'))
    expect(query.failure).toBeNull()
    expect(query.fetching).toBe(true)
  })

  it('gives up the older one at the main process', () => {
    const { desk, query } = slowly()
    query.ask(account.id, browsers)
    query.ask(account.id, devices)
    expect(desk.argumentsOf('reports/cancel')).toEqual([{ account: account.id, key: answerKey(browsers) }])
  })

  it('shows the figures of another order dimmed for as long as it takes', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    await settle(0, answered(browsers))
    query.ask(account.id, browsersSorted)
    await vi.advanceTimersByTimeAsync(LONG_WAIT)
    expect(query.status).toMatchObject({ kind: 'answer', dimmed: true })
    expect(query.answer).toBeNull()
  })

  it('lets other figures linger for a moment under their own name, and then shows their place', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    await settle(0, answered(browsers))
    query.ask(account.id, devices)
    expect(query.status).toMatchObject({ dimmed: true, answer: { query: browsers } })
    await vi.advanceTimersByTimeAsync(LINGER)
    expect(query.status).toEqual({ kind: 'skeleton' })
  })

  it('asks again when its answer changed, and only then', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    await settle(0, refreshing(browsers))
    expect(query.refreshing).toBe(true)
    desk.emit('reports/changed', changed(devices))
    desk.emit('reports/changed', { ...changed(browsers), account: otherAccount.id })
    expect(asked()).toBe(1)
    desk.emit('reports/changed', changed(browsers))
    await vi.advanceTimersByTimeAsync(0)
    expect(asked()).toBe(2)
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ query: browsers, force: false })
    await settle(1, answered(browsers))
    expect(query.refreshing).toBe(false)
  })

  it('asks once more when its answer changed while it was being asked', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    desk.emit('reports/changed', changed(browsers))
    expect(asked()).toBe(1)
    await settle(0, refreshing(browsers))
    expect(asked()).toBe(2)
  })

  it('does not ask without pause when answers change without pause', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    await settle(0, refreshing(browsers))
    for (let time = 0; time < 10; time += 1) {
      desk.emit('reports/changed', changed(browsers))
      await vi.advanceTimersByTimeAsync(0)
      await settle(asked() - 1, refreshing(browsers))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked()).toBeLessThanOrEqual(3)
  })

  it('goes on hearing of changes where the clock is set back', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    await settle(0, refreshing(browsers))
    desk.emit('reports/changed', changed(browsers))
    await vi.advanceTimersByTimeAsync(0)
    await settle(1, refreshing(browsers))
    vi.setSystemTime(Date.now() - AN_HOUR)
    desk.emit('reports/changed', changed(browsers))
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked()).toBe(3)
  })

  it('is asked again when it may be stale, also where the clock was set back', async () => {
    const { query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    await settle(0, answered(browsers))
    query.refetchIfOld(Date.now() - A_MINUTE)
    expect(asked()).toBe(1)
    query.refetchIfOld(Date.now() - AN_HOUR)
    expect(asked()).toBe(2)
    await settle(1, answered(browsers))
    query.refetchIfOld(Date.now() + A_MINUTE)
    expect(asked()).toBe(2)
    query.refetchIfOld(Date.now() + 6 * A_MINUTE)
    expect(asked()).toBe(3)
    query.cancel()
    query.refetchIfOld(Date.now() + AN_HOUR)
    expect(asked()).toBe(3)
  })

  it('says that it waits, and no longer once it was answered', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    await vi.advanceTimersByTimeAsync(LONG_WAIT - 1)
    expect(query.waitsLong).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(query.waitsLong).toBe(true)
    await settle(0, answered(browsers))
    expect(query.waitsLong).toBe(false)
  })

  it('stops when it is cancelled, and stays stopped until it is asked by hand', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    query.cancel()
    expect(query.status).toEqual({ kind: 'cancelled' })
    expect(desk.argumentsOf('reports/cancel')).toHaveLength(1)
    await settle(0, answered(browsers))
    desk.emit('reports/changed', changed(browsers))
    expect(query.status).toEqual({ kind: 'cancelled' })
    expect(asked()).toBe(1)
    query.again(true)
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ force: true })
    await settle(1, answered(browsers))
    expect(query.status).toMatchObject({ kind: 'answer' })
  })

  it('keeps its figures when the wait for newer ones is cancelled', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    await settle(0, refreshing(browsers))
    query.cancel()
    expect(query.status).toMatchObject({ kind: 'answer', dimmed: false })
    expect(query.refreshing).toBe(false)
  })

  it('tries again by itself once the service is back', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    await settle(0, failed('offline'))
    expect(query.status).toMatchObject({ kind: 'failure', failure: { kind: 'offline' } })
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
    await vi.advanceTimersByTimeAsync(0)
    expect(asked()).toBe(2)
    await settle(1, answered(browsers))
    expect(query.status).toMatchObject({ kind: 'answer' })
  })

  it('hears nothing any more once it is closed', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    query.close()
    expect(desk.argumentsOf('reports/cancel')).toEqual([changed(browsers)])
    await settle(0, answered(browsers))
    desk.emit('reports/changed', changed(browsers))
    expect(asked()).toBe(1)
    expect(query.answer).toBeNull()
  })

  it('is nothing before anything is asked, and again when nothing is asked any more', () => {
    const { desk, query } = slowly()
    expect(query.status).toEqual({ kind: 'nothing' })
    query.ask(account.id, browsers)
    expect(query.status).toEqual({ kind: 'skeleton' })
    query.ask(account.id, null)
    expect(query.status).toEqual({ kind: 'nothing' })
    expect(desk.argumentsOf('reports/cancel')).toEqual([changed(browsers)])
  })

  it('tells how far it is, of its own query alone, until it is answered', async () => {
    const { desk, query, settle } = slowly()
    const progress = (query: ReportQuery, done: number) => ({
      ...changed(query),
      ...{ done, total: 31, unit: 'days' as const },
    })
    query.ask(account.id, browsers)
    desk.emit('reports/progress', progress(devices, 3))
    desk.emit('reports/progress', { ...progress(browsers, 9), account: otherAccount.id })
    expect(query.progress).toBeNull()
    desk.emit('reports/progress', progress(browsers, 14))
    await vi.advanceTimersByTimeAsync(0)
    expect(query.progress).toMatchObject({ done: 14, total: 31, unit: 'days' })
    await settle(0, answered(browsers))
    expect(query.progress).toBeNull()
    query.again(true)
    expect(query.progress).toBeNull()
  })

  it('shows no older answer as its own where the older was counted', async () => {
    const { desk, query, settle } = slowly()
    query.ask(account.id, browsers)
    desk.emit('reports/progress', { ...changed(browsers), done: 14, total: 31, unit: 'days' })
    await settle(0, refreshing(browsers))
    desk.emit('reports/progress', { ...changed(browsers), done: 20, total: 31, unit: 'days' })
    query.ask(account.id, devices)
    expect(query.status).toMatchObject({ kind: 'answer', query: browsers, dimmed: true })
    expect(query.answer).toBeNull()
    expect(query.progress).toBeNull()
  })

  it('waits for the part that is counted where it is cancelled meanwhile', async () => {
    const { desk, query, settle } = slowly()
    query.ask(account.id, browsers)
    desk.emit('reports/progress', { ...changed(browsers), done: 14, total: 31, unit: 'days' })
    await vi.advanceTimersByTimeAsync(0)
    query.cancel()
    expect(query.status).toEqual({ kind: 'cancelled' })
    expect(desk.argumentsOf('reports/cancel')).toEqual([changed(browsers)])
    await settle(0, answered(browsers))
    expect(query.status).toMatchObject({ kind: 'answer', dimmed: false })
  })

  it('gives up what is counted behind its answer with the query', async () => {
    const { desk, query, settle } = slowly()
    query.ask(account.id, browsers)
    await settle(0, refreshing(browsers))
    desk.emit('reports/progress', { ...changed(browsers), done: 14, total: 31, unit: 'days' })
    await vi.advanceTimersByTimeAsync(0)
    expect(query.progress).toMatchObject({ done: 14 })
    query.ask(account.id, devices)
    expect(desk.argumentsOf('reports/cancel')).toEqual([changed(browsers)])
  })

  it('is asked by force though it is being asked already, and not given up for that', async () => {
    const { desk, query, settle, asked } = slowly()
    query.ask(account.id, browsers)
    query.again()
    expect(asked()).toBe(1)
    query.again(true)
    expect(desk.argumentsOf('reports/ask').map(({ force }) => force)).toEqual([false, true])
    expect(desk.argumentsOf('reports/cancel')).toEqual([])
    await settle(0, failed('offline'))
    expect(query.fetching).toBe(true)
    await settle(1, answered(browsers))
    expect(query.status).toMatchObject({ kind: 'answer', dimmed: false })
  })

  it('keeps its answer where asking anew failed, and says why', async () => {
    const { query, settle } = slowly()
    query.ask(account.id, browsers)
    await settle(0, answered(browsers))
    query.again(true)
    expect(query.failure).toBeNull()
    await settle(1, failed('server-trouble'))
    expect(query.status).toMatchObject({ kind: 'answer', dimmed: false })
    expect(query.failure?.kind).toBe('server-trouble')
  })
})
