import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { plainOverview, plainReport, tableQueryAt } from '#shared/views/address.ts'
import { HeadStart } from '#renderer/stores/head-start.ts'
import { Question } from '#renderer/stores/question.svelte.ts'
import { queryKey } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { FakeDesk, account, otherAccount } from '../helpers/fake-desk.ts'

const today = day('2026-11-20')
const query = tableQueryAt(plainReport, today)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function begun() {
  const desk = new FakeDesk()
  const headStart = new HeadStart(desk.bridge)
  headStart.begin(account.id, plainReport, today)
  return { desk, headStart, asked: () => desk.argumentsOf('reports/ask').length }
}

describe('a head start', () => {
  it('hands out its answer once', async () => {
    const { headStart, asked } = begun()
    expect(await headStart.ask(account.id, query)).toMatchObject({ ok: true, value: { query } })
    expect(asked()).toBe(1)
    await headStart.ask(account.id, query)
    expect(asked()).toBe(2)
  })

  it('has an answer at once that came before anything was asked, once', async () => {
    const desk = new FakeDesk()
    const headStart = new HeadStart(desk.bridge)
    const answered = await desk.bridge.call('reports/ask', { account: account.id, query, force: false })
    if (!answered.ok) throw new Error('No answer')
    headStart.give(account.id, [answered.value])
    headStart.begin(account.id, plainReport, today)
    expect(desk.argumentsOf('reports/ask')).toHaveLength(1)
    expect(headStart.take(account.id, query)).toBe(answered.value)
    expect(headStart.take(account.id, query)).toBeNull()
  })

  it('asks for both families of the overview, and nothing for a plain view', () => {
    const desk = new FakeDesk()
    const headStart = new HeadStart(desk.bridge)
    headStart.begin(account.id, { kind: 'settings' }, today)
    headStart.begin(account.id, plainOverview, today)
    expect(desk.argumentsOf('reports/ask').map(({ query: { family } }) => family)).toEqual([
      'script',
      'direct',
    ])
  })

  it('is of no use to another account', async () => {
    const { headStart, asked } = begun()
    await headStart.ask(otherAccount.id, query)
    expect(asked()).toBe(2)
  })

  it('is forgotten when the answer changed meanwhile, and when nobody took it', async () => {
    const { desk, headStart, asked } = begun()
    desk.emit('reports/changed', { account: account.id, key: queryKey(query) })
    await headStart.ask(account.id, query)
    expect(asked()).toBe(2)
    headStart.begin(account.id, plainReport, today)
    vi.advanceTimersByTime(60_000)
    await headStart.ask(account.id, query)
    expect(asked()).toBe(4)
  })

  it('is given up with the question, and is no answer to the next', async () => {
    const desk = new FakeDesk()
    const headStart = new HeadStart(desk.bridge)
    const asked = () => desk.argumentsOf('reports/ask').length
    const question = new Question(desk.bridge, account.id, headStart)
    desk.answer('reports/ask', () => new Promise(() => undefined))
    question.ask(query)
    // Begun again for the same view, which has asked by itself already: nobody takes it.
    headStart.begin(account.id, plainReport, today)
    question.close()
    expect(desk.argumentsOf('reports/cancel')).toHaveLength(1)
    void headStart.ask(account.id, query)
    expect(asked()).toBe(3)
  })
})
