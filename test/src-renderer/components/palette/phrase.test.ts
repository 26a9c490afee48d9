import { expect, it } from 'vitest'
import { readPhrase } from '#renderer/components/palette/phrase.ts'

const nothing = { preset: null, family: null, dimension: null, name: '' }

it.each([
  ['northwind news yesterday', { preset: 'yesterday', name: 'northwind news' }],
  ['yesterday Northwind News', { preset: 'yesterday', name: 'Northwind News' }],
  ['Last week', { preset: 'last-week' }],
  ['kestrel 28 days', { preset: 'last-28-days', name: 'kestrel' }],
  ['script browsers this month', { family: 'script', dimension: 'browsers', preset: 'this-month' }],
  [
    'kestrel by operating system last 7 days',
    { dimension: 'operating-systems', preset: 'last-7-days', name: 'kestrel' },
  ],
  ['bank of the north', { name: 'bank of the north' }],
  ['weekday', { name: 'weekday' }],
  ['  ', {}],
] as const)('reads “%s”', (text, found) => {
  expect(readPhrase(text)).toEqual({ ...nothing, ...found })
})
