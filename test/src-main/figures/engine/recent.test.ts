import { expect, it } from 'vitest'
import { Recent } from '../../../../src-main/figures/engine/recent.ts'

/** Which of these keys are remembered: they are not made anew. */
function remembered(recent: Recent<number>, keys: string): string {
  return [...keys].filter((key) => recent.take(key, () => -1) !== -1).join('')
}

it('what was used last is remembered, as far as it has room', () => {
  const recent = new Recent<number>(2)
  for (const key of 'abac') recent.take(key, () => 1)
  expect(remembered(recent, 'ca')).toBe('ca')
  expect(remembered(recent, 'b')).toBe('')
})

it('heavy values push several light ones out, and the last one stays whatever it weighs', () => {
  const recent = new Recent<number>(10, (weight) => weight)
  for (const key of 'abc') recent.take(key, () => 3)
  recent.take('d', () => 100)
  expect(remembered(recent, 'd')).toBe('d')
  const light = new Recent<number>(10, (weight) => weight)
  for (const key of 'abc') light.take(key, () => 3)
  light.take('d', () => 4)
  expect(remembered(light, 'bcd')).toBe('bcd')
})
