import { describe, expect, it } from 'vitest'
import { EntryIndex } from '#renderer/components/palette/find.ts'
import type { PaletteEntry, Found, Group } from '#renderer/components/palette/find.ts'
import { wordsOf } from '#renderer/components/palette/match.ts'

const entry = (group: Group, words: string, also: string[] = []): PaletteEntry => ({
  ...{ id: words, group, words, also },
  note: null,
  run: () => undefined,
})

const all = [
  entry('Views', 'Monday check'),
  entry('Reports', 'Script by browser', ['Browsers']),
  entry('Reports', 'Script by operating system', ['Operating systems', 'OS']),
  entry('Reports', 'Direct by browser', ['Browsers']),
  entry('Do', 'Copy link to this view', ['share view']),
  entry('Do', 'Export as PDF…', ['print', 'client report']),
]

const plain = (found: readonly Found[]) =>
  found.map(({ group, entries }) => [group, entries.map(({ words }) => words)])
const found = (search: string, said: readonly PaletteEntry[] = [], recent: string[] = []) =>
  plain(new EntryIndex(all).searched(wordsOf(search), recent, () => said))

describe('what a search finds', () => {
  it.each(['script bro', 'SCRIPT BY BROWSER', 'browser script', 'scrip browser'])(
    'is found by %s, letters large or small, words in any order',
    (typed) => expect(found(typed)[0]).toEqual(['Reports', expect.arrayContaining(['Script by browser'])]),
  )

  it.each([
    ['OS', 'Script by operating system'],
    ['print', 'Export as PDF…'],
    ['share this view', 'Copy link to this view'],
    ['how do i export a pdf', 'Export as PDF…'],
  ])('is found by “%s”, as people call it', (typed, words) => expect(found(typed)[0]?.[1]).toContain(words))

  it('stands under the group of the best entry first', () => {
    expect(found('copy link')[0]).toEqual(['Do', ['Copy link to this view']])
  })

  it('prefers what was used lately among equals', () => {
    const twins = [entry('Reports', 'By browser'), { ...entry('Reports', 'By browser'), id: 'used' }]
    const [first] = new EntryIndex(twins).searched(['browser'], ['used'], () => [])
    expect(first?.entries.map(({ id }) => id)).toEqual(['used', 'By browser'])
  })

  it('has what was made of what is typed by how well that fits, each entry once', () => {
    const made = { ...entry('Names', 'Script AG'), fit: 0.6 }
    expect(found('script', [made, made])).toEqual([
      ['Reports', ['Script by browser', 'Script by operating system']],
      ['Names', ['Script AG']],
    ])
  })

  it.each(['qqqq', 'evidence', 'browser evidence', 'pd browser', 'rowser'])(
    'is nothing for “%s”, of which a word is none of any entry’s',
    (typed) => expect(found(typed)).toEqual([]),
  )

  it('is what was meant where a hand slipped, and only where nothing else is found', () => {
    expect(found('scirpt browser')[0]?.[1]).toEqual(['Script by browser'])
    expect(found('opertaing')[0]?.[1]).toEqual(['Script by operating system'])
  })
})

describe('what stands there before anything is typed', () => {
  it('is what was used lately, then what is likely, then all in the order of the groups, each once', () => {
    const [, browsers, , , link] = all
    const index = new EntryIndex(all)
    expect(
      plain(index.unsearched(browsers ? [browsers] : [], [link?.id ?? '', browsers?.id ?? '', 'gone'])),
    ).toEqual([
      ['Recently used', ['Script by browser']],
      ['Suggested', ['Copy link to this view']],
      ['Views', ['Monday check']],
      ['Reports', ['Script by operating system', 'Direct by browser']],
      ['Do', ['Export as PDF…']],
    ])
  })

  it('is not every one of a hundred accounts', () => {
    const accounts = Array.from({ length: 100 }, (_, place) => entry('Accounts', `Account ${place}`))
    const index = new EntryIndex(accounts)
    expect(index.unsearched([], [])[0]?.entries).toHaveLength(10)
    expect(plain(index.searched(['account', '57'], [], () => []))).toEqual([['Accounts', ['Account 57']]])
  })
})
