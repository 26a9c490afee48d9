import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CancellableQuery } from '#renderer/queries/use-query.svelte.ts'
import { createQueryClient } from '#renderer/queries/client.ts'
import { figures, prefetchAt, takeAnswers } from '#renderer/queries/reports.ts'
import { queryKey } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { plainOverview, plainReport, tableQueryAt } from '#shared/views/address.ts'
import { FakeDesk, account, otherAccount } from '../helpers/fake-desk.ts'
import { answerFor } from '../helpers/figures.ts'

const today = day('2026-11-20')
const query = tableQueryAt(plainReport, today)

beforeEach(() => void vi.useFakeTimers())

/** A window over a made-up main process, before any view is made. */
function before() {
  const desk = new FakeDesk()
  const app = { bridge: desk.bridge, queries: createQueryClient(desk.bridge) }
  const asked = () => desk.argumentsOf('reports/ask').length
  return { desk, app, asked, view: () => new CancellableQuery(app, figures) }
}

describe('what is asked before its view is made', () => {
  it('is asked once, and drawn with the view where the answer is there', async () => {
    const { app, asked, view } = before()
    prefetchAt(app, account.id, plainReport, today)
    await vi.advanceTimersByTimeAsync(0)
    const result = view()
    result.ask(account.id, query)
    expect(result.status).toMatchObject({ kind: 'answer', dimmed: false, answer: { query } })
    expect(asked()).toBe(1)
  })

  it('is waited for by the view while it is on its way, and given up with it', async () => {
    const { desk, app, asked, view } = before()
    desk.answer('reports/ask', () => new Promise(() => undefined))
    prefetchAt(app, account.id, plainReport, today)
    const result = view()
    result.ask(account.id, query)
    expect([asked(), result.fetching]).toEqual([1, true])
    result.close()
    expect(desk.argumentsOf('reports/cancel')).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(0)
    view().ask(account.id, query)
    expect(asked()).toBe(2)
  })

  it('may have come with the state of the desk: then nothing is asked', () => {
    const { app, asked, view } = before()
    takeAnswers(app, account.id, [answerFor(query)])
    prefetchAt(app, account.id, plainReport, today)
    const result = view()
    result.ask(account.id, query)
    expect(result.status).toMatchObject({ kind: 'answer', dimmed: false })
    expect(asked()).toBe(0)
  })

  it('is both families of the overview, and nothing for a plain view', () => {
    const { desk, app } = before()
    prefetchAt(app, account.id, { kind: 'settings' }, today)
    prefetchAt(app, account.id, plainOverview, today)
    expect(desk.argumentsOf('reports/ask').map(({ query: { family } }) => family)).toEqual([
      'script',
      'direct',
    ])
  })

  it('is of no use to another account', async () => {
    const { app, asked, view } = before()
    prefetchAt(app, account.id, plainReport, today)
    await vi.advanceTimersByTimeAsync(0)
    view().ask(otherAccount.id, query)
    expect(asked()).toBe(2)
  })

  it('is asked again where its answer changed meanwhile, and forgotten where no view was made', async () => {
    const { desk, app, asked, view } = before()
    prefetchAt(app, account.id, plainReport, today)
    await vi.advanceTimersByTimeAsync(0)
    desk.emit('reports/changed', { account: account.id, key: queryKey(query) })
    await vi.advanceTimersByTimeAsync(0)
    const result = view()
    result.ask(account.id, query)
    expect(asked()).toBe(2)
    await vi.advanceTimersByTimeAsync(0)
    result.close()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(app.queries.getQueryCache().getAll()).toEqual([])
  })
})
