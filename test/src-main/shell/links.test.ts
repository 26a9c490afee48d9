import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressAmong, addressOfLink } from '../../../src-main/shell/links.ts'
import { readAddress, writeAddress } from '../../../src-shared/views/address.ts'

describe('a link', () => {
  it('leads to the view that it was copied from', () => {
    const address = '#/reports/script/browsers?period=yesterday&browser=Chrome&sort=desc%3ABad'
    expect(addressOfLink(`traffic-desk://${address.slice(2)}`)).toBe(address)
  })

  it.each([
    '',
    'https://reports.example/x',
    'traffic-desk-app://desk/index.html',
    'file:///etc/passwd',
    '--no-sandbox',
  ])('is not %s', (text) => {
    expect(addressOfLink(text)).toBeNull()
  })

  it('of any text leads to an address as the window writes it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webFragments()), (text) => {
        const address = addressOfLink(`traffic-desk://${text}`)
        expect(address).toMatch(/^#\//)
        expect(address && writeAddress(readAddress(address))).toBe(address)
      }),
    )
  })

  it('that is endless is none', () => {
    expect(addressOfLink(`traffic-desk://${'x'.repeat(100_000)}`)).toBeNull()
  })

  it('is found among the arguments of a program', () => {
    expect(addressAmong(['/usr/bin/traffic-desk', '--hidden', 'traffic-desk://raw'])).toBe('#/raw')
    expect(addressAmong(['/usr/bin/traffic-desk'])).toBeNull()
  })
})
