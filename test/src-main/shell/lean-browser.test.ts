import { expect, it } from 'vitest'
import { keepBrowserLean } from '#main/shell/lean-browser.ts'

const network = ['enable-features', 'NetworkServiceInProcess2']

it.each([
  ['linux', '/dev/dri', [network]],
  ['linux', '/dev/nvidia0', [network]],
  ['linux', '/dev/dxg', [network]],
  ['linux', '/dev/fb0', [network, ['disable-gpu'], ['disable-software-rasterizer']]],
  ['darwin', '/dev/disk0', []],
  ['win32', 'C:\\', []],
] as const)('on %s that has %s, the browser is told %j', (platform, device, expected) => {
  const told: (readonly string[])[] = []
  keepBrowserLean(
    { appendSwitch: (...given) => told.push(given.filter((each) => each !== undefined)) },
    platform,
    (path) => path === device,
  )
  expect(told).toEqual(expected)
})
