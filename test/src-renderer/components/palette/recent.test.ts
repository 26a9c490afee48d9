import { beforeEach, describe, expect, it } from 'vitest'
import { recentIds, rememberUse } from '#renderer/components/palette/recent.ts'

beforeEach(() => localStorage.clear())

describe('what was used lately', () => {
  it('is kept, the newest first, each once, five at most', () => {
    for (const id of ['a', 'b', 'c', 'a', 'd', 'e', 'f']) rememberUse(localStorage, id)
    expect(recentIds(localStorage)).toEqual(['f', 'e', 'd', 'a', 'c'])
  })

  it('names nothing of the service', () => {
    rememberUse(localStorage, 'instance:101')
    expect(localStorage.length).toBe(0)
  })

  it.each(['', '{', '5', '{"a":1}', 'null'])('is nothing where %j is stored', (stored) => {
    rememberUse(localStorage, 'a')
    const name = localStorage.key(0)
    if (name === null) throw new Error('Nothing was stored')
    localStorage.setItem(name, stored)
    expect(recentIds(localStorage)).toEqual([])
  })

  it('is forgotten where storage refuses', () => {
    const refusing = {
      getItem: () => null,
      setItem: () => {
        throw new DOMException('Full', 'QuotaExceededError')
      },
    } as unknown as Storage
    rememberUse(refusing, 'a')
    expect(recentIds(refusing)).toEqual([])
  })
})
