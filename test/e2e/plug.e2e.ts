import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startDesk } from './helpers/app.ts'
import {
  allowCoreFile,
  coreFileIn,
  coreFilesElsewhere,
  coreFilterOf,
  coreLimitOf,
  memoryIn,
} from './helpers/core-file.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { heapOf } from './helpers/heap.ts'
import { keychainTokens } from './helpers/keychain.ts'
import { ownDownloads } from './helpers/own-downloads.ts'
import { pollOptions } from './helpers/poll-options.ts'
import { commandOf, familyOf, outsideOf, remembers } from './helpers/processes.ts'
import { inRow, rawRow, requestReport } from './helpers/raw-reports.ts'
import { exact } from './helpers/reports.ts'
import { startSandbox } from './helpers/sandbox.ts'
import type { RunningSandbox } from './helpers/sandbox.ts'
import { filesWith, holds } from './helpers/traces.ts'
import {
  addAccount,
  connect,
  exploreSample,
  mainNavigation,
  openView,
  overviewFigures,
  reportFigures,
  status,
} from './helpers/window.ts'
import { rowsTable } from './rows/hands.ts'
import type { Locator, Page } from 'playwright-core'

/** Everything that is looked at: the overview and two tables. */
const figures = async (page: Page) => ({
  overview: await overviewFigures(page),
  sessions: await reportFigures(page, 'Script', 'Instances', 'Script by instance'),
  browsers: await reportFigures(page, 'Script', 'Browsers', 'Script by browser'),
})

/**
 * What can go wrong with a service that repeats the token wherever it can, in which view, and with which of its questions. What
 * the desk asks by itself, to see whether the service is there, uses none of them up.
 */
const faults = [
  { view: 'Overview', path: 'script/overview', does: { kind: 'status', status: 500, retryAfter: null } },
  { view: 'Reports', path: 'script/browsers', does: { kind: 'status', status: 400, retryAfter: null } },
  { view: 'Raw reports', path: 'raw/table', does: { kind: 'malformed' } },
  { view: 'Overview', path: 'script/overview', does: { kind: 'html' } },
  { view: 'Reports', path: 'script/browsers', does: { kind: 'cut', after: 0.5 } },
  { view: 'Raw reports', path: 'raw/table', does: { kind: 'reset' } },
] as const

/** Has Chromium, Electron and Node say on the standard error whatever they connect, send and start. */
const loudest = {
  args: ['--enable-logging=stderr', '--v=1'],
  env: { ELECTRON_ENABLE_LOGGING: '1', NODE_DEBUG: 'http,https,net,tls,undici,fetch,worker,child_process' },
} as const

/** Types a token into a field as a person does: nothing else than the page ever holds it. */
async function typeToken(page: Page, form: Locator, token: string): Promise<void> {
  await form.getByLabel('Access token', { exact: true }).click()
  await page.keyboard.insertText(token)
}

/** Locks the window, and has the service open it again, which forgets the tokens: so a new one is entered. The window is another one then. */
async function signInAndRenew(desk: Page, { address, tokens }: RunningSandbox): Promise<Page> {
  const passphrase = 'correct horse battery'
  await openView(desk, 'Settings')
  await desk.getByRole('radio', { name: '5 minutes', exact: true }).check()
  await desk.getByLabel('Passphrase', { exact: true }).fill(passphrase)
  await desk.getByLabel('Repeat passphrase').fill(passphrase)
  await exact(desk, 'button', 'Turn on').click()
  const shown = desk.context().waitForEvent('page')
  await exact(desk, 'button', 'Lock now').click()
  const locked = await shown
  const unlocked = locked.waitForEvent('close')
  await locked.getByText('Forgot your passphrase?').click()
  await locked.getByLabel('Service address').fill(address)
  await typeToken(locked, locked.locator('form'), tokens.admin)
  const opened = locked.context().waitForEvent('page')
  await exact(locked, 'button', 'Sign in and remove the lock').click()
  const page = await opened
  await unlocked
  await exact(page, 'button', 'Replace token').click()
  const dialog = page.getByRole('dialog')
  await typeToken(page, dialog, tokens.admin)
  await dialog.getByRole('button', { name: 'Use new token', exact: true }).click()
  await dialog.waitFor({ state: 'detached' })
  return page
}

