import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { inRow, rawRow } from '../helpers/raw-reports.ts'
import { ownDownloads } from '../helpers/own-downloads.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { mainNavigation } from '../helpers/window.ts'
import { countsOf, expectRows, facet, rowsOf, rowsTable } from '../rows/hands.ts'
import { namesIn } from '../saving/hands.ts'
import { readyReport } from '../saving/made-reports.ts'
import { connectByKeys, sitDown } from './hand.ts'

it('by keys alone, a saved report is opened as rows, limited, grouped, recounted, listed and made a case of', async () => {
  const { folder, env } = ownDownloads()
  const [sandbox, hand] = await Promise.all([startSandbox(), sitDown(env)])
  const { page } = hand
  const report = await readyReport(sandbox, 'Evidence', 3)
  const rows = await rowsOf(report.bytes)
  const bad = rows.filter((row) => row['RESULT'] === 'bad')
  await connectByKeys(hand, sandbox)

  await hand.menu('3', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Raw reports'))
  await rawRow(page, report.name).waitFor()
  await hand.toThis(inRow(page, report.name, 'Download'), 'Download')
  await hand.press('Enter')
  await hand.says(`“${report.name}”: Saved.`)
  await hand.menu('4', 'alt')
  await hand.hasFocus(exact(page, 'heading', 'Downloads'))
  await hand.use('button', 'Open rows')
  await expectRows(page, rows.length)

  await hand.toThis(facet(page, 'bad', bad.length), 'the rows that are bad')
  await hand.press('Enter')
  await expectRows(page, bad.length)

  await hand.use('button', 'Group by')
  const countries = countsOf(bad, 'COUNTRY')
  await hand.choose('First', 'COUNTRY')
  await hand.use('button', 'Group')
  await expectRows(page, countries.length, 'Raw rows, By COUNTRY')
  await hand.menu('Left', 'alt')
  await expectRows(page, bad.length)

  await hand.use('button', 'Recount')
  await page.getByText('The recount matches the tables.').waitFor()

  const namedLike = (words: string) => namesIn(folder).find((name) => name.includes(words))
  await hand.use('button', 'Make block list')
  await expect.poll(() => exact(page, 'button', 'Save list').getAttribute('aria-disabled')).toBe('false')
  await hand.use('button', 'Save list')
  await expect.poll(() => namedLike('Block list')).toBeDefined()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const listed = readFileSync(join(folder, namedLike('Block list') ?? ''), 'utf8').split('\n')
  const addresses = new Set(bad.map((row) => row['REMOTE ADDRESS'] ?? ''))
  expect(listed.some((line) => addresses.has(line))).toBe(true)

  await hand.use('button', 'New case')
  await expect.poll(() => exact(page, 'button', 'Create case').getAttribute('aria-disabled')).toBe('false')
  await hand.fillIn('textbox', 'Name', 'By keys')
  await hand.use('button', 'Create case')
  await exact(page, 'heading', 'By keys').waitFor()
  await page.getByText('Matches the tables.').waitFor()
  await hand.use('button', 'Save evidence pack')
  await expect.poll(() => namedLike('Case By keys')).toBeDefined()

  // Back among the rows, an address is found in everything that is saved.
  await hand.toThis(mainNavigation(page).getByRole('link', { name: 'Raw rows', exact: true }), 'Raw rows')
  await hand.press('Enter')
  const wanted = rows.find((row) => row['REMOTE ADDRESS'])?.['REMOTE ADDRESS'] ?? ''
  await hand.fillIn('searchbox', 'Search all archives', wanted)
  await hand.press('Enter')
  await page.getByRole('heading', { name: 'Rows with' }).waitFor()
  await hand.use('button', 'Rows by REMOTE ADDRESS')
  await expectRows(page, rows.filter((row) => row['REMOTE ADDRESS']?.includes(wanted)).length)
  await hand.toThis(rowsTable(page), 'the rows')
  await hand.press('ArrowDown', 'ArrowRight', 'Control+End')
  hand.end()
})
