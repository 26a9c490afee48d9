import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readEntries, writeEntries } from '#main/reports/history/entry.ts'
import type { Entry } from '#main/reports/history/entry.ts'
import type { TableId } from '#main/database/cache/catalogue-repository.ts'
import { doubts } from '#shared/reports/doubt.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const entry: fc.Arbitrary<Entry> = fc
  .record({
    id: fc.stringMatching(/^[0-9a-f]{16}$/),
    owner: fc.stringMatching(/^[0-9A-Za-z-]{1,100}$/),
    subject: fc.string({ unit: 'binary' }),
    start: fc.nat({ max: 5_000 }),
    days: fc.nat({ max: 40 }),
    fetchedAt: fc.nat(),
    whole: fc.boolean(),
    rows: fc.nat(),
    doubt: fc.constantFrom(null, ...doubts),
    head: fc.string({ unit: 'binary' }),
  })
  .map(({ id, owner, start, days, fetchedAt, ...rest }) => {
    const from = addDays(day('2020-01-01'), start)
    return {
      ...{ id: id as TableId, owner: owner as DataScopeId, fetchedAt: fetchedAt as Instant },
      ...{ range: { start: from, end: addDays(from, days) }, ...rest },
    }
  })

const sound: Entry = {
  ...{ id: '0123456789abcdef' as TableId, owner: 'owner-1' as DataScopeId, subject: 'direct/browsers?' },
  range: { start: day('2026-11-01'), end: day('2026-11-02') },
  ...{ fetchedAt: 1 as Instant, whole: true, rows: 1, doubt: null, head: '' },
}

describe('what a file says of its tables', () => {
  it('comes back as it was', () => {
    checkProperty(
      'entries',
      fc.property(fc.array(entry, { minLength: 1, maxLength: 31 }), (entries) => {
        expect(readEntries(writeEntries(entries))).toEqual(entries)
      }),
      200,
    )
  })

  it.each<[string, unknown]>([
    ['an id that is none', { ...sound, id: '../0123456789abc' }],
    ['an owner that is a path', { ...sound, owner: '../owner' }],
    ['no owner', { ...sound, owner: '' }],
    ['days that there are not', { ...sound, range: { start: '2026-11-31', end: '2026-12-01' } }],
    ['days the wrong way round', { ...sound, range: { start: '2026-11-02', end: '2026-11-01' } }],
    ['a doubt never heard of', { ...sound, doubt: 'why not' }],
    ['fewer rows than none', { ...sound, rows: -1 }],
    ['a part missing', { ...sound, head: undefined }],
  ])('is not read with %s, nor what stands beside it', (_, odd) => {
    expect(readEntries(JSON.stringify({ form: 1, tables: [sound, odd] }))).toBeUndefined()
  })

  it.each(['', '{', 'null', '[]', '{"form":1,"tables":[]}', writeEntries([sound]).replace('1', '2')])(
    'is not read where it is none: %s',
    (text) => {
      expect(readEntries(text)).toBeUndefined()
    },
  )
})
