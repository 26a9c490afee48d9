import type { Locator, Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { startFileManager } from '../helpers/file-manager.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { inRow, rawRow } from '../helpers/raw-reports.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { otherClient } from '../raw/other-client.ts'
import { connectByKeys, sitDown } from './hand.ts'
import { pollOptions } from '../helpers/poll-options.ts'

const today = dayAt(Date.now(), 'UTC')

const entry = (page: Page, name: string): Locator =>
  exact(page, 'list', 'Downloads').getByRole('listitem').filter({ hasText: name })

const control = (page: Page, name: string, words: string): Locator =>
  entry(page, name).getByRole('button', { name: words, exact: true })

/** Writes down what live parts of the window say from now on. */
async function listen(page: Page): Promise<() => Promise<readonly string[]>> {
  const heard = await page.evaluateHandle(() => {
    const said: string[] = []
    new MutationObserver((records) => {
      for (const { target } of records) {
        const element = target instanceof Element ? target : target.parentElement
        const live = element?.closest('[aria-live="polite"], [role="status"], [role="alert"]')
        if (live) said.push(live.textContent.trim())
      }
    }).observe(document.body, { childList: true, characterData: true, subtree: true })
    return said
  })
  return () => heard.evaluate((said) => said.slice())
}

it('by keys alone, files are fetched, paused, put in order, cancelled and shown, no more is said than ends, and it is set how they are announced, named and saved', async () => {
  const { env } = ownDownloads()
  const [sandbox, shown, hand] = await Promise.all([startSandbox(), startFileManager(), sitDown(env)])
  const { page } = hand
  const other = otherClient(sandbox, addDays(today, -1))
  await connectByKeys(hand, sandbox)
  await hand.menu('3', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await rawRow(page, 'Monthly check').waitFor()

  const fetches = async () => {
    const { requests } = (await sandbox.control('GET', '/requests')) as {
      requests: readonly { path: string }[]
    }
    return requests.filter(({ path }) => path === 'download').length
  }
  const download = async (name: string) => {
    await hand.toThis(page.locator('tr [data-control="name"][tabindex="0"]'), 'the list')
    await hand.press('Home')
    const names = await page.locator('tr [data-control="name"]').allInnerTexts()
    for (let row = names.indexOf(name); row > 0; row -= 1) await hand.press('ArrowDown')
    await hand.toThis(inRow(page, name, 'Download'), `Download of ${name}`)
    await hand.press('Enter')
  }
  await download('Monthly check')
  await hand.says('“Monthly check”: Saved.')
  // Its button may have gone and come back meanwhile: the focus has stayed in the row.
  await expect.poll(() => rawRow(page, 'Monthly check').locator(':focus').count()).toBe(1)
  await hand.toThis(inRow(page, 'Monthly check', 'Show in folder'), 'Show in folder')
  await hand.press('Enter')
  await expect.poll(() => shown.length).toBe(1)

  await sandbox.control('POST', '/faults', {
    path: 'download',
    does: { kind: 'drip', bytes: 30, everyMilliseconds: 100 },
  })
  await download('Requests of yesterday')
  await hand.hasFocus(inRow(page, 'Requests of yesterday', 'Details'))
  await hand.menu('4', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Downloads'))
  const bar = exact(page, 'progressbar', 'Requests of yesterday')
  const now = async () => Number(await bar.getAttribute('aria-valuenow'))
  await expect.poll(now).toBeGreaterThan(0)
  const heard = await listen(page)
  const before = await now()
  await expect.poll(now).toBeGreaterThan(before + 3)
  // How far it is can be asked for; nobody is told of each step.
  expect(await bar.getAttribute('aria-valuetext')).toMatch(/ of .*B/)
  expect((await heard()).filter((words) => /%|\d of |B\/s|left/.test(words))).toEqual([])

  await hand.toThis(control(page, 'Requests of yesterday', 'Pause'), 'Pause')
  await hand.press('Enter')
  await hand.says('Requests of yesterday: Paused.')
  await hand.hasFocus(control(page, 'Requests of yesterday', 'Resume'))
  await sandbox.control('POST', '/faults', {
    path: 'download',
    times: null,
    does: { kind: 'delay', milliseconds: 600_000 },
  })
  const fetched = await fetches()
  await hand.press('Enter')
  await hand.hasFocus(control(page, 'Requests of yesterday', 'Pause'))
  // The clock moves on only once it runs: its address holds for less than an hour.
  await expect.poll(fetches, pollOptions).toBe(fetched + 1)

  for (const name of ['One', 'Two', 'Three', 'Four']) await other.request({ name: `Other ${name}` })
  await sandbox.control('POST', '/clock', { advance: 7_200_000 })
  await hand.menu('3', 'alt')
  await hand.use('button', 'Refresh')
  // Which two of the four wait depends on the second in which each was asked for.
  await expect.poll(() => page.getByText('Waiting to download').count(), pollOptions).toBe(2)
  await hand.menu('4', 'alt')
  const waiting = () =>
    exact(page, 'list', 'Downloads')
      .getByRole('button', { name: /^Move / })
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? ''))
  await expect.poll(waiting).toHaveLength(2)
  const [first = '', second = ''] = await waiting()
  await hand.use('button', second)
  await hand.press('ArrowUp')
  await hand.says(`${second.slice('Move '.length)}: place 5 of 6`)
  await expect.poll(waiting).toEqual([second, first])
  await hand.hasFocus(exact(page, 'button', second))
  await hand.press('Tab', 'Tab')
  await hand.hasFocus(control(page, second.slice('Move '.length), 'Cancel'))
  await hand.press('Enter')
  await hand.says(`“${second.slice('Move '.length)}” is not saved.`)
  await hand.hasFocus(exact(page, 'button', first))
  await hand.press('ControlOrMeta+z')
  await expect.poll(waiting).toEqual([first, second])

  await hand.toThis(control(page, 'Monthly check', 'Show in folder'), 'Show in folder')
  await hand.press('Enter')
  await expect.poll(() => shown.length).toBe(2)
  await hand.press('Tab')
  await hand.hasFocus(control(page, 'Monthly check', 'Remove from list'))
  await hand.press('Enter')
  await entry(page, 'Monthly check').waitFor({ state: 'detached' })
  await hand.hasFocus(control(page, 'Requests of yesterday', 'Pause'))

  await hand.menu(',', 'control')
  await hand.hasFocus(exact(page, 'heading', 'Settings'))
  const announced = page.getByRole('group', { name: 'Notify me when' }).getByRole('switch')
  for (const [place, { on, key }] of [
    { on: 'false', key: 'Space' },
    { on: 'false', key: 'Enter' },
  ].entries()) {
    await hand.toThis(announced.nth(place), 'a kind of announcement')
    await hand.press(key)
    await expect.poll(() => announced.nth(place).getAttribute('aria-checked')).toBe(on)
  }
  await hand.to('radio', 'Every report')
  await hand.press('ArrowDown', 'ArrowDown')
  await expect.poll(() => exact(page, 'radio', 'None').isChecked()).toBe(true)
  await hand.fillIn('textbox', 'File names', '{name} {nothing}')
  await hand.says('There is no {nothing}.')
  await hand.fillIn('textbox', 'File names', '{name} ')
  await hand.use('button', '{end}')
  await hand.hasFocus(exact(page, 'textbox', 'File names'))
  expect(await exact(page, 'textbox', 'File names').inputValue()).toMatch(/^\{name\} ?\{end\}$/)
  await hand.use('switch', 'Unpack archives', 'Space')
  await expect.poll(() => exact(page, 'switch', 'Unpack archives').getAttribute('aria-checked')).toBe('true')
  await hand.fillIn('textbox', /^Bandwidth limit/, '3')
  await hand.press('Enter')
  await hand.says('Enter a whole number from 10 to 1,000,000.')
  await hand.fillIn('textbox', /^Bandwidth limit/, '500')
  await hand.press('Tab')
  await page.getByText('Enter a whole number').waitFor({ state: 'detached' })
  await hand.fillIn('textbox', 'Additional columns', '12')
  await hand.press('Enter')
  await hand.menu('3', 'alt')
  await hand.use('button', 'New raw report')
  await exact(page, 'checkbox', 'Additional 12').waitFor()
  hand.end()
})
