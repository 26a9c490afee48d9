import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import keytar from 'keytar'
import { describe, expect, it, onTestFinished } from 'vitest'
import { basicHeader, proxyServer } from '../helpers/proxy-server.ts'
import { startDesk } from './helpers/app.ts'
import type { RunningDesk } from './helpers/app.ts'
import { violations } from './helpers/axe.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { filesWith, holds } from './helpers/traces.ts'
import { addAccount, connect, exploreSample, openView } from './helpers/window.ts'
import { Hand } from './keyboard/hand.ts'

const name = 'maria'
const password = 'Größe/7+5e15a-9d0e'

/** Somebody at the keyboard of a desk whose own keys are not needed. */
const handOf = (desk: RunningDesk): Hand =>
  new Hand(
    {
      ...desk,
      folder: '',
      pressOwn: () => Promise.resolve(),
      zoomTo: () => Promise.resolve(),
      copied: () => Promise.resolve(''),
    },
    () => [],
  )

/** Tries to connect to a service that is reached through the proxy alone. */
async function tryService({ page }: RunningDesk): Promise<void> {
  await addAccount(page)
  await connect(page, { name: 'Behind', address: 'https://reports.example', token: 'a-token' })
  await page.getByRole('button', { name: 'Connect', exact: true }).waitFor()
}

describe('a proxy that wants a name and password', () => {
  it('is signed in to by the keyboard, stays known, and is forgotten', async () => {
    const profile = temporaryFolder('proxy')
    const record = join(temporaryFolder('proxy-record'), 'bridge.jsonl')
    // What answers behind it is no service over https: that it is reached is all that has to be seen.
    const sandbox = await startSandbox()
    const proxy = await proxyServer(Number(sandbox.port), { basic: `${name}:${password}` })
    onTestFinished(proxy.close)
    const address = `http://127.0.0.1:${proxy.port}`
    const launch = {
      profile,
      require: join(import.meta.dirname, 'helpers', 'record-bridge.cjs'),
      // Where no desktop says which proxies there are, the browser goes by these.
      env: { BRIDGE_RECORD: record, https_proxy: address, http_proxy: undefined, no_proxy: undefined },
    }
    const first = await startDesk(launch)
    await first.page.emulateMedia({ reducedMotion: 'reduce', colorScheme: null })
    await exploreSample(first.page)
    await tryService(first)
    const hand = handOf(first)
    await first.page
      .getByText(`The proxy 127.0.0.1:${proxy.port} asks for a name and password`)
      .first()
      .waitFor()
    expect(await first.page.getByRole('dialog').count()).toBe(0)
    await hand.use('button', 'Sign in to the proxy…')
    const dialog = first.page.getByRole('dialog', { name: 'Sign in to the proxy' })
    await hand.hasFocus(dialog.getByLabel('Name'))
    await dialog.getByText('can read the name and password').waitFor()
    expect(await violations(first.page, 'everything')).toEqual([])
    await first.page.keyboard.type(name)
    await hand.toThis(dialog.getByLabel('Password'), 'Password')
    await first.page.keyboard.insertText('wrong')
    await hand.press('Enter')
    await dialog.getByRole('alert').getByText('rejected this name and password').waitFor()
    await hand.hasFocus(dialog.getByLabel('Password'))
    expect(await violations(first.page, 'everything')).toEqual([])
    await first.page.keyboard.insertText(password)
    await hand.press('Enter')
    await first.page.getByText("The password is in this computer's keychain").first().waitFor()
    await expect.poll(() => dialog.count()).toBe(0)
    // The button that opened it has gone with its notice.
    await hand.isSane('the dialog closed')
    await first.page.getByRole('button', { name: 'Connect', exact: true }).click()
    await first.page.getByText("doesn't use HTTPS").first().waitFor()
    // Of everything that the browser brings along, nothing goes out.
    expect(new Set(proxy.asked)).toEqual(new Set(['reports.example:443']))
    expect(proxy.told).toEqual([
      null,
      basicHeader(`${name}:wrong`),
      ...Array<string>(proxy.told.length - 2).fill(basicHeader(`${name}:${password}`)),
    ])
    expect(await keytar.getPassword('Traffic Desk', address)).toContain(password)
    expect(await first.quit()).toBe(0)

    const second = await startDesk(launch)
    const before = proxy.told.length
    await tryService(second)
    await second.page.getByText("doesn't use HTTPS").first().waitFor()
    expect(new Set(proxy.told.slice(before))).toEqual(new Set([basicHeader(`${name}:${password}`)]))
    await openView(second.page, 'Settings')
    await handOf(second).use('button', `Forget the name and password for 127.0.0.1:${proxy.port}`)
    await second.page
      .getByText(/^Name and password for .* forgotten/)
      .first()
      .waitFor()
    expect(await keytar.getPassword('Traffic Desk', address)).toBeNull()
    expect(await second.quit()).toBe(0)

    expect(filesWith(profile, 'Sample data')).not.toEqual([])
    expect(filesWith(profile, password)).toEqual([])
    const messages = readFileSync(record, 'utf8').trimEnd().split('\n')
    const told = messages.filter((line) => holds(Buffer.from(line), password))
    expect(told.map((line) => (JSON.parse(line) as { given: unknown[] }).given[0])).toEqual([
      'proxies/sign-in',
    ])
    for (const line of told)
      expect(
        holds(Buffer.from(JSON.stringify((JSON.parse(line) as { answer: unknown }).answer)), password),
      ).toBe(false)
  })
})
