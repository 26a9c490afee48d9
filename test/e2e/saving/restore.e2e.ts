import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { emptyKeychain } from '../helpers/keychain.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox, untilChecked } from '../helpers/sandbox.ts'
import { mainNavigation, openView, reportFigures, status } from '../helpers/window.ts'
import { connectedDesk, namesIn, savingDesk } from './hands.ts'

it('brings the figures of one computer to another from its first screen, where there is no account yet', async () => {
  const sandbox = await startSandbox()
  const old = await connectedDesk(sandbox, 'None')
  const figures = await reportFigures(old.page, 'Script', 'Browsers', 'Script by browser')
  await untilChecked(sandbox)
  await openView(old.page, 'Settings')
  await old.page.getByRole('button', { name: 'Back up', exact: true }).click()
  const backups = () => namesIn(old.folder).filter((name) => name.startsWith('Traffic Desk backup'))
  await expect.poll(backups, pollOptions).toHaveLength(1)
  await old.app.quit()
  // Nothing of the other computer is there, and no network either.
  await sandbox.kill()
  await emptyKeychain()

  const fresh = savingDesk()
  const [backup = ''] = backups()
  renameSync(join(old.folder, backup), join(fresh.chosen, backup))
  const first = await fresh.start()
  await first.page.getByRole('heading', { name: 'Connect to your reporting service' }).waitFor()
  expect(await mainNavigation(first.page).count()).toBe(0)
  await first.page.getByRole('button', { name: 'Restore a backup…' }).click()
  await first.page.getByText('It contains one account: Northwind.').waitFor()
  const restore = first.page.getByRole('button', { name: 'Restore and restart' })
  // The window goes with the click.
  await restore.click().catch((error: unknown) => expect(String(error)).toContain('closed'))
  expect(await first.ended).toBe(0)

  const again = await fresh.start()
  await again.page.getByText('The backup was restored').waitFor()
  expect(await reportFigures(again.page, 'Script', 'Browsers', 'Script by browser')).toEqual(figures)
  await expect.poll(() => status(again.page).innerText()).not.toBe('')
  await again.quit()
})
