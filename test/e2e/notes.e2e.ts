import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { startDesk } from './helpers/app.ts'
import { violations } from './helpers/axe.ts'
import { temporaryFolder } from './helpers/folders.ts'
import { startSandbox } from './helpers/sandbox.ts'
import { connect } from './helpers/window.ts'

const text = 'Partner paused, case 12'

const listOf = (page: Page) => page.getByRole('list', { name: 'Notes: Script by day' }).getByRole('listitem')

/** Moves the focus to the next control of this name, as a person does with Tab. */
async function tabTo(page: Page, name: RegExp | string): Promise<void> {
  const control = page.getByRole('button', { name }).first()
  for (let presses = 0; presses < 100; presses += 1) {
    if (await control.evaluate((element) => element === document.activeElement)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not reach ${String(name)}`)
}

it('adds a note from a day of a chart by keyboard, which stays through a restart without the service, until deleted', async () => {
  const sandbox = await startSandbox()
  const profile = temporaryFolder('notes')
  const first = await startDesk({ profile })
  await connect(first.page, { name: 'Acme', address: sandbox.address, token: sandbox.tokens.admin })
  const script = first.page.getByRole('region', { name: 'Script', exact: true })
  await script.getByRole('button', { name: 'Show as table' }).waitFor()
  expect(await listOf(first.page).count()).toBe(0)

  await tabTo(first.page, 'Show as table')
  await first.page.keyboard.press('Enter')
  const day = script.getByRole('table').getByRole('button').nth(3)
  await day.waitFor()
  await day.focus()
  await first.page.keyboard.press('Shift+F10')
  const item = first.page.getByRole('menuitem', { name: 'Add note', exact: true })
  await item.waitFor()
  await first.page.keyboard.press('ArrowUp')
  await first.page.keyboard.press('ArrowUp')
  await first.page.keyboard.press('Enter')
  await first.page.getByLabel('Note', { exact: true }).waitFor()
  expect(await violations(first.page, 'everything')).toEqual([])
  await first.page.keyboard.type(text)
  await first.page.keyboard.press('Enter')
  await first.page.getByRole('dialog').waitFor({ state: 'detached' })
  await listOf(first.page).getByText(text).waitFor()
  expect(await day.textContent()).toMatch(/\(note 1\)$/)
  expect(await violations(first.page, 'everything')).toEqual([])
  expect(await first.quit()).toBe(0)

  await sandbox.kill()
  const { page } = await startDesk({ profile })
  await listOf(page).getByText(text).waitFor()
  expect(await listOf(page).count()).toBe(1)
  await tabTo(page, `Delete note 1: ${text}`)
  await page.keyboard.press('Enter')
  await page.getByText('Note deleted.').first().waitFor()
  await listOf(page).waitFor({ state: 'detached' })
})