/** Saves a table as a file, from what a service answered that repeats the token. */
async function exportTable(page: Page): Promise<void> {
  await reportFigures(page, 'Script', 'Browsers', 'Script by browser')
  await page.getByRole('button', { name: 'Export', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Table as seen: CSV', exact: true }).click()
  await page
    .getByRole('region', { name: 'Exports' })
    .getByRole('button', { name: 'Show in folder' })
    .waitFor()
}

/** Asks for a raw report, which is saved and read in by itself, and looks at its rows. */
async function lookInside(page: Page, { control }: RunningSandbox): Promise<void> {
  await control('POST', '/behaviour', { raw: { concurrency: 1000, minutes: 100_000, secondsPerMinute: 1 } })
  await openView(page, 'Raw reports')
  await requestReport(page, 'Repeated')
  await rawRow(page, 'Repeated').waitFor()
  await control('POST', '/clock', { advance: 600_000 })
  await expect
    .poll(async () => {
      await exact(page, 'button', 'Refresh').click()
      return await inRow(page, 'Repeated', 'Open rows').count()
    }, pollOptions)
    .toBe(1)
  await inRow(page, 'Repeated', 'Open rows').click()
  await rowsTable(page).getByRole('row').nth(2).waitFor()
}

const waiting = v.object({ faults: v.array(v.unknown()) })
const answered = v.object({ requests: v.array(v.object({ path: v.string(), status: v.number() })) })

/** Asks for the figures of a view by hand until the service has done what goes wrong as often as it should. */
async function askUntilServed(page: Page, control: RunningSandbox['control']): Promise<void> {
  await expect
    .poll(async () => {
      await exact(page, 'button', 'Refresh').click()
      return v.parse(waiting, await control('GET', '/state')).faults.length
    }, pollOptions)
    .toBe(0)
}

/** Goes through every view, each with a request going wrong, and has the app write what it writes for a person. */
async function tourWithFaults(page: Page, sandbox: RunningSandbox): Promise<void> {
  const { control } = sandbox
  await control('POST', '/behaviour', {
    echoesToken: true,
    unknownMembers: true,
    errorBodies: 'error-object',
  })
  for (const view of await mainNavigation(page).getByRole('link').allInnerTexts()) {
    await openView(page, view)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
  }
  await control('DELETE', '/requests')
  for (const { view, path, does } of faults) {
    await openView(page, view)
    await control('POST', '/faults', { path, times: 2, does })
    await askUntilServed(page, control)
  }
  const { requests } = v.parse(answered, await control('GET', '/requests'))
  for (const { path, does } of faults) {
    const those = requests.filter((each) => each.path === path)
    expect(those.length).toBeGreaterThanOrEqual(2 * faults.filter((each) => each.path === path).length)
    if (does.kind === 'status') expect(those.map(({ status }) => status)).toContain(does.status)
  }
  const saved = await page.evaluate(async () => [
    await window.desk.call('desk/save-problem-report'),
    await window.desk.call('desk/back-up', { figures: true }),
  ])
  expect(saved.map(({ ok }) => ok)).toEqual([true, true])
  await exportTable(page)
  await lookInside(page, sandbox)
}

/** What the crash left, where the system puts it beside the process. */
let core: { readonly size: number; readonly holdsToken: boolean } | null = null

describe('pulling the plug', () => {
  it('keeps the figures, says so, comes back by itself, and leaves the token nowhere but in the keychain', async () => {
    const folder = temporaryFolder('plug')
    const profile = join(folder, 'profile')
    const record = join(folder, 'bridge.jsonl')
    const ran = join(folder, 'ran')
    const cache = join(folder, 'cache')
    for (const each of [ran, cache]) mkdirSync(each)
    // A socket lies in it, whose path cannot be long.
    const passing = temporaryFolder('t')
    const { folder: downloads, env } = ownDownloads()
    const launch = {
      profile,
      folder: ran,
      require: join(import.meta.dirname, 'helpers', 'record-bridge.cjs'),
      args: loudest.args,
      env: {
        ...{ ...env, ...loudest.env, BRIDGE_RECORD: record },
        ...{ TMPDIR: passing, XDG_CACHE_HOME: cache },
      },
    }
    const today = dayAt(Date.now(), 'UTC')
    // Its newest day is yesterday, and only half of it has happened: so later figures are recognisably others.
    const before = await startSandbox({ today: addDays(today, -1) })
    const token = before.tokens.admin

    const first = await startDesk(launch)
    await exploreSample(first.page)
    await expect.poll(() => status(first.page).innerText()).toMatch(/^As of /)
    await addAccount(first.page)
    await connect(first.page, { name: 'Plug', address: before.address, token })
    await expect.poll(() => status(first.page).innerText()).toMatch(/^As of /)
    const page = await signInAndRenew(first.page, before)
    const online = await figures(page)
    // Here it was typed.
    const typedInto = await heapOf(page)
    expect(holds(typedInto, 'Script by browser')).toBe(true)
    expect(holds(typedInto, token)).toBe(false)
    await before.kill()
    // Nobody touches the window: it finds out by itself.
    await expect
      .poll(() => status(page).innerText(), pollOptions)
      .toMatch(/^Offline\. Showing what was kept at /)
    expect(await first.quit()).toBe(0)

    const second = await startDesk(launch)
    await expect
      .poll(() => status(second.page).innerText(), pollOptions)
      .toMatch(/^Offline\. Showing what was kept at /)
    expect(await figures(second.page)).toEqual(online)

    const after = await startSandbox({ port: before.port, today })
    expect(after.tokens.admin).toBe(token)
    await expect.poll(() => status(second.page).innerText(), pollOptions).toMatch(/^As of /)
    await expect
      .poll(async () => (await figures(second.page)).browsers, pollOptions)
      .not.toEqual(online.browsers)
    const fresh = await figures(second.page)
    expect(fresh.overview).not.toEqual(online.overview)
    expect(fresh.sessions).not.toEqual(online.sessions)

    await tourWithFaults(second.page, after)
    await figures(second.page)
    const heap = await heapOf(second.page)
    expect(holds(heap, 'Script by browser')).toBe(true)
    expect(holds(heap, token)).toBe(false)
    const processes = familyOf(second.pid)
    expect(processes.length).toBeGreaterThan(2)
    expect(processes.filter((pid) => holds(outsideOf(pid), token))).toEqual([])
    // In this life nobody typed it: of all memory it is in the main process's alone.
    const isRoot = process.getuid?.() === 0
    const others = isRoot ? processes.filter((pid) => pid !== second.pid) : []
    expect(others.some((pid) => remembers(pid, 'Script by browser'))).toBe(isRoot)
    expect(others.filter((pid) => remembers(pid, token)).map(commandOf)).toEqual([])
    // The main process holds it still, and crashes.
    expect(isRoot && !remembers(second.pid, token)).toBe(false)
    expect(processes.map((pid) => [commandOf(pid), coreFilterOf(pid)])).toEqual(
      processes.map((pid) => [commandOf(pid), '00000000']),
    )
    expect(processes.filter((pid) => /crashpad/.test(commandOf(pid)))).toEqual([])
    // It leaves no core file, unless somebody allows it one, as here.
    expect(coreLimitOf(second.pid)).toBe('1')
    allowCoreFile(second.pid)
    process.kill(second.pid, 'SIGSEGV')
    await second.ended
    if (coreFilesElsewhere() === null) {
      const file = coreFileIn(ran) ?? ''
      core = { size: statSync(file).size, holdsToken: holds(memoryIn(readFileSync(file)), token) }
      // In the registers stands what was copied last, now and then the token.
      rmSync(file)
    }
    expect(filesWith(profile, 'Plug')).not.toEqual([])
    // It came back from the service, and was taken out of what is kept of that.
    expect(filesWith(profile, '[token]')).not.toEqual([])
    expect(filesWith(downloads, 'Traffic Desk')).toHaveLength(2)
    expect(readdirSync(downloads).filter((name) => name.includes('Repeated'))).toHaveLength(1)
    expect(readdirSync(downloads).filter((name) => name.endsWith('.csv'))).toHaveLength(1)
    // The profile, what can be made again, what is passing, and what was saved for a person. In the record the token
    // stands as it was typed.
    expect([folder, passing, downloads].flatMap((each) => filesWith(each, token))).toEqual([record])
    for (const { said } of [first, second]) {
      // Of Chromium and of Node.
      expect(said()).toMatch(/VERBOSE1/)
      expect(said()).toMatch(/^NET \d+: /m)
      expect(holds(Buffer.from(said()), token)).toBe(false)
    }
    expect(await keychainTokens()).toContain(token)

    const messages = readFileSync(record, 'utf8').trimEnd().split('\n')
    expect(messages.length).toBeGreaterThan(20)
    const typed = ['accounts/connect', 'lock/sign-in', 'accounts/renew-token']
    const entries = messages.filter((line) => holds(Buffer.from(line), token))
    expect(entries.map((line) => JSON.parse(line).given[0])).toEqual(typed)
    expect(entries.map((line) => holds(Buffer.from(JSON.stringify(JSON.parse(line).answer)), token))).toEqual(
      typed.map(() => false),
    )
  })

  // Elsewhere the system gives it to another program, which tests do not look into.
  it.skipIf(coreFilesElsewhere() !== null)('leaves no memory in the core file of that crash', () => {
    expect(core?.holdsToken).toBe(false)
    // With memory in it, it would have gigabytes.
    expect(core?.size).toBeLessThan(20_000_000)
  })
})
