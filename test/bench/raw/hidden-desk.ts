import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { connect, deskFolder, temporaryFolder } from '../measure/desk.ts'
import type { Sandbox } from '../measure/desk.ts'
import { launch, start } from '../measure/launch.ts'
import type { Started } from '../measure/launch.ts'

/** A profile to start from, and the folder that its downloads go to. */
export type Prepared = {
  readonly profile: string
  readonly downloads: string
  readonly env: Readonly<Record<string, string>>
}

const view = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click()

/**
 * A profile with one account that stays in the tray; made by using the app as a person does.
 * @param more what else is done before the app is ended
 */
export async function prepare(
  sandbox: Pick<Sandbox, 'address' | 'token'>,
  more: (page: Page) => Promise<void> = () => Promise.resolve(),
): Promise<Prepared> {
  const config = temporaryFolder('config')
  const downloads = join(config, 'Downloads')
  mkdirSync(downloads)
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${downloads}"\n`)
  const prepared = { profile: temporaryFolder('tray'), downloads, env: { XDG_CONFIG_HOME: config } }
  const { page, close } = await launch(deskFolder, prepared.profile, prepared.env)
  await connect(page, sandbox)
  await more(page)
  await close()
  return prepared
}

/** Asks for the first archive in the list of raw reports. */
export async function askForArchive(page: Page): Promise<void> {
  await view(page, 'Raw reports')
  await page
    .getByRole('table', { name: 'Raw reports' })
    .getByRole('button', { name: 'Download' })
    .first()
    .click()
}

/** A profile as it was prepared, to be used once. */
function copied({ profile }: Prepared): string {
  const copy = temporaryFolder('tray')
  cpSync(profile, copy, { recursive: true })
  return copy
}

/** Starts the app as the system does at login: without a window. */
export const startHidden = (prepared: Prepared): Promise<Started> =>
  start(deskFolder, copied(prepared), { env: prepared.env, args: ['--hidden'] })

/** Starts the app with a window, and closes that once it has been used. */
export async function startAndCloseWindow(prepared: Prepared): Promise<Started> {
  const started = await start(deskFolder, copied(prepared), { env: prepared.env })
  const page = await started.window()
  await page.getByRole('navigation', { name: 'Main' }).waitFor()
  await view(page, 'Raw reports')
  await page.getByRole('table', { name: 'Raw reports' }).getByRole('row').nth(1).waitFor()
  await closeWindow(page)
  return started
}

/** Closes the window that was driven, and drives nothing any more. */
export async function closeWindow(page: Page): Promise<void> {
  const closed = page.waitForEvent('close')
  await page.evaluate(() => window.close())
  await closed
  await page.context().browser()?.close()
}
