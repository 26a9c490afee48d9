import { DuckDBInstance } from '@duckdb/node-api'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import readSheets from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { addDays, dayAt } from '#shared/values/day.ts'
import { filesInZip } from '#test/helpers/files-in-zip.ts'
import { pagesOfPdf } from '#test/helpers/pdf-text.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectedDesk, namesIn } from '../saving/hands.ts'
import { counted, tableOf } from './hands.ts'
import { Pressing } from '../tour/pressing.ts'

const MAX_CLICKS = 8

/** What a statement over the rows of a pack says, by another engine than the app's own process. */
async function sqlOver(csv: string, sql: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  const rows = `read_csv('${csv.replaceAll("'", "''")}', header = true, all_varchar = true)`
  const found = await connection.runAndReadAll(sql.replaceAll('ROWS', rows))
  connection.closeSync()
  instance.closeSync()
  return found.getRows().map(([value]) => (typeof value === 'bigint' ? Number(value) : value))
}

it('makes a bad number over all instances a pack of evidence, begun before any archive is there', async () => {
  const sandbox = await startSandbox()
  await sandbox.control('POST', '/behaviour', {
    raw: { concurrency: 1000, minutes: 100_000, secondsPerMinute: 1 },
  })
  const desk = await connectedDesk(sandbox, 'None')
  const { page } = desk
  const today = dayAt(Date.now(), 'UTC')
  const [start, end] = [addDays(today, -6), addDays(today, -4)]
  await page.evaluate((hash) => (location.hash = hash), `#/reports/script/sources?start=${start}&end=${end}`)
  const ask = exact(page, 'button', 'Load')
  const row = page.getByRole('grid').getByRole('row').nth(2)
  await row.or(ask).first().waitFor()
  if (await ask.isVisible()) await ask.click()
  const cell = row.getByRole('rowheader').or(row.getByRole('gridcell')).first()
  await cell.waitFor()
  const source = (await cell.innerText()).trim()
  const by = new Pressing(page)
  await by.menu(cell)
  await by.click(page.getByRole('menuitem', { name: /^New case of/ }))
  await page.getByRole('heading', { name: 'In short' }).waitFor()
  const steps = exact(page, 'region', 'Steps')
  const isDone = (words: string) =>
    expect
      .poll(
        () =>
          steps
            .getByRole('listitem')
            .filter({ hasText: `${words}, done` })
            .count(),
        pollOptions,
      )
      .toBe(1)
  await isDone('Figures')
  await page.getByText('No raw rows back up these figures.').waitFor()

  // What is missing is said before anything is saved.
  await exact(page, 'button', 'Save evidence pack').click()
  await exact(page, 'dialog', 'Save an incomplete pack?')
    .getByText(/^Raw rows: none/)
    .waitFor()
  await page.keyboard.press('Escape')

  await by.click(steps.getByRole('button', { name: 'Add rows' }))
  const dialog = exact(page, 'dialog', 'Add rows')
  await by.click(dialog.getByRole('button', { name: /^Request \d+ raw reports?$/ }))
  await dialog.waitFor({ state: 'detached' })
  await isDone('Rows requested')
  const address = await page.evaluate(() => location.hash)
  // The service makes them while the case is not looked at; they are saved and read in though nothing else is.
  await openView(page, 'Raw reports')
  const ready = page.getByRole('table', { name: 'Raw reports' }).getByRole('row').filter({ hasText: 'Ready' })
  await expect
    .poll(async () => {
      await sandbox.control('POST', '/clock', { advance: 600_000 })
      await page.getByRole('button', { name: 'Refresh', exact: true }).click()
      return await ready.count()
    }, pollOptions)
    .toBeGreaterThan(1)
  await page.evaluate((hash) => (location.hash = hash), address)
  await isDone('Rows imported')
  await isDone('Recounted')

  const figures = await tableOf(page, 'Figures')
  const figure = (name: string) => counted(figures.find(([first]) => first === name)?.[1])
  await by.click(exact(page, 'button', 'Save evidence pack'))
  const saved = () => namesIn(desk.folder).find((name) => name.includes('Case '))
  await expect.poll(saved, pollOptions).toBeDefined()
  const scope = `Script, all instances, ${start} to ${end}`
  expect(saved()).toContain(scope)
  await isDone('Pack saved')
  expect(by.times, 'clicks from the bad number to its pack').toBeLessThanOrEqual(MAX_CLICKS)
  await steps.getByRole('button', { name: 'Mark as sent' }).click()
  await isDone('Sent')

  const files = await filesInZip(join(desk.folder, saved() ?? ''))
  expect(
    [...files.keys()].filter((name) => !name.endsWith('SHA256SUMS')).every((name) => name.includes(scope)),
  ).toBe(true)
  const fileOf = (ending: string) =>
    [...files].find(([name]) => name.endsWith(ending))?.[1] ?? Buffer.alloc(0)

  // Every page names the scope at its head.
  const pages = pagesOfPdf(fileOf('.pdf')).map((text) => text.normalize('NFKC').replaceAll(/\s+/g, ' '))
  expect(pages.length).toBeGreaterThan(1)
  for (const text of pages)
    expect(text).toContain(`Script · All instances · Source ${source} · All campaigns`)
  expect(pages[0]).toContain('Nothing. Figures are complete')
  const sheets = await readSheets(fileOf('.xlsx'))
  for (const { data } of sheets)
    expect(String(data[1]?.[0])).toContain(`Script · All instances · Source ${source}`)

  // Three figures of the tables are what the rows say.
  const csv = join(temporaryFolder('pack'), 'rows.csv')
  writeFileSync(csv, fileOf('Raw rows.csv'))
  for (const [name, result] of [
    ['Good', 'good'],
    ['Warning', 'warning'],
    ['Bad', 'bad'],
  ] as const)
    expect(await sqlOver(csv, `SELECT count(*) FROM ROWS WHERE RESULT = '${result}'`)).toEqual([figure(name)])
  expect(await sqlOver(csv, 'SELECT DISTINCT SOURCE FROM ROWS')).toEqual([source])
  const byDay = (await tableOf(page, 'By day')).slice(1).map((cells) => counted(cells.at(-1)))
  expect(
    await sqlOver(
      csv,
      'SELECT count(*) FILTER (RESULT = \'bad\') FROM ROWS GROUP BY left("TIMESTAMP", 10) ORDER BY left("TIMESTAMP", 10)',
    ),
  ).toEqual(byDay)
  expect(byDay.reduce((a, b) => a + b)).toBe(figure('Bad'))
})
