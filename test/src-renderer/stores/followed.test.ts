import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Followed } from '#renderer/stores/followed.svelte.ts'
import { withMoved } from '#renderer/stores/moving.ts'
import { failed, good, pending } from '../helpers/fake-desk.ts'

type Answer = ReturnType<typeof good<number>> | ReturnType<typeof failed>

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('what is followed', () => {
  it('shows the newest reading, whatever an older one still brings', async () => {
    const [first, second] = [pending<Answer>(), pending<Answer>()]
    const answers = [first.promise, second.promise]
    const followed = new Followed(() => answers.shift() ?? Promise.resolve(good(0)))
    const read = [followed.read(), followed.read()]
    second.resolve(good(2))
    first.resolve(good(1))
    await Promise.all(read)
    expect([followed.value, followed.asking]).toEqual([2, false])
  })

  it('keeps what it has when a reading fails, and says why', async () => {
    const answers: Answer[] = [good(1), failed('offline')]
    const followed = new Followed<number>(async () => answers.shift() ?? good(0))
    await followed.read()
    await followed.read()
    expect(followed.value).toBe(1)
    expect(followed.failure?.kind).toBe('offline')
  })

  it('reads once more for all changes that came while it was read, however many', async () => {
    const first = pending<Answer>()
    let asked = 0
    const followed = new Followed(() => {
      asked += 1
      return asked === 1 ? first.promise : Promise.resolve(good(asked))
    })
    const read = followed.read()
    for (let change = 0; change < 20; change += 1) followed.changed()
    first.resolve(good(1))
    await read
    await vi.advanceTimersByTimeAsync(1000)
    expect([asked, followed.value]).toEqual([2, 2])
  })

  it('is read no more once nobody looks', async () => {
    let asked = 0
    const followed = new Followed(async () => good((asked += 1)))
    followed.changed()
    followed.close()
    await vi.advanceTimersByTimeAsync(1000)
    expect(asked).toBe(0)
  })
})

describe('moving in a list', () => {
  const list = ['a', 'b', 'c'].map((id) => ({ id }))
  const ids = (moved: readonly { id: string }[] | null) => moved?.map(({ id }) => id).join('')

  it.each([
    ['a', 1, 'bac'],
    ['a', 9, 'bca'],
    ['c', -1, 'acb'],
    ['a', -1, undefined],
    ['x', 1, undefined],
  ])('%s by %d', (id, by, expected) => {
    expect(ids(withMoved(list, id, by))).toBe(expected)
  })
})
