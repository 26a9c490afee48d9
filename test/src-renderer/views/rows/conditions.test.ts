import { expect, it } from 'vitest'
import type { RowsCondition } from '#shared/archives/rows.ts'
import {
  chosenValues,
  chipWords,
  choicesFor,
  groupCondition,
  readFilter,
  spanOfGroup,
  valueCondition,
  withFacetValue,
} from '#renderer/views/rows/conditions.ts'

const column = 'RESULT'
const other: RowsCondition = valueCondition('COUNTRY', 'DE', false)
const leftOut: RowsCondition = valueCondition(column, 'good', true)

/** The conditions once these values were pressed, one after the other. */
const pressed = (...values: readonly string[]) =>
  values.reduce<readonly RowsCondition[]>(
    (all, value) => withFacetValue(all, column, value),
    [other, leftOut],
  )

it('keeps a value of a facet beside those that are kept, and no more once it is pressed again', () => {
  expect(pressed('bad')).toEqual([other, leftOut, valueCondition(column, 'bad', false)])
  const both = pressed('bad', 'warning')
  expect(both).toEqual([
    ...[other, leftOut],
    { column, out: false, test: { kind: 'one-of', values: ['bad', 'warning'] } },
  ])
  expect(chosenValues(both, column)).toEqual(['bad', 'warning'])
  expect(pressed('bad', 'warning', 'bad')).toEqual(pressed('warning'))
  expect(pressed('bad', 'bad')).toEqual([other, leftOut])
})

it('keeps cells without text beside others', () => {
  expect(pressed('')).toEqual([other, leftOut, { column, out: false, test: { kind: 'empty' } }])
  expect(chosenValues(pressed('', 'bad'), column)).toEqual(['', 'bad'])
  expect(chosenValues([other, leftOut], column)).toEqual([])
})

it('knows from when to when a group is, also of an hour that comes twice', () => {
  const span = (key: string) => {
    const { from = 0, to = 0 } = spanOfGroup(key, 'Europe/Berlin') ?? {}
    return [new Date(from).toISOString(), (to - from) / 3_600_000]
  }
  expect(span('2026-10-25')).toEqual(['2026-10-24T22:00:00.000Z', 25])
  expect(span('2026-10-25 02 +02:00')).toEqual(['2026-10-25T00:00:00.000Z', 1])
  expect(span('2026-10-25 02 +01:00')).toEqual(['2026-10-25T01:00:00.000Z', 1])
  expect(span('2026-11-20 14')).toEqual(['2026-11-20T13:00:00.000Z', 1])
})

// Worked out by hand from the time zone database.
it.each([
  ['half an hour that comes again', 'Australia/Lord_Howe', '2026-04-05 01 +10:30', '2026-04-04T15:00Z', 30],
  ['the whole hour before it', 'Australia/Lord_Howe', '2026-04-05 01 +11:00', '2026-04-04T14:00Z', 60],
  ['what is left of an hour', 'Australia/Lord_Howe', '2026-10-04 02', '2026-10-03T15:30Z', 30],
  ['an hour begun at a quarter', 'Pacific/Chatham', '2026-04-05 03 +13:45', '2026-04-04T13:15Z', 45],
  ['its end come again', 'Pacific/Chatham', '2026-04-05 02 +12:45', '2026-04-04T14:00Z', 15],
  ['a day that begins at one', 'America/Santiago', '2026-09-06', '2026-09-06T04:00Z', 23 * 60],
  ['the hour before', 'America/Santiago', '2026-09-05 23', '2026-09-06T03:00Z', 60],
  ['the day before one that is skipped', 'Pacific/Apia', '2011-12-29', '2011-12-29T10:00Z', 24 * 60],
])('leads to the rows of %s', (_, zone, key, from, minutes) => {
  const start = Date.parse(from)
  expect(spanOfGroup(key, zone)).toEqual({ from: start, to: start + minutes * 60_000 })
})

it('says that the rows of a group have no address or no time, empty or not', () => {
  const words = (by: 'network' | 'day' | 'hour' | 'value') => {
    const chip = chipWords(groupCondition({ column: 'COLUMN', by }, '', 'UTC'), 'UTC')
    return `${chip.words} ${chip.value}`
  }
  expect(words('network')).toBe('COLUMN is in no network')
  expect(words('day')).toBe('COLUMN has no time')
  expect(words('hour')).toBe('COLUMN has no time')
  expect(words('value')).toBe('COLUMN is empty yes')
})

it('takes numbers as people type them, for columns that hold numbers', () => {
  const column = { name: 'COST', kind: 'number', standard: null } as const
  expect(choicesFor(column)[0]).toEqual({ is: 'more-than', out: false })
  expect(choicesFor({ ...column, kind: 'text' }).some(({ is }) => is === 'more-than')).toBe(false)
  const read = (text: string) =>
    readFilter('COST', { is: 'more-than', out: false }, { text, from: '', to: '' }, 'UTC')
  for (const [text, value] of [
    ['100', '100'],
    [' 1,200.5 ', '1200.5'],
    ['0,5', '0.5'],
    ['-12 000', '-12000'],
    ['\u200b\u221212\u202f000\u00a0', '-12000'],
    ['12345678901234567890', '12345678901234567890'],
  ])
    expect(read(text ?? '')).toMatchObject({ condition: { test: { kind: 'more-than', value } } })
  for (const text of ['', 'many', '1e5', '1.2.3'])
    expect(read(text)).toEqual({ kind: 'fault', fault: 'Enter a number, such as 100 or 0.5.' })
})

it.each(['is', 'contains', 'begins-with'] as const)('reads a pasted value that a cell %s', (is) => {
  const read = (text: string) => readFilter('PAGE', { is, out: false }, { text, from: '', to: '' }, 'UTC')
  expect(read('\ufeff“/shop\u00a0one”\u200b\n')).toMatchObject({
    condition: { test: { kind: is, value: '/shop one' } },
  })
  expect(read('\u200b\u00a0')).toEqual({ kind: 'fault', fault: 'Enter what to look for.' })
})

it.each(['one-of', 'click-id'] as const)('reads a pasted list for %s', (is) => {
  const text = '\ufeffa\u00a0, “b”;\u2060c'
  expect(readFilter('PAGE', { is, out: false }, { text, from: '', to: '' }, 'UTC')).toMatchObject({
    condition: { test: { kind: is, values: ['a', 'b', 'c'] } },
  })
})
