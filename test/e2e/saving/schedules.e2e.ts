import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { readParquet } from '#test/helpers/parquet.ts'
import { startPanel } from '../helpers/panel.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView, pressInHead } from '../helpers/window.ts'
import { startDaemon } from '../raw/daemon.ts'
import { closeWindow, connectTo, ownDesk } from '../raw/desk.ts'
import { screenOf } from '../tour/screen.ts'

const A_MINUTE = 60_000

const timeAt = (instant: number) => new Date(instant).toISOString().slice(11, 16)

/** Adds a schedule that is due every day, an hour before now. */
async function addSchedule(page: Page, choose: (form: Locator) => Promise<void>) {
  await pressInHead(page, 'New schedule')
  const form = page.getByRole('dialog', { name: 'New schedule' })
  await choose(form)
  await form.getByRole('combobox', { name: 'Time zone' }).fill('UTC')
  await exact(page, 'option', 'UTC').click()
  for (const day of ['Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']) await form.getByLabel(day).check()
  await save(form, Date.now() - 60 * A_MINUTE)
}

async function save(form: Locator, due: number) {
  await form.getByLabel('Time', { exact: true }).fill(timeAt(due))
  await form.getByRole('button', { name: 'Save schedule' }).click()
  await form.waitFor({ state: 'detached' })
}

/** Has a schedule due in one to two minutes, anew if saving that took longer. */
async function makeDue(page: Page, name: string) {
  let due = 0
  while (due <= Date.now()) {
    due = Math.ceil((Date.now() + A_MINUTE) / A_MINUTE) * A_MINUTE
    await page.getByRole('button', { name: `More for ${name}` }).click()
    await page.getByRole('menuitem', { name: 'Edit…' }).click()
    await save(page.getByRole('dialog', { name: 'Edit schedule' }), due)
  }
}

const lastRuns = (page: Page) =>
  page.getByRole('table', { name: 'Schedules' }).getByRole('row').allInnerTexts()

it('makes what is due while the window is closed, once, with the figures of the screen', async () => {
  const [sandbox, panel, daemon] = await Promise.all([startSandbox(), startPanel(), startDaemon()])
  const desk = ownDesk()
  const first = desk.start()
  const page = await first.window()
  await connectTo(page, 'Northwind', sandbox)
  await panel.icon()
  // A raw report that expires is told of at the first look.
  await expect.poll(daemon.displayed, pollOptions).toBeGreaterThan(0)
  const before = (await daemon.all()).length
  await page.evaluate(() => (location.hash = '#/reports/script/browsers'))
  const seen = await screenOf(page, 'Script by browser')
  await pressInHead(page, 'Save view')
  const naming = page.getByRole('dialog', { name: 'Save view' })
  await naming.getByLabel('Name', { exact: true }).fill('Browsers')
  await exact(page, 'button', 'Save').click()
  await naming.waitFor({ state: 'detached' })

  await openView(page, 'Schedules')
  await addSchedule(page, async (form) => {
    await form.getByLabel('Browsers').check()
    await form.getByLabel('Format').selectOption({ label: 'Excel (XLSX)' })
  })
  await addSchedule(page, async (form) => {
    await form.getByLabel('Browsers').check()
    await form.getByLabel('Format').selectOption({ label: 'Parquet' })
    await form.getByLabel('Name', { exact: true }).fill('For the team')
  })
  await addSchedule(page, async (form) => {
    await form.getByLabel('What').selectOption({ label: 'Today' })
  })
  expect(readdirSync(desk.folder)).toEqual([])
  await makeDue(page, 'Browsers')
  await makeDue(page, 'For the team')
  await makeDue(page, 'Today')
  await closeWindow(page, first)

  const whole = () =>
    readdirSync(desk.folder)
      .filter((name) => !name.endsWith('.part'))
      .sort()
  await expect.poll(whole, { ...pollOptions, timeout: 5 * A_MINUTE }).toHaveLength(3)
  const files = whole()
  expect(files).toEqual([
    expect.stringMatching(/^Northwind Browsers \d{4}-\d\d-\d\d\.parquet$/),
    expect.stringMatching(/^Northwind Browsers \d{4}-\d\d-\d\d\.xlsx$/),
    expect.stringMatching(/^Northwind Today \d{4}-\d\d-\d\d\.pdf$/),
  ])
  const [parquet = '', workbook = '', today = ''] = files.map((name) => join(desk.folder, name))
  expect(readFileSync(today).subarray(0, 5).toString()).toBe('%PDF-')
  const cells = (await readSheets(workbook)).flatMap(({ data }) => data)
  const { types, rows: typed } = await readParquet(parquet)
  expect(types).toMatchObject({ Browser: 'BYTE_ARRAY UTF8', Requests: 'INT64 INT_64' })
  const [, ...rows] = seen.rows
  expect(rows.length).toBeGreaterThan(3)
  for (const shown of rows) {
    const requests = Number(shown[seen.headers.indexOf('Requests')]?.replaceAll(',', ''))
    expect(cells.find(([name]) => name === shown[0])).toContain(requests)
    expect(typed).toContainEqual(expect.objectContaining({ Browser: shown[0], Requests: BigInt(requests) }))
  }
  const told = async () => (await daemon.all()).slice(before).map(({ title }) => title)
  const news = ['Browsers: 1 file ready', 'For the team: 1 file ready', 'Today: 1 file ready']
  await expect.poll(async () => (await told()).toSorted(), pollOptions).toEqual(news)
  await first.quit()

  const second = desk.start()
  const again = await second.window()
  await openView(again, 'Schedules')
  await expect
    .poll(async () => (await lastRuns(again)).filter((text) => /Created/.test(text)), pollOptions)
    .toHaveLength(3)
  await second.quit()
  expect(readdirSync(desk.folder).sort()).toEqual(files)
  expect((await told()).toSorted()).toEqual(news)
}, 600_000)
