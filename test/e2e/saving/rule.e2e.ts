import { readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'
import { rightDraft } from '#test/helpers/raw-rules.ts'
import { addDays, dayAt } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { violations } from '../helpers/axe.ts'
import { startFileManager } from '../helpers/file-manager.ts'
import { emptyKeychain } from '../helpers/keychain.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { startSandbox, untilChecked } from '../helpers/sandbox.ts'
import { openView, reportFigures } from '../helpers/window.ts'
import { connectedDesk, expectSaved, listed, namesIn } from './hands.ts'
import { firstInstance, readyReport } from './made-reports.ts'

it('saves what the rule says, under the name that the pattern gives, and by hand wherever the person wants; a backup brings the rule and the saved figures to another computer, which asks for the token', async () => {
  const [sandbox, shown] = await Promise.all([startSandbox(), startFileManager()])
  const { page, folder, chosen, app, start, profile } = await connectedDesk(sandbox, 'None')

  // The pattern says what is wrong with it while it is typed, and what a file would be called.
  const pattern = page.getByLabel('File names')
  const card = page.locator('.field').filter({ has: pattern })
  await pattern.fill('{name} {nmae}')
  await expect.poll(() => card.getByRole('alert').innerText()).toBe('There is no {nmae}.')
  await pattern.fill(' ')
  await expect.poll(() => card.getByRole('alert').innerText()).toBe('Enter a pattern.')
  await pattern.fill('../{name}: {account}')
  await expect.poll(() => card.innerText()).toContain('Example: Weekly bad traffic Northwind.zip')
  await pattern.press('Enter')

  const force = await readyReport(sandbox, 'By hand')
  const row = await listed(page, 'By hand')
  await row.getByRole('button', { name: 'Download', exact: true }).click()
  await row.getByRole('button', { name: 'Show in folder' }).waitFor(pollOptions)
  expect(namesIn(folder)).toEqual(['By hand Northwind.zip'])
  await expectSaved(folder, force)
  await row.getByRole('button', { name: 'Show in folder' }).click()
  await expect
    .poll(() => shown, pollOptions)
    .toEqual([pathToFileURL(join(folder, 'By hand Northwind.zip')).href])

  const elsewhere = await readyReport(sandbox, 'Elsewhere')
  await (await listed(page, 'Elsewhere')).getByRole('button', { name: 'Details' }).click()
  await page.getByRole('button', { name: 'Download to…' }).click()
  await expectSaved(chosen, elsewhere)
  expect(namesIn(chosen)).toEqual(['Elsewhere Northwind.zip'])

  await openView(page, 'Settings')
  await page.getByRole('radio', { name: 'Only from templates set to save' }).check()
  await page.getByRole('switch', { name: 'Unpack archives' }).click()
  const today = dayAt(Date.now(), 'UTC')
  const instance = (await firstInstance(sandbox)) as InstanceId
  const drafts = [true, false].map((save) => ({
    save,
    draft: { ...rightDraft(addDays(today, -1), instance), name: save ? 'Of a template' : 'Of another' },
  }))
  await page.evaluate(async (all) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.active : null
    const call = window.desk.call as (name: string, given: object) => Promise<unknown>
    for (const { save, draft } of all) {
      const stored: Partial<typeof draft> = { ...draft }
      delete stored.start
      delete stored.end
      const entry = { name: draft.name, draft: stored, period: 'yesterday', save }
      const saved = (await call('raw/save-template', { account, template: null, entry })) as {
        value: { id: string }
      }
      await call('raw/request', { account, draft, template: saved.value.id })
    }
  }, drafts)
  await listed(page, 'Of another')
  await sandbox.control('POST', '/clock', { advance: 3_600_000 })
  const other = await listed(page, 'Of another')
  await other.getByRole('button', { name: 'Download', exact: true }).waitFor(pollOptions)
  await expect.poll(() => namesIn(folder), pollOptions).toContain('Of a template Northwind.csv')
  expect(readFileSync(join(folder, 'Of a template Northwind.csv'), 'utf8')).toMatch(/^TIMESTAMP,/)

  await openView(page, 'Settings')
  await page.getByRole('switch', { name: 'Unpack archives' }).click()
  await page.getByRole('radio', { name: 'Every report' }).check()
  await readyReport(sandbox, 'By itself')
  await listed(page, 'By itself')
  await expect
    .poll(() => namesIn(folder), pollOptions)
    .toEqual([
      'By hand Northwind.zip',
      'By itself Northwind.zip',
      'Of a template Northwind.csv',
      'Of a template Northwind.zip',
    ])

  // All of that goes into one file, and comes back from it.
  const figures = await reportFigures(page, 'Script', 'Browsers', 'Script by browser')
  await untilChecked(sandbox)
  await openView(page, 'Settings')
  await page.getByRole('checkbox', { name: /^Include saved figures \(.*B\)$/ }).waitFor()
  await page.getByRole('button', { name: 'Back up', exact: true }).click()
  const backups = () => namesIn(folder).filter((name) => name.startsWith('Traffic Desk backup'))
  await expect.poll(backups, pollOptions).toHaveLength(1)
  const [backup = ''] = backups()
  expect(readFileSync(join(folder, backup)).includes(sandbox.tokens.admin)).toBe(false)
  renameSync(join(folder, backup), join(chosen, backup))
  await page.getByRole('radio', { name: 'None', exact: true }).check()
  await page.getByRole('button', { name: 'Restore a backup…' }).click()
  await page.getByText('It contains one account: Northwind.').waitFor()
  await page.getByText(/^It contains saved figures: .*B\./).waitFor()
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    expect(await violations(page, 'everything')).toEqual([])
  }
  // The window goes with the click.
  const restore = page.getByRole('button', { name: 'Restore and restart' })
  await restore.click().catch((error: unknown) => expect(String(error)).toContain('closed'))
  expect(await app.ended).toBe(0)
  // On another computer nothing else is there: neither what this profile had before, nor its token.
  for (const name of readdirSync(profile))
    if (!name.includes('.next')) rmSync(join(profile, name), { recursive: true })
  await emptyKeychain()
  const again = await start()
  await again.page.getByText('The backup was restored').waitFor()
  await again.page.getByText('This account has no access token').waitFor()
  expect(await reportFigures(again.page, 'Script', 'Browsers', 'Script by browser')).toEqual(figures)
  await openView(again.page, 'Settings')
  await expect.poll(() => again.page.getByRole('radio', { name: 'Every report' }).isChecked()).toBe(true)
})
