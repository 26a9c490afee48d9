import { expect, it } from 'vitest'
import { keepBrowserLean } from '../../../src-main/shell/lean-browser.ts'

it.each([
  ['linux', [['enable-features', 'NetworkServiceInProcess2']]],
  ['darwin', []],
  ['win32', []],
] as const)('on %s, the browser is told %j', (platform, expected) => {
  const told: (readonly string[])[] = []
  keepBrowserLean(
    { appendSwitch: (...given) => told.push(given.filter((each) => each !== undefined)) },
    platform,
  )
  expect(told).toEqual(expected)
})
