import { QueryObserver } from '@tanstack/svelte-query'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { caseList } from '#renderer/queries/cases.ts'
import { createQueryClient } from '#renderer/queries/client.ts'
import { publicationOf } from '#renderer/queries/publishing.ts'
import { account, FakeDesk, failed, good, notPublished, otherAccount, pending } from '../helpers/fake-desk.ts'

type Answer = ReturnType<typeof good<[]>> | ReturnType<typeof failed>

beforeEach(() => void vi.useFakeTimers())

/** A list that somebody looks at, over a made-up main process. */
function looking(desk: FakeDesk) {
  const client = createQueryClient(desk.bridge)
  const observer = new QueryObserver(client, caseList(desk.bridge, account.id))
  const stop = observer.subscribe(() => undefined)
  return { observer, stop, client }
}

const changed = (desk: FakeDesk, whose = account.id) => desk.emit('rows/changed', { account: whose })
const asked = (desk: FakeDesk) => desk.argumentsOf('cases/list').length

it('what came being confirmed makes stale what reads nothing else, of its account alone', async () => {
  const desk = new FakeDesk()
  const { client } = looking(desk)
  const keys = [
    ['saved', account.id, 'x'],
    ['reports', account.id, 'paired x y'],
    ['reports', account.id, 'direct/browsers?'],
    ['saved', otherAccount.id, 'x'],
  ]
  for (const each of keys) client.setQueryData(each, 'known')
  desk.emit('account/confirmed', { account: account.id })
  await vi.advanceTimersByTimeAsync(1000)
  expect(keys.map((each) => client.getQueryState(each)?.isInvalidated)).toEqual([true, true, false, false])
})

it('a removed account takes what is told of it along', async () => {
  const desk = new FakeDesk()
  const { client } = looking(desk)
  const keys = [
    ['findings', 'fresh'],
    ['findings', null],
    ['today', null],
    ['notes', account.id],
  ]
  for (const each of keys) client.setQueryData(each, 'known')
  desk.emit('accounts/changed', { active: account.id, accounts: [account] })
  await vi.advanceTimersByTimeAsync(1000)
  expect(keys.map((each) => client.getQueryState(each)?.isInvalidated)).toEqual([true, true, true, false])
})

describe('an event that makes an answer stale', () => {
  it('has it read anew, for its own account alone', async () => {
    const desk = new FakeDesk()
    looking(desk)
    await vi.advanceTimersByTimeAsync(1000)
    changed(desk, otherAccount.id)
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked(desk)).toBe(1)
    changed(desk)
    await vi.advanceTimersByTimeAsync(0)
    expect(asked(desk)).toBe(2)
  })

  it('keeps what is there while it is read, and when that fails, and says why', async () => {
    const answers: Answer[] = [good([]), failed('offline')]
    const desk = new FakeDesk().answer('cases/list', () => answers.shift() ?? good([]))
    const { observer } = looking(desk)
    await vi.advanceTimersByTimeAsync(1000)
    changed(desk)
    await vi.advanceTimersByTimeAsync(1000)
    const { data, error } = observer.getCurrentResult()
    expect([data, error?.failure.kind]).toEqual([[], 'offline'])
  })

  it('is answered once with all that come while it is read, however many', async () => {
    const first = pending<Answer>()
    const desk = new FakeDesk()
    desk.answer('cases/list', () => (asked(desk) === 1 ? first.promise : good([])))
    looking(desk)
    for (let change = 0; change < 20; change += 1) {
      changed(desk)
      await vi.advanceTimersByTimeAsync(100)
    }
    expect(asked(desk)).toBe(1)
    first.resolve(good([]))
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked(desk)).toBe(2)
  })

  it('is answered a few times a second at most', async () => {
    const desk = new FakeDesk()
    looking(desk)
    for (let change = 0; change < 100; change += 1) {
      await vi.advanceTimersByTimeAsync(30)
      changed(desk)
    }
    expect(asked(desk)).toBeGreaterThan(5)
    expect(asked(desk)).toBeLessThan(13)
  })

  it('is not lost where somebody read meanwhile, begun before a later event', async () => {
    const second = pending<Answer>()
    const desk = new FakeDesk()
    desk.answer('cases/list', () => (asked(desk) === 2 ? second.promise : good([])))
    const { observer } = looking(desk)
    await vi.advanceTimersByTimeAsync(1000)
    changed(desk)
    void observer.refetch()
    changed(desk)
    second.resolve(good([]))
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked(desk)).toBe(3)
  })

  it('waits where nobody looks until somebody does', async () => {
    const desk = new FakeDesk()
    const { observer, stop } = looking(desk)
    await vi.advanceTimersByTimeAsync(1000)
    stop()
    changed(desk)
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked(desk)).toBe(1)
    observer.subscribe(() => undefined)
    await vi.advanceTimersByTimeAsync(0)
    expect(asked(desk)).toBe(2)
  })
})

describe('an event that is an answer itself', () => {
  const published = { ...notPublished(account.id), folder: '/team' }

  it('takes the place of the one before, and of one that is on its way', async () => {
    const first = pending<ReturnType<typeof good<typeof published>>>()
    const desk = new FakeDesk().answer('publishing/read', () => first.promise)
    const client = createQueryClient(desk.bridge)
    const observer = new QueryObserver(client, publicationOf(desk.bridge, account.id))
    observer.subscribe(() => undefined)
    desk.emit('publishing/changed', published)
    first.resolve(good({ ...published, folder: '/older' }))
    await vi.advanceTimersByTimeAsync(1000)
    expect(observer.getCurrentResult().data?.folder).toBe('/team')
    desk.emit('publishing/changed', { ...published, folder: '/newer' })
    expect(observer.getCurrentResult().data?.folder).toBe('/newer')
    expect(desk.argumentsOf('publishing/read')).toHaveLength(1)
  })

  it('is not kept where nobody asked', () => {
    const desk = new FakeDesk()
    const client = createQueryClient(desk.bridge)
    desk.emit('publishing/changed', published)
    expect(client.getQueryCache().getAll()).toEqual([])
  })
})
