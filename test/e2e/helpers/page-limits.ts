import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** How long it may take until something that is refused is seen to be, in milliseconds. */
const longestWait = 20_000

/** A window's page, and what the app has logged so far. */
type Tried = { readonly page: Page; readonly log: () => string }

/**
 * Tries in a page what one that was taken over would, and wants all of it refused. Runs on the built app (`security.e2e.ts`)
 * and on the installed one (`scripts/package-test`).
 *
 * @throws AssertionError where something is not refused
 */
export async function keepsToItsLimits(tried: Tried): Promise<void> {
  await hasOneWayOut(tried)
  await goesNowhereElse(tried)
  await opensNoOtherWindow(tried)
  await isGivenNoPermission(tried)
  await loadsNothingElse(tried)
  await reachesNoFile(tried)
  await isRefusedWhatIsNoCall(tried)
}

/** Waits until something holds. @throws AssertionError with these words where it does not come to that */
async function until(words: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + longestWait
  while (!(await holds())) {
    if (Date.now() > end) assert.fail(words)
    await pause(20)
  }
}

const isLogged = ({ log }: Tried, words: string) =>
  until(`This was never logged: ${words}`, () => log().includes(words))

/** It has nothing of Node, and one narrow way out. */
async function hasOneWayOut({ page }: Tried): Promise<void> {
  const found = await page.evaluate(() => ({
    node: ['require', 'process', 'module', 'Buffer', 'global', 'electron', '__dirname'].filter(
      (name) => name in window,
    ),
    bridge: Object.keys(window.desk),
    frozen: Object.isFrozen(window.desk),
    origin: location.origin,
  }))
  assert.deepEqual(found, {
    node: [],
    bridge: ['call', 'on', 'dropped'],
    frozen: true,
    origin: 'traffic-desk-app://desk',
  })
}

async function goesNowhereElse(tried: Tried): Promise<void> {
  const { page } = tried
  const shown = () => page.evaluate(() => [location.href, document.querySelector('h1')?.textContent])
  const before = await shown()
  // The first two never leave the page's own process; the others are refused by ours.
  for (const address of [
    'file:///etc/hostname',
    'data:text/html,x',
    'https://reports.example/',
    'traffic-desk-app://other/',
  ]) {
    await page.evaluate((target) => {
      location.href = target
    }, address)
  }
  // The second one is counted.
  await isLogged(tried, 'Refused a navigation')
  assert.equal(page.url(), before[0])
  assert.deepEqual(await shown(), before)
}

async function opensNoOtherWindow(tried: Tried): Promise<void> {
  const { page } = tried
  for (const address of ['https://reports.example/', 'about:blank'])
    assert.ok(await page.evaluate((target) => window.open(target) === null, address), address)
  assert.equal(page.context().pages().length, 1)
  await isLogged(tried, 'Refused a new window')
}

async function isGivenNoPermission({ page }: Tried): Promise<void> {
  const { camera, ...given } = await page.evaluate(async () => ({
    notifications: await Notification.requestPermission(),
    geolocation: (await navigator.permissions.query({ name: 'geolocation' })).state,
    camera: await navigator.mediaDevices.getUserMedia({ video: true }).then(
      () => 'granted',
      (error: unknown) => (error instanceof DOMException ? error.name : 'other'),
    ),
    clipboard: await navigator.clipboard.readText().then(
      () => 'granted',
      (error: unknown) => (error instanceof DOMException ? error.name : 'other'),
    ),
  }))
  assert.deepEqual(given, { notifications: 'denied', geolocation: 'denied', clipboard: 'NotAllowedError' })
  assert.match(camera, /^Not(Allowed|Found|Readable)Error$/)
}

/** Somebody on loopback who counts what reaches them. */
async function withWitness(work: (address: string) => Promise<void>): Promise<void> {
  let seen = 0
  const server = createServer((_, response) => {
    seen += 1
    response.end()
  })
  try {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const at = server.address()
    assert.ok(at !== null && typeof at === 'object')
    await work(`http://127.0.0.1:${at.port}`)
    assert.equal(seen, 0, 'Something was asked for outside')
  } finally {
    server.close()
  }
}

/** It runs and loads nothing that did not come with the app. */
async function loadsNothingElse({ page }: Tried): Promise<void> {
  await withWitness(async (outside) => {
    await page.evaluate((address) => {
      const seen: string[] = []
      Object.assign(window, { seen })
      document.addEventListener('securitypolicyviolation', (event) => seen.push(event.effectiveDirective))
      const add = (name: string, properties: Record<string, string>) => {
        const element = document.createElement(name)
        for (const [attribute, value] of Object.entries(properties)) element.setAttribute(attribute, value)
        document.body.append(element)
        return element
      }
      const inline = document.createElement('script')
      inline.textContent = 'window.ranInline = true'
      document.body.append(inline)
      add('button', { onclick: 'window.ranHandler = true' }).click()
      // In a turn of its own: what whoever drives the page runs itself may evaluate text.
      setTimeout(() => {
        Reflect.apply(Reflect.get(window, 'eval'), window, ['window.ranText = true'])
      })
      add('script', { src: `${address}/script.js` })
      add('img', { src: `${address}/image.png` })
      add('iframe', { src: `${address}/frame` })
      add('link', { rel: 'stylesheet', href: `${address}/styles.css` })
      add('p', { style: 'color: red' })
      fetch(`${address}/data`).catch(() => undefined)
      try {
        new WebSocket(address.replace('http', 'ws'))
      } catch {
        // Refused before it began.
      }
    }, outside)
    const directives = [
      'script-src',
      'script-src-elem',
      'script-src-attr',
      'img-src',
      'frame-src',
      'style-src-elem',
      'style-src-attr',
      'connect-src',
    ]
    const violated = () => page.evaluate((): unknown => Reflect.get(window, 'seen'))
    for (const directive of directives)
      await until(`Nothing was refused for ${directive}`, async () => {
        const seen = await violated()
        return Array.isArray(seen) && seen.includes(directive)
      })
    const ran = ['ranInline', 'ranHandler', 'ranText']
    assert.deepEqual(await page.evaluate((names) => names.filter((name) => name in window), ran), [])
  })
}

/** No file of the computer is within its reach. */
async function reachesNoFile({ page }: Tried): Promise<void> {
  const loaded = await page.evaluate(
    () =>
      new Promise((resolve) => {
        const script = document.createElement('script')
        script.onload = () => resolve(true)
        script.onerror = () => resolve(false)
        script.src = 'traffic-desk-app://desk/..%2f..%2fpackage.json'
        document.body.append(script)
      }),
  )
  assert.equal(loaded, false)
}

/** A call that is none, or has an argument that is none, is refused. */
async function isRefusedWhatIsNoCall({ page }: Tried): Promise<void> {
  const outcomes = await page.evaluate(() => {
    // What a page taken over would send keeps to no type.
    const call: (...given: never[]) => Promise<{ ok: boolean }> = window.desk.call
    const send = (...given: unknown[]) => call(...(given as never[]))
    return Promise.all([
      send('accounts/steal'),
      send('__proto__'),
      send('accounts/activate', { account: '../../etc' }),
      send('reports/ask', { account: null, query: { kind: 'table' }, force: 1 }),
    ])
  })
  assert.deepEqual(
    outcomes.map((outcome) => [outcome.ok, 'failure' in outcome]),
    outcomes.map(() => [false, true]),
  )
}
