import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { answerKey, queryKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { plainReport, tableQueryAt } from '#shared/views/address.ts'
import { LINGER, LONG_WAIT, Question } from '#renderer/stores/question.svelte.ts'
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

/** A question whose answers come when the test says so. */
function slowly() {
  const desk = new FakeDesk()
  const { answer, settle, asked } = slowAnswers<Outcome>()
  desk.answer('reports/ask', answer)
  return { desk, settle, asked, question: new Question(desk.bridge, account.id) }
}

const answered = (query: ReportQuery): Outcome => good(answerFor(query))
const refreshing = (query: ReportQuery): Outcome => {
  const answer = answerFor(query)
  return good({ ...answer, provenance: { ...answer.provenance, refreshing: true } })
}
const changed = (query: ReportQuery) => ({ account: account.id, key: queryKey(query) })

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('a question', () => {
  it('is never answered by an older one, whichever answer comes first', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    void question.ask(devices)
    await settle(1, answered(devices))
    await settle(0, answered(browsers))
    expect(question.answer?.query).toEqual(devices)
  })

  it('drops the failure of an older one', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    void question.ask(devices)
    await settle(0, failed('malformed'))
    expect(question.failure).toBeNull()
    expect(question.asking).toBe(true)
  })

  it('gives up the older one at the main process', () => {
    const { desk, question } = slowly()
    void question.ask(browsers)
    void question.ask(devices)
    expect(desk.argumentsOf('reports/cancel')).toEqual([{ account: account.id, key: answerKey(browsers) }])
  })

  it('shows the figures of another order dimmed for as long as it takes', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    await settle(0, answered(browsers))
    void question.ask(browsersSorted)
    await vi.advanceTimersByTimeAsync(LONG_WAIT)
    expect(question.showing).toMatchObject({ kind: 'figures', dimmed: true })
    expect(question.answer).toBeNull()
  })

  it('lets other figures linger for a moment under their own name, and then shows their place', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    await settle(0, answered(browsers))
    void question.ask(devices)
    expect(question.showing).toMatchObject({ dimmed: true, answer: { query: browsers } })
    await vi.advanceTimersByTimeAsync(LINGER)
    expect(question.showing).toEqual({ kind: 'skeleton' })
  })

  it('asks again when its answer changed, and only then', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    await settle(0, refreshing(browsers))
    expect(question.refreshing).toBe(true)
    desk.emit('reports/changed', changed(devices))
    desk.emit('reports/changed', { ...changed(browsers), account: otherAccount.id })
    expect(asked()).toBe(1)
    desk.emit('reports/changed', changed(browsers))
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ query: browsers, force: false })
    await settle(1, answered(browsers))
    expect(question.refreshing).toBe(false)
  })

  it('asks once more when its answer changed while it was being asked', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    desk.emit('reports/changed', changed(browsers))
    expect(asked()).toBe(1)
    await settle(0, refreshing(browsers))
    expect(asked()).toBe(2)
  })

  it('does not ask without pause when answers change without pause', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    await settle(0, refreshing(browsers))
    for (let time = 0; time < 10; time += 1) {
      desk.emit('reports/changed', changed(browsers))
      await settle(asked() - 1, refreshing(browsers))
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked()).toBeLessThanOrEqual(3)
  })

  it('goes on hearing of changes where the clock is set back', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    await settle(0, refreshing(browsers))
    desk.emit('reports/changed', changed(browsers))
    await settle(1, refreshing(browsers))
    vi.setSystemTime(Date.now() - AN_HOUR)
    desk.emit('reports/changed', changed(browsers))
    await vi.advanceTimersByTimeAsync(2000)
    expect(asked()).toBe(3)
  })

  it('is asked again when it may be stale, also where the clock was set back', async () => {
    const { question, settle, asked } = slowly()
    void question.ask(browsers)
    await settle(0, answered(browsers))
    question.keepFresh(Date.now() - A_MINUTE)
    expect(asked()).toBe(1)
    question.keepFresh(Date.now() - AN_HOUR)
    expect(asked()).toBe(2)
  })

  it('says that it waits, and no longer once it was answered', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    await vi.advanceTimersByTimeAsync(LONG_WAIT - 1)
    expect(question.waitsLong).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(question.waitsLong).toBe(true)
    await settle(0, answered(browsers))
    expect(question.waitsLong).toBe(false)
  })

  it('stops when it is cancelled, and stays stopped until it is asked by hand', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    question.cancel()
    expect(question.showing).toEqual({ kind: 'cancelled' })
    expect(desk.argumentsOf('reports/cancel')).toHaveLength(1)
    await settle(0, answered(browsers))
    desk.emit('reports/changed', changed(browsers))
    expect(question.showing).toEqual({ kind: 'cancelled' })
    expect(asked()).toBe(1)
    question.again(true)
    expect(desk.argumentsOf('reports/ask').at(-1)).toMatchObject({ force: true })
  })

  it('keeps its figures when the wait for newer ones is cancelled', async () => {
    const { question, settle } = slowly()
    void question.ask(browsers)
    await settle(0, refreshing(browsers))
    question.cancel()
    expect(question.showing).toMatchObject({ kind: 'figures', dimmed: false })
    expect(question.refreshing).toBe(false)
  })

  it('tries again by itself once the service is back', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    await settle(0, failed('offline'))
    expect(question.showing).toMatchObject({ kind: 'failure', failure: { kind: 'offline' } })
    desk.emit('connection/changed', { account: account.id, connection: { kind: 'online' } })
    expect(asked()).toBe(2)
  })

  it('hears nothing any more once it is closed', async () => {
    const { desk, question, settle, asked } = slowly()
    void question.ask(browsers)
    question.close()
    await settle(0, answered(browsers))
    desk.emit('reports/changed', changed(browsers))
    expect(asked()).toBe(1)
    expect(question.answer).toBeNull()
  })
})
