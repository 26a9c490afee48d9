import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { startDesk } from './helpers/app.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { keychainTokens } from './helpers/keychain.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { connect, fillIn, mainNavigation } from './helpers/window.ts'
import type { Entry } from './helpers/window.ts'

/** A server on loopback that is no reporting service: it shows a page of HTML to everybody. */
async function startWebSite(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Welcome</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What stands at a field of the form as being wrong with it. */
async function faultAt(page: Page, label: string): Promise<string> {
  const field = page.locator(`input[aria-invalid="true"]`).and(page.getByLabel(label, { exact: true }))
  await field.waitFor()
  const ids = (await field.getAttribute('aria-describedby'))?.split(' ') ?? []
  const texts = await Promise.all(ids.map((id) => page.locator(`[id="${id}"]`).innerText()))
  return texts.join(' ')
}

describe('connecting with what is wrong', () => {
  it('says at the field what is wrong, and keeps nothing', async () => {
    const sandbox = await startSandbox()
    const { page, quit } = await startDesk({ profile: temporaryFolder('entry') })
    await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
    const right: Entry = { name: 'Client', address: sandbox.address, token: sandbox.tokens.admin }
    const before = await keychainTokens()

    const cases: readonly [string, Partial<Entry>, RegExp][] = [
      ['Access token', { token: '' }, /token/i],
      ['Account name', { name: '' }, /name/i],
      ['Service address', { address: 'reports example' }, /address/i],
      ['Service address', { address: 'http://reports.example' }, /https/i],
      ['Service address', { address: 'ftp://reports.example' }, /https/i],
      // A port that nothing is given by chance: that of a server which ended may be another's by now.
      ['Service address', { address: 'http://127.0.0.1:1023' }, /refused the connection/],
      ['Service address', { address: await startWebSite() }, /no Traffic Reporting Service/i],
      ['Access token', { token: 'not-a-token' }, /token/i],
      ['Access token', { token: 'a'.repeat(40) }, /rejected the access token/i],
      ['Access token', { token: sandbox.tokens.expired }, /expired/i],
    ]
    for (const [label, wrong, words] of cases) {
      await connect(page, { ...right, ...wrong })
      expect(await faultAt(page, label), JSON.stringify(wrong)).toMatch(words)
    }
    expect(await mainNavigation(page).count()).toBe(0)
    expect(await keychainTokens()).toEqual(before)

    await connect(page, right)
    await mainNavigation(page).waitFor()
    expect(await quit()).toBe(0)
  })

  it('names a clock that is wrong where the token is refused', async () => {
    const sandbox = await startSandbox()
    await sandbox.control('POST', '/behaviour', { clockSkew: 3 * 60 * 60_000 })
    const { page } = await startDesk({ profile: temporaryFolder('skew') })
    await connect(page, { name: 'Skew', address: sandbox.address, token: sandbox.tokens.expired })
    expect(await faultAt(page, 'Access token')).toMatch(/clock is 3 hours behind/)
    await connect(page, { name: 'Skew', address: sandbox.address, token: sandbox.tokens.admin })
    await mainNavigation(page).waitFor()
  })

  it('does not ask twice for what was typed', async () => {
    const sandbox = await startSandbox()
    const { page } = await startDesk({ profile: temporaryFolder('typed') })
    const entry = { name: 'Client', address: sandbox.address, token: sandbox.tokens.expired }
    await connect(page, entry)
    await faultAt(page, 'Access token')
    expect(await page.getByLabel('Account name').inputValue()).toBe(entry.name)
    expect(await page.getByLabel('Service address').inputValue()).toBe(entry.address)
    await fillIn(page, { ...entry, token: sandbox.tokens.limited })
    await page.keyboard.press('Enter')
    await mainNavigation(page).waitFor()
  })
})
