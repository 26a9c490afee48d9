import { expect, it } from 'vitest'
import { answered, cellsOf, openRowsDesk, rowsOf } from '../helpers.ts'

// The right-hand texts differ from the first in case, accents or composition alone; those of another case do not.
it.each([
  ['Σίσυφος', ['ΣΊΣΥΦΟΣ', 'σίσυφοσ', 'ΣΙΣΥΦΟΣ', 'Σι\u0301συφος']],
  ['Straße', ['STRASSE', 'STRAẞE', 'strasse', 'STRASSE'.toLowerCase()]],
  ['ISPARTA', ['ısparta', 'isparta', 'İSPARTA', 'İsparta'.normalize('NFD')]],
  ['Ėjimas', ['ĖJIMAS', 'ejimas', 'E\u0307jimas']],
  ['Café 👩‍🚀', ['CAFÉ 👩‍🚀', 'cafe 👩‍🚀', 'Cafe\u0301 👩‍🚀']],
])('is found in any case: %s', async (text, others) => {
  const texts = [text, ...others]
  const desk = openRowsDesk()
  const lines = [...texts, 'Strase', 'Sisyphos', 'Caf 👩‍🚀'].map(
    (cell) => `2026-11-18T00:00:00Z,"x ${cell} y","${cell}"`,
  )
  const entry = await desk.importArchive(`TIMESTAMP,USER AGENT,SOURCE\n${lines.join('\n')}\n`)
  for (const value of texts) {
    for (const kind of ['contains', 'begins-with'] as const) {
      const conditions = [{ column: 'SOURCE', out: false, test: { kind, value } }]
      const found = await cellsOf(desk, rowsOf([entry], { conditions }), ['SOURCE'])
      expect(found.flat(), `${kind} ${value}`).toEqual(texts)
    }
    const search = await answered(desk.engine.call('search', { file: entry, text: value, max: 10 }))
    expect(search.count, value).toBe(texts.length)
    const key = { column: 'SOURCE', by: 'value' } as const
    const groupSort = { by: { kind: 'rows' }, direction: 'desc' } as const
    const params = {
      ...rowsOf([entry]),
      zone: 'UTC',
      by: [key],
      groupSort,
      search: value,
      offset: 0,
      limit: 10,
    }
    const { groups } = await answered(desk.engine.call('groups', params))
    expect(
      groups.reduce((sum, { rows }) => sum + rows, 0),
      value,
    ).toBe(texts.length)
  }
  // A group is of one spelling.
  const exact = [{ column: 'SOURCE', out: false, test: { kind: 'is', value: text } } as const]
  const same = texts.filter((other) => other.normalize() === text.normalize())
  expect((await cellsOf(desk, rowsOf([entry], { conditions: exact }), ['SOURCE'])).flat()).toEqual(same)
})
