import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { dropOn } from '#test/helpers/drop-on.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectedDesk, download, namesIn, press, says } from '../saving/hands.ts'
import { readyReport } from '../saving/made-reports.ts'
import { countsOf, expectRows, facet, rowsOf, rowsTable } from './hands.ts'

it('opens a saved report as rows, filters, groups and recounts them, and all that without the service too', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const report = await readyReport(sandbox, 'Evidence', 5)
  const rows = await rowsOf(report.bytes)
  await download(page, report.name)
  await openView(page, 'Downloads')
  await says(page, report.name, /Saved /)
  await press(page, report.name, 'Open rows')
  await expectRows(page, rows.length)

  // By what stands beside the rows.
  const bad = rows.filter((row) => row['RESULT'] === 'bad')
  await facet(page, 'bad', bad.length).click()
  await expectRows(page, bad.length)
  const [[source, max] = ['', 0]] = countsOf(bad, 'SOURCE')
  await facet(page, source, max).click()
  await expectRows(page, max)
  await page.evaluate(() => history.back())
  await expectRows(page, bad.length)

  // Grouped, by the keys alone.
  await exact(page, 'button', 'Group by').focus()
  await page.keyboard.press('Enter')
  await page.getByLabel('First').selectOption('value COUNTRY')
  await page.getByLabel('First').press('Enter')
  await exact(page, 'button', 'Group').press('Enter')
  const countries = countsOf(bad, 'COUNTRY')
  await expectRows(page, countries.length, 'Raw rows, By COUNTRY')
  const first = rowsTable(page, 'Raw rows, By COUNTRY').getByRole('row').nth(1)
  await expect
    .poll(() => first.locator('td').first().innerText(), pollOptions)
    .toBe((countries[0]?.[1] ?? 0).toLocaleString('en-US'))
  await page.evaluate(() => history.back())

  // A block list of them, made by the keys alone and read back from the disk.
  await expectRows(page, bad.length)
  await exact(page, 'button', 'Make block list').focus()
  await page.keyboard.press('Enter')
  const save = exact(page, 'button', 'Save list')
  // What goes into it is counted first.
  await expect.poll(() => save.getAttribute('aria-disabled'), pollOptions).toBe('false')
  await save.press('Enter')
  const listed = () => namesIn(desk.folder).find((name) => name.includes('Block list'))
  await expect.poll(listed, pollOptions).toBeDefined()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const text = readFileSync(join(desk.folder, listed() ?? ''), 'utf8')
  const singles = text.split('\n').filter((line) => line !== '' && !line.includes('/'))
  const addresses = new Set(bad.map((row) => row['REMOTE ADDRESS']))
  expect(singles.length).toBeGreaterThan(0)
  expect(singles.filter((line) => line.includes('.') && !addresses.has(line))).toEqual([])

  // Beside the figures of the tables.
  await exact(page, 'button', 'Recount').press('Enter')
  await page.getByText('The recount matches the tables.').waitFor()

  // A case of the worst source, made by the keys alone and read back from the disk.
  await exact(page, 'button', 'New case').focus()
  await page.keyboard.press('Enter')
  const worst = page.getByRole('dialog').getByLabel('Which one')
  await expect.poll(() => worst.inputValue(), pollOptions).toBe('0')
  await page.getByRole('dialog').getByLabel('Name', { exact: true }).focus()
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Worst of the week')
  await page.keyboard.press('Tab')
  await page.keyboard.type('Paid in advance.')
  await exact(page, 'button', 'Create case').press('Enter')
  await exact(page, 'heading', 'Worst of the week').waitFor()
  const packed = rows.filter((row) => row['SOURCE'] === source)
  await page.getByText(`Raw rows behind it: ${packed.length.toLocaleString('en-US')}`).waitFor()
  await page.getByText('Matches the tables.').waitFor()
  await exact(page, 'button', 'Save evidence pack').press('Enter')
  const saved = () => namesIn(desk.folder).find((name) => name.includes('Case Worst of the week'))
  await expect.poll(saved, pollOptions).toBeDefined()
  const files = await filesInZip(join(desk.folder, saved() ?? ''))
  const [place = ''] = [...files.keys()].map((name) => name.split('/')[0] ?? '')
  expect(place).toMatch(/^Case Worst of the week - Script, .+, \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d$/)
  const fileOf = (name: string) => files.get(`${place}/${name}`) ?? Buffer.alloc(0)
  expect([...files.keys()]).toEqual(
    [`${place}.pdf`, `${place}.xlsx`, `${place} - Raw rows.csv`, 'SHA256SUMS'].map(
      (name) => `${place}/${name}`,
    ),
  )
  for (const line of fileOf('SHA256SUMS').toString().trimEnd().split('\n')) {
    const [sum = '', name = ''] = line.split('  ')
    expect(createHash('sha256').update(fileOf(name)).digest('hex')).toBe(sum)
  }
  expect(fileOf(`${place}.pdf`).subarray(0, 5).toString()).toBe('%PDF-')
  expect(fileOf(`${place} - Raw rows.csv`).toString().trimEnd().split('\n')).toHaveLength(packed.length + 1)

  // What the rows came to by themselves stands with the report.
  await openView(page, 'Raw reports')
  await page.getByRole('link', { name: report.name, exact: true }).click()
  await page.getByText('Matches the tables', { exact: true }).waitFor()
  await exact(page, 'button', 'Show recount').click()
  await page.getByText('The recount matches the tables.').waitFor()
  await facet(page, 'bad', bad.length).click()
  await expectRows(page, bad.length)

  // The same after the app was ended, and while nothing answers.
  const address = await page.evaluate(() => location.hash)
  await desk.app.quit()
  await sandbox.kill()
  const again = await desk.start()
  await openView(again.page, 'Raw rows')
  await again.page.evaluate((hash) => (location.hash = hash), address)
  await expectRows(again.page, bad.length)
  await exact(again.page, 'button', 'Clear all')
    .or(again.page.getByLabel('Remove the filter RESULT is'))
    .first()
    .click()
  await expectRows(again.page, rows.length)

  // What holds more bad rows than its share is looked for, and left again, by the keys alone.
  await exact(again.page, 'button', 'Clusters').press('Enter')
  const [all, wrong] = [rows.length, bad.length].map((each) => each.toLocaleString('en-US'))
  await again.page.getByText(new RegExp(`^${wrong} of ${all} rows are bad .*values stand out`)).waitFor()
  await exact(again.page, 'button', 'Clusters').press('Enter')
  await expectRows(again.page, rows.length)

  // The case is there, and made again of what is kept.
  await openView(again.page, 'Cases')
  await exact(again.page, 'link', 'Worst of the week').press('Enter')
  await exact(again.page, 'heading', 'Worst of the week').waitFor()
  await exact(again.page, 'button', 'Update').press('Enter')
  await again.page.getByText('Nothing changed.').waitFor()
  await openView(again.page, 'Raw rows')

  // An address is found in everything that is saved.
  const wanted = rows.find((row) => row['REMOTE ADDRESS'])?.['REMOTE ADDRESS'] ?? ''
  await exact(again.page, 'searchbox', 'Search all archives').fill(wanted)
  await again.page.getByRole('heading', { name: 'Rows with' }).waitFor()
  await exact(again.page, 'button', 'Rows by REMOTE ADDRESS').click()
  await expectRows(again.page, rows.filter((row) => row['REMOTE ADDRESS']?.includes(wanted)).length)
  await again.quit()
})

it('reads in a ZIP that is dropped on the window, and refuses what is no table', async () => {
  const sandbox = await startSandbox()
  const { page } = await connectedDesk(sandbox, 'None')
  const report = await readyReport(sandbox, 'Dropped', 2)
  const rows = await rowsOf(report.bytes)
  const folder = temporaryFolder('dropped')
  const [zip, picture] = [join(folder, 'old report.zip'), join(folder, 'picture.png')]
  writeFileSync(zip, report.bytes)
  writeFileSync(picture, 'no picture')
  await dropOn(page, picture)
  await page.getByText('“picture.png” was not imported. Use ZIP or CSV.').waitFor()
  await dropOn(page, zip)
  await exact(page, 'heading', 'old report.zip').waitFor()
  await expectRows(page, rows.length)
})
