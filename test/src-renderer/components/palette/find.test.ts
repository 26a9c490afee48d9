import { describe, expect, it, beforeEach } from 'vitest'
import { find, recentIds, rememberUse } from '#renderer/components/palette/find.ts'
import type { Entry, Group } from '#renderer/components/palette/find.ts'

const entry = (group: Group, words: string, also: string[] = []): Entry => ({
  id: words,
  group,
  words,
  also,
  note: null,
  run: () => undefined,
})

const all = [
  entry('Views', 'Monday check'),
  entry('Reports', 'Script by browser', ['Browsers']),
  entry('Reports', 'Script by operating system', ['Operating systems', 'OS']),
  entry('Reports', 'Direct by browser', ['Browsers']),
  entry('Do', 'Copy a link to this view'),
]

const found = (search: string, recent: string[] = [], entries = all) =>
  find(entries, search, recent).map(({ group, entries: some }) => [group, some.map(({ words }) => words)])

describe('what a search finds', () => {
  it('is everything in the order of the groups while nothing is typed, what was used lately first and once', () => {
    expect(found(' ', ['Direct by browser', 'gone', 'Monday check'])).toEqual([
      ['Recently used', ['Direct by browser', 'Monday check']],
      ['Reports', ['Script by browser', 'Script by operating system']],
      ['Do', ['Copy a link to this view']],
    ])
  })

  it.each(['scbr', 'script bro', 'SCRIPT BY BROWSER', 'browser script'.slice(0, 7)])(
    'is found by %s, letters left out and large or small',
    (typed) => {
      const [first] = found(typed)
      expect(first?.[0]).toBe('Reports')
      expect(first?.[1]).toContain('Script by browser')
    },
  )

  it('is found by other words for it', () => {
    expect(found('OS')[0]).toEqual(['Reports', expect.arrayContaining(['Script by operating system'])])
  })

  it('stands under the group of the best entry first', () => {
    expect(found('copy link')[0]).toEqual(['Do', ['Copy a link to this view']])
  })

  it('prefers what was used lately among equals', () => {
    const twins = [entry('Reports', 'By browser'), { ...entry('Reports', 'By browser'), id: 'used' }]
    const [first] = find(twins, 'browser', ['used'])
    expect(first?.entries.map(({ id }) => id)).toEqual(['used', 'By browser'])
  })

  it('keeps instances that the service found, whatever they are called', () => {
    expect(found('x', [], [entry('Instances', 'Été 中')])).toEqual([['Instances', ['Été 中']]])
  })

  it('is nothing where nothing fits', () => {
    expect(found('qqqq')).toEqual([])
  })
})

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
