import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { debuggingAddress, joinWindow } from '#test/helpers/join-window.ts'
import { startProcess } from '../helpers/app.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { commandOf, familyOf } from '../helpers/processes.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { addAccount, connect, openView, status } from '../helpers/window.ts'

/** The app with a profile, settings and downloads of its own, which can be started again and again. */
export type OwnDesk = ReturnType<typeof ownDesk>
export type Started = ReturnType<OwnDesk['start']>

export function ownDesk(given: Readonly<Record<string, string>> = {}) {
  const profile = temporaryFolder('raw')
  const { folder, env: config } = ownDownloads()
  const env = { ...config, ...given }

  /** Starts it; hidden, as the system does at login, or with its window. */
  const start = (...args: readonly string[]) => {
    const { child, ended, said } = startProcess({ profile, env, args })
    const debugging = debuggingAddress(child)
    // A second one ends at once, and shows the first one's window.
    debugging.catch(() => undefined)
    /** Ends it as the system does, and waits until it has. */
    const quit = async () => {
      child.kill('SIGTERM')
      expect(await ended, said()).toBe(0)
    }
    const renderers = () =>
      familyOf(child.pid ?? 0).filter((pid) => commandOf(pid).includes('--type=renderer')).length
    return { window: async () => joinWindow(await debugging), quit, ended, renderers }
  }
  return { profile, folder, config: config['XDG_CONFIG_HOME'] ?? '', start }
}

/** Connects to a service in the first view of a new desk. */
export async function connectTo(
  page: Page,
  name: string,
  { address, tokens }: RunningSandbox,
): Promise<void> {
  await connect(page, { name, address, token: tokens.admin })
  await expect.poll(() => status(page).innerText(), pollOptions).toMatch(/^As of /)
}

/** Adds a further account, which is the active one then. */
export async function addAccountTo(page: Page, name: string, sandbox: RunningSandbox): Promise<void> {
  await addAccount(page)
  await connectTo(page, name, sandbox)
  // Until then all that is seen may be of the account before.
  await page.getByRole('button', { name: `Account: ${name}`, exact: true }).waitFor()
}

/** Clicks switches of the settings by their names. */
export async function turn(page: Page, ...switches: readonly string[]): Promise<void> {
  await openView(page, 'Settings')
  for (const name of switches) {
    const found = page.getByRole('switch', { name, exact: true })
    const before = await found.getAttribute('aria-checked')
    await found.click()
    await expect.poll(() => found.getAttribute('aria-checked')).not.toBe(before)
    // It shows at once; that it holds is known when what is changed in turn after it is done.
    await page.evaluate(() => window.desk.call('settings/write', {}))
  }
}

export const keepRunning = 'Keep running when the window is closed'

/** Closes the window as a person does, and waits until its process is gone. */
export async function closeWindow(page: Page, { renderers }: Started): Promise<void> {
  await page.evaluate(() => window.close())
  await expect.poll(renderers, pollOptions).toBe(0)
}

/** Waits until the list of raw reports shows a report. */
export async function seeReport(page: Page, name: string): Promise<void> {
  await openView(page, 'Raw reports')
  await page.getByRole('table', { name: 'Raw reports' }).getByText(name).first().waitFor()
}
