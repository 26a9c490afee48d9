import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { TableId } from '#main/analytics/history-layout.ts'
import { columnName, readEntries, writeEntries } from '#main/analytics/history-layout.ts'
import type { TableEntry } from '#main/analytics/history-layout.ts'
import { families } from '#shared/api/dimensions.ts'
import { doubts } from '#shared/reports/answer.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant, DataScopeId } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const standard = Object.values(families).flatMap(({ counts }) => counts)

/** What stands beside the counts in a file, and what an engine might take for its own. */
const taken = ['kind', 'label', 'label_id', 'folded', 'day', 'days']

/** Headers that are nearly alike, and that look like what others become. */
const header = fc.oneof(
  fc.constantFrom(...standard, ...standard.map((each) => each.toLowerCase()), ...taken),
  fc
    .array(fc.constantFrom('A', 'a', 'U', 'u', '_', '6', '1', ' ', '-', 'é', '😀', '\ud83d', 'text'), {
      maxLength: 5,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
)

describe('the name of a column', () => {
  it.each([
    ['Non-Suspect', false, 'non_suspect'],
    ['Ad Blocker', true, 'ad_blocker'],
    ['UE', true, 'rule_ue'],
    ['Clicks', false, 'extra_c_6c__69__63__6b__73_'],
  ])('of %s is one that any engine can read', (each, rules, name) => {
    expect(columnName(each, rules)).toBe(name)
  })

  it('belongs to one header alone, whatever its letters, with its texts beside it', () => {
    const namesOf = (each: string, rules: boolean) => {
      const name = columnName(each, rules)
      expect(name).toMatch(/^[a-z][a-z0-9_]*$/)
      return [name, `${name}_text`]
    }
    checkProperty(
      'column names',
      fc.property(fc.uniqueArray(header, { minLength: 2, maxLength: 8 }), fc.boolean(), (headers, rules) => {
        const names = [...headers.flatMap((each) => namesOf(each, rules)), ...taken]
        expect(new Set(names).size).toBe(names.length)
      }),
      3000,
    )
  })
})

const entry: fc.Arbitrary<TableEntry> = fc
  .record({
    id: fc.stringMatching(/^[0-9a-f]{16}$/),
    dataScope: fc.stringMatching(/^[0-9A-Za-z-]{1,100}$/),
    subject: fc.string({ unit: 'binary' }),
    start: fc.nat({ max: 5_000 }),
    days: fc.nat({ max: 40 }),
    fetchedAt: fc.nat(),
    whole: fc.boolean(),
    rows: fc.nat(),
    doubt: fc.constantFrom(null, ...doubts),
    head: fc.string({ unit: 'binary' }),
  })
  .map(({ id, dataScope, start, days, fetchedAt, ...rest }) => {
    const from = addDays(day('2020-01-01'), start)
    return {
      ...{ id: id as TableId, dataScope: dataScope as DataScopeId, fetchedAt: fetchedAt as Instant },
      ...{ range: { start: from, end: addDays(from, days) }, ...rest },
    }
  })

const sound: TableEntry = {
  ...{ id: '0123456789abcdef' as TableId, dataScope: 'scope-1' as DataScopeId, subject: 'direct/browsers?' },
  range: { start: day('2026-11-01'), end: day('2026-11-02') },
  ...{ fetchedAt: 1 as Instant, whole: true, rows: 1, doubt: null, head: '' },
}

const { dataScope: owner, ...others } = sound
/** As a file has it. */
const written = { owner, ...others }

describe('what a file says of its tables', () => {
  it('is read as every version has written it', () => {
    expect(readEntries(JSON.stringify({ form: 1, tables: [written] }))).toEqual([sound])
    expect(JSON.parse(writeEntries([sound]))).toEqual({ form: 1, tables: [written] })
  })

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
    ['an id that is none', { ...written, id: '../0123456789abc' }],
    ['a data scope that is a path', { ...written, owner: '../scope' }],
    ['no data scope', { ...written, owner: '' }],
    ['days that there are not', { ...written, range: { start: '2026-11-31', end: '2026-12-01' } }],
    ['days the wrong way round', { ...written, range: { start: '2026-11-02', end: '2026-11-01' } }],
    ['a doubt never heard of', { ...written, doubt: 'why not' }],
    ['fewer rows than none', { ...written, rows: -1 }],
    ['a part missing', { ...written, head: undefined }],
  ])('is not read with %s, nor what stands beside it', (_, odd) => {
    expect(readEntries(JSON.stringify({ form: 1, tables: [written, odd] }))).toBeUndefined()
  })

  it.each(['', '{', 'null', '[]', '{"form":1,"tables":[]}', writeEntries([sound]).replace('1', '2')])(
    'is not read where it is none: %s',
    (text) => {
      expect(readEntries(text)).toBeUndefined()
    },
  )
})
