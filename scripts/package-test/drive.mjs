import { chromium } from 'playwright-core'
import { inCheckout, projectNode } from '../common/checkout.mjs'
import { start } from '../common/processes.mjs'
import { lineThatSays } from './lines.mjs'
import { until } from './until.mjs'

/**
 * Starts the stand-in service as a process of its own.
 *
 * @returns {Promise<{ address: string, token: string }>}
 */
export async function startService() {
  const today = new Date().toISOString().slice(0, 10).replaceAll('-', '')
  const args = [inCheckout('scripts', 'sandbox.mjs'), '--port', '0', '--seed', '7', '--today', today]
  const service = start(projectNode, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const { address, tokens } = JSON.parse(
    await lineThatSays(service.stdout, (line) => (line.startsWith('{') ? line : undefined), 'its address'),
  )
  return { address, token: tokens.admin }
}

/**
 * Connects to a started app.
 *
 * @param {import('node:child_process').ChildProcess} app
 * @returns {Promise<import('playwright-core').Page>} its window's page
 */
export async function pageOf(app) {
  app.stdout?.resume()
  const address = await lineThatSays(
    app.stderr,
    (line) => /DevTools listening on ws:\/\/([^/]+)\//.exec(line)?.[1],
    'where it can be driven',
  )
  await until('a window', () => windowShows(address))
  const browser = await chromium.connectOverCDP(`http://${address}`)
  const [context] = browser.contexts()
  if (context === undefined) throw new Error('The app has no window')
  return context.pages()[0] ?? (await context.waitForEvent('page'))
}

/**
 * Who connects while the window is still being made waits for ever now and then.
 *
 * @param {string} address
 */
async function windowShows(address) {
  const targets = await (await fetch(`http://${address}/json/list`)).json()
  return Array.isArray(targets) && targets.some(({ type, title }) => type === 'page' && title !== '')
}

/**
 * Fills in the first page and waits until the app has let the person in.
 *
 * @param {import('playwright-core').Page} page
 * @param {{ address: string, token: string }} service
 */
export async function connect(page, { address, token }) {
  await page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  await page.getByLabel('Account name').fill('Package test')
  await page.getByLabel('Service address').fill(address)
  await page.getByLabel('Access token').fill(token)
  await page.getByRole('button', { name: 'Connect', exact: true }).click()
  const navigation = page.getByRole('navigation', { name: 'Main' })
  await navigation.getByRole('link', { name: 'Overview' }).waitFor()
  await page.getByRole('heading', { name: 'Overview' }).first().waitFor()
}
