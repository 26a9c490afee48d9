import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { inRow, rawRow } from '../helpers/raw-reports.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import type { RunningSandbox } from '../helpers/sandbox.ts'
import { otherClient } from '../raw/other-client.ts'
import { connectByKeys, sitDown } from './hand.ts'
import type { Hand } from './hand.ts'

const today = dayAt(Date.now(), 'UTC')

/** More reports than a window holds, asked for by somebody else. */
async function fillList(sandbox: RunningSandbox): Promise<void> {
  const other = otherClient(sandbox, addDays(today, -1))
  for (let report = 1; report <= 14; report += 1) await other.request({ name: `Report ${report}` })
}

/** The report whose row has the focus, and which of its controls. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const row = document.activeElement?.closest('tr')
    const name = row?.querySelector('[data-control="name"]')?.textContent
    const { activeElement } = document
    return [name?.trim(), activeElement?.getAttribute('aria-label') ?? activeElement?.textContent.trim()]
  })

async function chooseInstance(hand: Hand): Promise<void> {
  const field = await hand.to('combobox', 'Instance')
  await hand.type('northwind n')
  await hand.page.locator('div[role="option"]').filter({ hasText: 'Northwind News' }).waitFor()
  await hand.press('Enter')
  await expect.poll(() => field.inputValue()).toBe('Northwind News')
  await hand.hasFocus(field)
}

it('by keys alone, a raw report is asked for, mended, looked into, cancelled and removed', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  const { page } = hand
  await connectByKeys(hand, sandbox)
  await hand.menu('3', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await rawRow(page, 'Monthly check').waitFor()
  await hand.use('button', 'New raw report')
  await hand.hasFocus(exact(page, 'heading', 'New raw report'))

  // What is wrong is gone to, and said.
  await hand.use('button', 'Request report')
  await hand.says('Choose an instance.')
  await hand.hasFocus(exact(page, 'combobox', 'Instance'))
  await chooseInstance(hand)
  await page.getByText('Choose an instance.').waitFor({ state: 'detached' })
  await hand.choose('Type', 'Direct')
  const end = await hand.to('textbox', 'End')
  await hand.type(addDays(today, 2))
  await hand.says('End is later than today.')
  await hand.press('Tab')
  await hand.to('textbox', 'End')
  await hand.type(addDays(today, -1))
  expect(await end.inputValue()).toBe(addDays(today, -1))
  const period = page.getByRole('group', { name: 'Period' }).getByRole('button')
  await hand.use('button', /^Period: /)
  await exact(page, 'dialog', 'Choose days').waitFor()
  await hand.press('Escape')
  await hand.hasFocus(period)
  await hand.press('Enter')
  await hand.use('button', 'Last 7 days')
  await hand.hasFocus(period)
  expect(await end.inputValue()).toBe(addDays(today, -1))

  await hand.use('button', 'None')
  await hand.says('Choose at least one standard column.')
  await hand.use('checkbox', 'Country', 'Space')
  await page.getByText('Choose at least one').waitFor({ state: 'detached' })
  await hand.use('checkbox', 'Additional 2', 'Space')
  await hand.use('button', 'Add filter')
  await hand.hasFocus(page.getByRole('group', { name: 'Filter 1' }).getByLabel('Column'))
  await hand.says(/^\s*Filter of .* added/)
  await hand.choose('Column', 'Additional 2')
  await hand.choose('Operator', 'is empty')
  await hand.use('button', 'Remove filter 1')
  await hand.says('Filter removed.')
  await hand.hasFocus(exact(page, 'button', 'Add filter'))
  await hand.press('Enter')
  await hand.choose('Column', 'Country')
  await hand.fillIn('textbox', 'Name', 'By keys')
  await hand.press('Enter')
  await hand.says('Enter a value.')
  await hand.hasFocus(exact(page, 'textbox', 'Value'))
  await hand.type('Germany')
  await hand.use('switch', 'Email me when ready', 'Space')
  await hand.use('button', 'Request report')
  await hand.says('“By keys” requested.')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))

  // The arrows lead from row to row, and stay in their column.
  await rawRow(page, 'By keys').waitFor()
  await hand.to('link', 'By keys')
  await hand.press('ArrowDown')
  expect(await focused(page)).toEqual(['Requests of yesterday', 'Requests of yesterday'])
  await hand.press('End')
  expect(await focused(page)).toEqual(['Monthly check', 'Monthly check'])
  await hand.press('Tab', 'ArrowUp', 'Home')
  expect(await focused(page)).toEqual(['By keys', 'Details'])
  await hand.press('Enter')
  await hand.hasFocus(exact(page, 'heading', 'By keys'))
  await hand.to('button', 'Request again…')
  await hand.press('Escape')
  await expect.poll(() => focused(page)).toEqual(['By keys', 'By keys'])

  // A dialog above the details takes Escape for itself.
  await hand.press('Enter')
  await hand.hasFocus(exact(page, 'heading', 'By keys'))
  await hand.use('button', 'Templates')
  await exact(page, 'dialog', 'Templates').waitFor()
  await hand.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await hand.hasFocus(exact(page, 'button', 'Templates'))
  await exact(page, 'heading', 'By keys').waitFor()
  // It does so before the focus has come into it.
  await hand.press('Enter')
  await exact(page, 'dialog', 'Templates').waitFor()
  await page.locator('body').dispatchEvent('keydown', { key: 'Escape' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await exact(page, 'heading', 'By keys').waitFor()
  await hand.use('button', 'Close details')
  await expect.poll(() => focused(page)).toEqual(['By keys', 'By keys'])

  await hand.toThis(inRow(page, 'By keys', 'Cancel report'), 'Cancel report')
  await hand.press('Enter')
  await hand.says('“By keys” was cancelled.')
  await expect.poll(() => focused(page)).toEqual(['By keys', 'Details'])
  await hand.toThis(inRow(page, 'By keys', 'Remove'), 'Remove')
  await hand.press('Enter')
  await hand.says('“By keys” is being removed.')
  await expect.poll(() => focused(page)).toEqual(['By keys', 'Undo'])
  await hand.press('Enter')
  await hand.says('“By keys” stays.')
  await expect.poll(() => focused(page)).toEqual(['By keys', 'Details'])
  await hand.press('Delete')
  await hand.says('“By keys” is being removed.')
  await hand.press('ControlOrMeta+z')
  await inRow(page, 'By keys', 'Undo').waitFor({ state: 'detached' })
  await expect.poll(() => focused(page)).toEqual(['By keys', 'Details'])

  // Several at once, from the table and from what is said above it.
  await hand.press('Shift+Tab', 'Shift+Tab', 'Space')
  await hand.says('1 selected')
  await hand.press('ArrowDown', 'ArrowDown')
  await hand.press('Shift+Space')
  await hand.says('3 selected')
  await hand.press('Delete')
  await hand.says('3 reports are being removed.')
  await hand.press('ControlOrMeta+z')
  await hand.says('3 reports stay.')
  // A row that is still drawn as being removed is not removed again.
  await inRow(page, 'By keys', 'Undo').waitFor({ state: 'detached' })
  await hand.use('button', 'Clear selection')
  await expect.poll(() => focused(page)).toEqual(['Bad at 50%+ / "é 中"', 'Select'])
  await hand.press('Home', 'Delete')
  await rawRow(page, 'By keys').waitFor({ state: 'detached', timeout: 30_000 })
  await expect.poll(() => focused(page)).toEqual(['Requests of yesterday', 'Select'])
  hand.end()
})

it('by keys alone, every row of a long list is reached, and none lies beneath its headers', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  const { page } = hand
  await fillList(sandbox)
  await connectByKeys(hand, sandbox)
  await hand.menu('3', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  const place = () =>
    page.evaluate(() => {
      const row = document.activeElement?.closest('tr')
      return row ? [...document.querySelectorAll('tr[data-report]')].indexOf(row) : -1
    })
  const upAndDown = async (control: string) => {
    await hand.toThis(page.locator(`tr [data-control="${control}"][tabindex="0"]`), control)
    await hand.press('End')
    expect(await place()).toBe(19)
    for (let row = 18; row >= 0; row -= 1) await hand.press('ArrowUp')
    expect(await place()).toBe(0)
  }
  await upAndDown('name')
  await upAndDown('Remove')
  for (let press = 0; press < 8; press += 1) await hand.menu('=', 'control')
  await upAndDown('pick')
  // What is said at the window's foot comes, and covers nothing that has the focus.
  await hand.press('End', 'Delete')
  await hand.says('is being removed.')
  await hand.isSane('a message')
  hand.end()
})

it('by keys alone, templates are kept and scheduled, and what waits is put in order', async () => {
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown()])
  // The first goes on for as long as the others are to wait, however slowly keys are pressed.
  await sandbox.control('POST', '/behaviour', { raw: { secondsPerMinute: 3600 } })
  const { page } = hand
  await connectByKeys(hand, sandbox)
  await hand.menu('3', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await hand.use('button', 'New raw report')
  await chooseInstance(hand)
  await hand.use('button', 'Save as template')
  await hand.hasFocus(exact(page, 'textbox', 'Template name'))
  await hand.press('Enter')
  await hand.says('Enter a name for the template.')
  await hand.type('Weekly')
  await hand.press('Enter')
  await hand.says('Template saved: “Weekly”.')
  await hand.hasFocus(exact(page, 'button', 'Save as template'))
  await hand.use('button', 'Cancel')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))

  await hand.use('button', 'Templates')
  const dialog = exact(page, 'dialog', 'Templates')
  await dialog.waitFor()
  await hand.use('button', 'Schedule Weekly')
  await hand.hasFocus(exact(page, 'combobox', 'Repeat'))
  await hand.choose('Repeat', 'Every month')
  await hand.choose('Day of the month', '3rd')
  await hand.use('button', 'Add schedule')
  await hand.says('“Weekly” is requested automatically: On the 3rd of every month at 06:00.')
  await hand.hasFocus(exact(page, 'button', 'Schedule Weekly'))
  await hand.use('button', /^Pause: On the 3rd/)
  await hand.hasFocus(page.getByRole('button', { name: /^Resume: On the 3rd/ }))
  await hand.use('button', /^Remove: On the 3rd/)
  await page.getByRole('button', { name: /^Remove: On the 3rd/ }).waitFor({ state: 'detached' })
  await expect.poll(() => dialog.evaluate((each) => each.contains(document.activeElement))).toBe(true)
  await hand.isSane('Remove a schedule')
  await hand.use('button', 'Use Weekly')
  await hand.hasFocus(exact(page, 'heading', 'New raw report'))

  for (const name of ['Goes first', 'Waits second', 'Waits third']) {
    if (name !== 'Goes first') {
      await hand.use('button', 'New raw report')
      await hand.choose('Template', 'Weekly')
    }
    await hand.fillIn('textbox', 'Name', name)
    await hand.press('Enter')
    await hand.says(name === 'Goes first' ? '“Goes first” requested.' : `“${name}” is waiting in the queue`)
    await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  }
  const waiting = () =>
    exact(page, 'list', 'Waiting requests').getByRole('listitem').locator('strong').allInnerTexts()
  await expect.poll(waiting).toEqual(['Waits second', 'Waits third'])
  await hand.to('button', 'Move Waits third')
  await hand.press('ArrowUp')
  await hand.says('Waits third: place 1 of 2')
  await hand.hasFocus(exact(page, 'button', 'Move Waits third'))
  await expect.poll(waiting).toEqual(['Waits third', 'Waits second'])
  await hand.use('button', 'Change Waits third')
  await hand.hasFocus(page.getByRole('heading', { level: 1 }))
  await hand.use('button', 'Cancel')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await hand.use('button', 'Remove Waits third')
  await hand.says('“Waits third” was removed.')
  await hand.hasFocus(exact(page, 'button', 'Move Waits second'))
  await hand.use('button', 'Remove Waits second')
  await exact(page, 'list', 'Waiting requests').waitFor({ state: 'detached' })
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await hand.use('button', 'Templates')
  await hand.use('button', 'Remove Weekly')
  await hand.says('“Weekly” is removed.')
  await hand.isSane('Remove Weekly')
  expect(await dialog.evaluate((each) => each.contains(document.activeElement))).toBe(true)
  await hand.press('Escape')
  await hand.hasFocus(exact(page, 'button', 'Templates'))

  // At twice the size the details take the place of the list, and give it back.
  for (let press = 0; press < 8; press += 1) await hand.menu('=', 'control')
  await expect.poll(() => page.evaluate(() => innerWidth)).toBeLessThanOrEqual(640)
  await hand.to('link', 'Goes first')
  await hand.press('Enter')
  await hand.hasFocus(exact(page, 'heading', 'Goes first'))
  await exact(page, 'table', 'Raw reports').waitFor({ state: 'hidden' })
  await hand.press('Escape')
  await expect.poll(() => focused(page)).toEqual(['Goes first', 'Goes first'])
  await hand.isSane('Escape')
  await hand.use('button', 'New raw report')
  await hand.use('button', 'Request report')
  await hand.hasFocus(exact(page, 'combobox', 'Instance'))
  await hand.to('button', 'Cancel')
  hand.end()
})
