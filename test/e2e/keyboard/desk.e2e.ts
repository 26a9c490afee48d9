import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { exact, gridOf } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { connectByKeys, sitDown } from './hand.ts'

it('by keys alone, figures are taken out, and views kept, ordered, copied, deleted and taken back', async () => {
  const { folder, env } = ownDownloads()
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown(env)])
  const { page } = hand
  await connectByKeys(hand, sandbox)
  await hand.call('Script by browser')
  await gridOf(page, 'Script by browser').waitFor()

  await hand.menu('E', 'control')
  await hand.hasFocus(page.getByRole('menuitem').first())
  await hand.press('Enter')
  await hand.says(/is saved as .*\.csv/)
  const [file = ''] = readdirSync(folder)
  expect(readFileSync(join(folder, file), 'utf8')).toContain('"Browser","Requests"')
  await hand.hasFocus(exact(page, 'button', 'Export'))

  for (const name of ['Mornings', 'Evenings']) {
    await hand.menu('D', 'control')
    await hand.hasFocus(page.getByRole('dialog').locator('button, input').first())
    await hand.fillIn('textbox', /^(Name|Or save it as)$/, name)
    await hand.press('Enter')
    await hand.says(`Saved as “${name}”`)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await hand.choose('Dimension', 'Operating systems')
    await gridOf(page, 'Script by operating system').waitFor()
  }

  await hand.use('button', /^Views/)
  const panel = page.getByRole('dialog', { name: 'Views' })
  const names = () => panel.locator('ul .name').allInnerTexts()
  await hand.hasFocus(panel.getByRole('link').first())
  await expect.poll(names).toEqual(['Mornings', 'Evenings'])
  await hand.use('button', 'Move Evenings')
  await hand.press('ArrowUp')
  await expect.poll(names).toEqual(['Evenings', 'Mornings'])
  await hand.says('Evenings: place 1 of 2')
  await hand.hasFocus(exact(page, 'button', 'Move Evenings'))
  const fromMenu = async (view: string, item: string) => {
    await hand.use('button', `More for ${view}`)
    await hand.hasFocus(page.getByRole('menuitem').first())
    await hand.type(item)
    await hand.hasFocus(exact(page, 'menuitem', item))
    await hand.press('Enter')
  }
  await fromMenu('Evenings', 'Rename')
  await hand.hasFocus(panel.getByRole('textbox'))
  await hand.type('Nights')
  await hand.press('Enter')
  await expect.poll(names).toEqual(['Nights', 'Mornings'])
  await hand.hasFocus(panel.getByRole('link').first())
  await fromMenu('Nights', 'Duplicate')
  await hand.says('Saved a copy as')
  expect(await names()).toHaveLength(3)
  await fromMenu('Mornings', 'Delete')
  await hand.says('“Mornings” is deleted')
  await expect.poll(async () => (await names()).includes('Mornings')).toBe(false)
  await hand.press('ControlOrMeta+z')
  await expect.poll(async () => (await names()).includes('Mornings')).toBe(true)
  await hand.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await hand.hasFocus(page.getByRole('button', { name: /^Views/ }))
  await hand.call('Mornings')
  await gridOf(page, 'Script by browser').waitFor()
  hand.end()
})

it('by keys alone, accounts are added and changed, and the desk is set as one likes it', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  const { page } = hand
  await connectByKeys(hand, sandbox)
  await hand.use('button', 'Account: Northwind')
  await hand.hasFocus(page.getByRole('menuitemradio').first())
  await hand.press('ArrowDown', 'Enter')
  await hand.hasFocus(exact(page, 'heading', 'Connect to your reporting service'))
  await hand.use('button', 'Explore sample data')
  await exact(page, 'button', 'Account: Sample data').waitFor()
  await hand.hasFocus(exact(page, 'heading', 'Overview'))
  await hand.press('ControlOrMeta+1')
  await hand.says('Now showing Northwind')
  await exact(page, 'button', 'Account: Northwind').waitFor()
  await hand.press('ControlOrMeta+2')
  await hand.says('Now showing Sample data')

  await hand.menu(',', 'control')
  await hand.hasFocus(exact(page, 'heading', 'Settings'))
  const theme = () => page.evaluate(() => matchMedia('(prefers-color-scheme: dark)').matches)
  await hand.to('radio', 'As the system')
  await hand.press('ArrowDown', 'ArrowDown')
  await expect.poll(() => exact(page, 'radio', 'Dark').isChecked()).toBe(true)
  await expect.poll(theme).toBe(true)
  await hand.press('ArrowUp')
  await expect.poll(theme).toBe(false)
  await hand.use('button', 'Use this account')
  await hand.says('Now showing Northwind')
  await hand.toThis(page.getByRole('button', { name: 'Edit account' }).first(), 'Edit account')
  await hand.press('Enter')
  const dialog = page.getByRole('dialog')
  await hand.hasFocus(dialog.getByRole('textbox').first())
  // Round in a circle: the dialog keeps the focus.
  for (let stop = 0; stop < 14; stop += 1) {
    await hand.press('Tab')
    expect(await dialog.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  }
  await hand.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await hand.hasFocus(page.getByRole('button', { name: 'Edit account' }).first())

  const width = () => page.evaluate(() => innerWidth)
  for (let press = 0; press < 8; press += 1) await hand.menu('=', 'control')
  await expect.poll(width).toBeLessThanOrEqual(640)
  await hand.menu('2', 'alt')
  await page.getByRole('grid').waitFor()
  await hand.to('combobox', 'Family')
  await hand.to('button', 'Save view')
  await hand.menu('0', 'control')
  await expect.poll(width).toBe(1280)
  hand.end()
})
