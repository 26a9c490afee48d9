import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addressIn, addressOfLink, openLink } from '#main/shell/links.ts'
import type { Dialogs } from '#main/shell/dialogs.ts'
import type { DeskWindow, RunningApp } from '#main/shell/window.ts'
import { readWholeAddress, writeAddress } from '#shared/views/address.ts'
import { checkProperty } from '#test/helpers/properties.ts'
import { fake } from '#test/helpers/fake.ts'

/** What is shown of a link that takes so many requests, where the person says so. */
async function opened(requests: number | Error, agrees = true): Promise<readonly string[]> {
  const seen: string[] = []
  const requestsOfLink = () =>
    requests instanceof Error ? Promise.reject(requests) : Promise.resolve(requests)
  const show = (address: string | null = null) => void seen.push(address ?? 'the window')
  const agreesToLink = (count: number | null) => {
    seen.push(`asked about ${count}`)
    return Promise.resolve(agrees)
  }
  await openLink(
    '#/overview',
    fake<RunningApp>('app', { requestsOfLink }),
    fake<DeskWindow>('window', { show }),
    fake<Dialogs>('dialogs', { agreesToLink }),
  )
  return seen
}

describe('what a link costs', () => {
  it('is not asked about where it is little', async () => {
    expect(await opened(20)).toEqual(['#/overview'])
  })

  it('is asked about first where it is much, or nobody knows', async () => {
    expect(await opened(21)).toEqual(['the window', 'asked about 21', '#/overview'])
    expect(await opened(21, false)).toEqual(['the window', 'asked about 21'])
    expect(await opened(new Error('The disk refuses'), false)).toEqual(['the window', 'asked about null'])
  })
})

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

  it('of any text leads to an address as the window writes it, or as it stands for the window to say what is wrong', () => {
    checkProperty(
      'links',
      fc.property(fc.oneof(fc.string(), fc.webUrl(), fc.webFragments()), (text) => {
        const address = addressOfLink(`traffic-desk://${text}`)
        expect(address).toMatch(/^#\//)
        const { address: view, passedOver } = readWholeAddress(`#/${text}`)
        expect(address).toBe(passedOver.length > 0 ? `#/${text}` : writeAddress(view))
      }),
    )
  })

  it('that is endless is none', () => {
    expect(addressOfLink(`traffic-desk://${'x'.repeat(100_000)}`)).toBeNull()
  })

  it('is found among the arguments of a program', () => {
    expect(addressIn(['/usr/bin/traffic-desk', '--hidden', 'traffic-desk://raw'])).toBe('#/raw')
    expect(addressIn(['/usr/bin/traffic-desk'])).toBeNull()
  })
})
