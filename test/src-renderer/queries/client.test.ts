import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CallFailed } from '#renderer/queries/answers.ts'
import { caseList } from '#renderer/queries/cases.ts'
import { createQueryClient } from '#renderer/queries/client.ts'
import { account, FakeDesk, failed } from '../helpers/fake-desk.ts'

beforeEach(() => void vi.useFakeTimers())

describe('the cache of queries', () => {
  const asked = (desk: FakeDesk) => desk.argumentsOf('cases/list').length

  it('asks once for all who want the same, and not again while no event says otherwise', async () => {
    const desk = new FakeDesk()
    const client = createQueryClient(desk.bridge)
    const list = caseList(desk.bridge, account.id)
    await Promise.all([client.fetchQuery(list), client.fetchQuery(list)])
    await client.fetchQuery(list)
    expect(asked(desk)).toBe(1)
  })

  it('asks once for what fails, whether or not there is a network', async () => {
    vi.spyOn(window.navigator, 'onLine', 'get').mockReturnValue(false)
    const desk = new FakeDesk().answer('cases/list', () => failed('offline'))
    const client = createQueryClient(desk.bridge)
    const error = await client.fetchQuery(caseList(desk.bridge, account.id)).catch((each: unknown) => each)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(error instanceof CallFailed && error.failure.kind).toBe('offline')
    expect(asked(desk)).toBe(1)
  })

  it('forgets what nobody has looked at for a minute', async () => {
    const desk = new FakeDesk()
    const client = createQueryClient(desk.bridge)
    await client.fetchQuery(caseList(desk.bridge, account.id))
    await vi.advanceTimersByTimeAsync(59_000)
    expect(client.getQueryCache().getAll()).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(2000)
    expect(client.getQueryCache().getAll()).toEqual([])
  })
})
