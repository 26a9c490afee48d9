import { describe, expect, it } from 'vitest'
import { NameIndex } from '#renderer/components/palette/names.ts'
import { wordsOf } from '#renderer/components/palette/match.ts'
import type { InstanceId } from '#shared/values/ids.ts'

const index = new NameIndex({
  instances: [
    { id: '1' as InstanceId, name: 'Northwind News' },
    { id: '2' as InstanceId, name: '' },
  ],
  names: { sources: ['cheap-clicks', 'Bank of the North', 'news'], geography: ['Germany'] },
})
const found = (text: string) => index.find(wordsOf(text)).map(({ text: name }) => name)

describe('names that are known', () => {
  it.each([
    ['northwind', ['Northwind News']],
    ['cheap clicks', ['cheap-clicks']],
    ['clicks', ['cheap-clicks']],
    ['bank north', ['Bank of the North']],
    ['heap', ['cheap-clicks']],
    ['germ', ['Germany']],
  ])('are found by “%s”', (text, names) => expect(found(text)).toEqual(names))

  it('are found the best first', () => expect(found('news')).toEqual(['news', 'Northwind News']))

  it.each(['ea', 'north bank loan', 'westwind'])('are not found by “%s”', (text) =>
    expect(found(text)).toEqual([]),
  )

  it('are told by their dimension, an instance without a name by its id', () => {
    expect(index.find(['2'])).toMatchObject([{ dimension: 'sessions', text: '2', value: '2' }])
    expect(index.find(['news'], 'sessions')).toHaveLength(1)
  })

  it('are countries as well, to be searched for where no table names them', () => {
    expect(index.find(['norway'])).toMatchObject([{ dimension: 'geography', isStored: false }])
    expect(index.find(['germany'])).toMatchObject([{ dimension: 'geography', isStored: true }])
    expect(index.find(['germany'])).toHaveLength(1)
  })
})
