import { expect, it } from 'vitest'
import { chanceWords, clusterWords, timesWords } from '#shared/texts/archives.ts'

it('says what was counted, and no more', () => {
  expect(clusterWords({ rows: 150, bad: 142, expected: 24.3 }, 'en')).toBe('142 of 150 rows bad; 24 expected')
  expect(clusterWords({ rows: 12_000, bad: 6, expected: 1.26 }, 'en')).toBe(
    '6 of 12,000 rows bad; 1.3 expected',
  )
  expect(timesWords({ bad: 142, expected: 24.3 }, 'en')).toBe('5.8×')
})

it.each([
  [0.01, '1 in 100'],
  [1 / 2345, '1 in 2,300'],
  [2e-6, '1 in 500,000'],
  [1e-9, 'less than 1 in a million'],
  [0, 'less than 1 in a million'],
])('says how probable %s is', (chance, words) => {
  expect(chanceWords(chance, 'en')).toBe(words)
})
