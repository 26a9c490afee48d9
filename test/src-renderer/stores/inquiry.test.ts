import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Inquiry } from '#renderer/stores/inquiry.svelte.ts'
import type { QueryAdapter } from '#renderer/stores/inquiry.svelte.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { TrendAnswer } from '#shared/reports/answer.ts'
import { trendKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { overviewQueryAt, plainOverview } from '#shared/views/address.ts'
import { FakeDesk, account, failed, good, otherAccount } from '../helpers/fake-desk.ts'
import { slowAnswers } from '../helpers/slow-answers.ts'
import { trendAnswer } from '../helpers/trends.ts'

const today = day('2026-11-20')
const script = overviewQueryAt(plainOverview, 'script', today)
const direct = overviewQueryAt(plainOverview, 'direct', today)

const adapter: QueryAdapter<ReportQuery, TrendAnswer> = {
  keyOf: trendKey,
  call: (bridge, whose, query, force) => bridge.call('reports/trend', { account: whose, query, force }),
}

/** An inquiry whose answers come when the test says so. */
function slowly() {
  const desk = new FakeDesk()
  const { answer, settle, asked } = slowAnswers<CallOutcome<'reports/trend'>>()
  desk.answer('reports/trend', answer)
  return { desk, settle, asked, inquiry: new Inquiry(desk.bridge, account.id, adapter) }
}

const about = (query: ReportQuery) => ({ account: account.id, key: trendKey(query) })
const progress = (query: ReportQuery, done: number) => ({
  ...about(query),
  done,
  of: 31,
  unit: 'days' as const,
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('an inquiry', () => {
  it('is nothing before anything is asked, and again when nothing is asked any more', async () => {
    const { desk, inquiry } = slowly()
    expect(inquiry.found).toEqual({ kind: 'nothing' })
    void inquiry.ask(script)
    expect(inquiry.found).toEqual({ kind: 'skeleton' })
    void inquiry.ask(null)
    expect(inquiry.found).toEqual({ kind: 'nothing' })
    expect(desk.argumentsOf('reports/cancel')).toEqual([about(script)])
  })

  it('is never answered by an older question, whichever answer comes first', async () => {
    const { desk, inquiry, settle } = slowly()
    void inquiry.ask(script)
    void inquiry.ask(direct)
    await settle(1, good(trendAnswer(direct)))
    await settle(0, good(trendAnswer(script)))
    expect(inquiry.found).toMatchObject({ kind: 'answer', question: direct, dimmed: false })
    expect(desk.argumentsOf('reports/cancel')).toEqual([about(script)])
  })

  it('keeps the older answer for a moment, dimmed and with its own question', async () => {
    const { inquiry, settle } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    void inquiry.ask(direct)
    expect(inquiry.found).toMatchObject({ kind: 'answer', question: script, dimmed: true })
    expect(inquiry.answer).toBeNull()
    await vi.advanceTimersByTimeAsync(150)
    expect(inquiry.found).toEqual({ kind: 'skeleton' })
  })

  it('tells how far it is, of its own question alone, until it is answered', async () => {
    const { desk, inquiry, settle } = slowly()
    void inquiry.ask(script)
    desk.emit('reports/progress', progress(direct, 3))
    desk.emit('reports/progress', { ...progress(script, 9), account: otherAccount.id })
    expect(inquiry.progress).toBeNull()
    desk.emit('reports/progress', progress(script, 14))
    expect(inquiry.progress).toEqual({ done: 14, of: 31, unit: 'days' })
    await settle(0, good(trendAnswer(script)))
    expect(inquiry.progress).toBeNull()
  })

  it('is given up by hand, and goes on by hand', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    inquiry.cancel()
    expect(inquiry.found).toEqual({ kind: 'cancelled' })
    expect(desk.argumentsOf('reports/cancel')).toEqual([about(script)])
    desk.emit('reports/changed', about(script))
    await settle(0, good(trendAnswer(script)))
    expect(inquiry.found).toEqual({ kind: 'cancelled' })
    expect(asked()).toBe(1)
    inquiry.again(true)
    expect(desk.argumentsOf('reports/trend').at(-1)?.force).toBe(true)
    await settle(1, good(trendAnswer(script)))
    expect(inquiry.found).toMatchObject({ kind: 'answer' })
  })

  it('is asked again when its answer changed, at most once a second', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    desk.emit('reports/changed', about(direct))
    expect(asked()).toBe(1)
    desk.emit('reports/changed', about(script))
    await settle(1, good(trendAnswer(script)))
    desk.emit('reports/changed', about(script))
    expect(asked()).toBe(2)
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked()).toBe(3)
  })

  it('goes on hearing of changes where the clock is set back', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    desk.emit('reports/changed', about(script))
    await settle(1, good(trendAnswer(script)))
    vi.setSystemTime(Date.now() - 60 * 60_000)
    desk.emit('reports/changed', about(script))
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked()).toBe(3)
  })

  it('asks once more where its answer changed while it was on its way', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    desk.emit('reports/changed', about(script))
    await settle(0, good(trendAnswer(script)))
    expect(asked()).toBe(2)
  })

  it('says why it failed, and tries again once the service is back', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    await settle(0, failed('offline'))
    expect(inquiry.found).toMatchObject({ kind: 'failure', failure: { kind: 'offline' } })
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
    expect(asked()).toBe(2)
    await settle(1, good(trendAnswer(script)))
    expect(inquiry.found).toMatchObject({ kind: 'answer' })
  })

  it('keeps its answer where asking anew failed', async () => {
    const { inquiry, settle } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    inquiry.again(true)
    await settle(1, failed('server-trouble'))
    expect(inquiry.found).toMatchObject({ kind: 'answer', dimmed: false })
    expect(inquiry.failure?.kind).toBe('server-trouble')
  })

  it('says after a while that it waits', async () => {
    const { inquiry } = slowly()
    void inquiry.ask(script)
    await vi.advanceTimersByTimeAsync(2900)
    expect(inquiry.waitsLong).toBe(false)
    await vi.advanceTimersByTimeAsync(200)
    expect(inquiry.waitsLong).toBe(true)
  })

  it('is asked again when it may be stale, and not where it was given up', async () => {
    const { inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    inquiry.keepFresh(Date.now() + 60_000)
    expect(asked()).toBe(1)
    inquiry.keepFresh(Date.now() + 6 * 60_000)
    expect(asked()).toBe(2)
    inquiry.cancel()
    inquiry.keepFresh(Date.now() + 60 * 60_000)
    expect(asked()).toBe(2)
  })

  it('is asked again when it may be stale, also where the clock was set back', async () => {
    const { inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    await settle(0, good(trendAnswer(script)))
    inquiry.keepFresh(Date.now() - 60_000)
    expect(asked()).toBe(1)
    inquiry.keepFresh(Date.now() - 60 * 60_000)
    expect(asked()).toBe(2)
  })

  it('ends what is still asked when it is closed, and hears nothing more', async () => {
    const { desk, inquiry, settle, asked } = slowly()
    void inquiry.ask(script)
    inquiry.close()
    expect(desk.argumentsOf('reports/cancel')).toEqual([about(script)])
    await settle(0, good(trendAnswer(script)))
    expect(inquiry.answer).toBeNull()
    desk.emit('reports/changed', about(script))
    expect(asked()).toBe(1)
  })
})
