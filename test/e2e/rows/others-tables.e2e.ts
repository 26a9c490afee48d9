import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import readSheets from 'read-excel-file/node'
import { expect, it } from 'vitest'
import { dropOn } from '#test/helpers/drop-on.ts'
import { readCsv } from '#test/src-main/sandbox/raw/read-archive.ts'
import { pollOptions } from '../helpers/poll-options.ts'
import { exact } from '../helpers/reports.ts'
import { startSandbox } from '../helpers/sandbox.ts'
import { openView } from '../helpers/window.ts'
import { connectedDesk, namesIn } from '../saving/hands.ts'
import { expectRows, rowsTable } from './hands.ts'

type Desk = Awaited<ReturnType<typeof connectedDesk>>

const tables = resolve('test/fixtures/tables')
const textOf = (file: string) =>
  readFileSync(join(tables, file), 'utf8')
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r?\n/g, '\r\n')

/** Drops a table on the window, makes the choices of its preview, and waits for its rows. Returns the address of the rows. */
async function open(
  page: Page,
  file: string,
  rows: number,
  choices: Readonly<Record<string, string>> = {},
): Promise<string> {
  await dropOn(page, join(tables, file))
  if (Object.keys(choices).length > 0) {
    const preview = exact(page, 'dialog', 'How this file is read')
    for (const [label, choice] of Object.entries(choices))
      await preview.getByLabel(label, { exact: true }).selectOption({ label: choice })
    await preview.getByRole('button', { name: 'Import' }).press('Enter')
    await preview.waitFor({ state: 'detached' })
  }
  await exact(page, 'heading', file).waitFor()
  await expectRows(page, rows)
  return page.evaluate(() => location.hash)
}

/** Shows an address's rows with further parameters. */
async function show(page: Page, address: string, parameters: readonly (readonly [string, string])[]) {
  const query = new URLSearchParams(parameters.map((pair) => [...pair])).toString()
  await page.evaluate((hash) => (location.hash = hash), query === '' ? address : `${address}?${query}`)
}

const where = (test: string, column: string, value: string) =>
  ['where', `keep:${test}:${encodeURIComponent(column)}:${value}`] as const

/** Waits until as many rows meet a condition. */
async function expectWhere(
  page: Page,
  address: string,
  rows: number,
  ...conditions: ReturnType<typeof where>[]
) {
  await show(page, address, conditions)
  await expectRows(page, rows)
}

/** Waits until the groups of a column have these keys and rows; only the first screen of them is drawn. */
async function expectGroups(
  page: Page,
  [address, group, name]: readonly [address: string, group: string, name: string],
  groups: readonly (readonly [string, number])[],
) {
  await show(page, address, [
    ['group', group],
    ['order', 'asc:key:0'],
  ])
  const grid = rowsTable(page, `Raw rows, By ${name}`)
  const drawn = () =>
    grid
      .getByRole('row')
      .evaluateAll((rows) =>
        rows
          .slice(1)
          .map((row) => [...row.querySelectorAll('th, td')].map((cell) => cell.textContent.trim())),
      )
  await expect
    .poll(async () => (await drawn()).map(([key = '', rows]) => [key, Number(rows)]), pollOptions)
    .toEqual(groups.map((group) => [...group]))
}

/** The cells of a column that are drawn, in order. */
async function cellsOf(page: Page, column: string): Promise<readonly string[]> {
  const grid = rowsTable(page)
  const headers = await grid.getByRole('columnheader').allTextContents()
  const place = headers.findIndex((header) => header.trim() === column)
  return grid
    .getByRole('row')
    .evaluateAll(
      (rows, nth) =>
        rows.slice(1).map((row) => row.querySelectorAll('th, td')[nth]?.textContent.trim() ?? ''),
      place,
    )
}

/** Waits for the file that an action saves, and reads it. */
async function saved({ folder }: Desk, action: () => Promise<void>, ending: string): Promise<Buffer> {
  const before = namesIn(folder)
  await action()
  const added = () => namesIn(folder).filter((name) => !before.includes(name) && name.endsWith(ending))
  await expect.poll(added, pollOptions).toHaveLength(1)
  return readFileSync(join(folder, added()[0] ?? ''))
}

const exportRows = (desk: Desk, format: string, ending: string) =>
  saved(
    desk,
    async () => {
      await exact(desk.page, 'button', 'Export').click()
      await exact(desk.page, 'menuitem', `All columns: ${format}`).click()
    },
    ending,
  )

/** Makes a block list with some choices. Returns what the form says of it, and the saved lines. */
async function blockList(desk: Desk, choices: Readonly<Record<string, string>> = {}) {
  const { page } = desk
  await exact(page, 'button', 'Make block list').click()
  const dialog = page.getByRole('dialog', { name: 'Make block list' })
  for (const [label, choice] of Object.entries(choices))
    await dialog.getByLabel(label, { exact: true }).selectOption({ label: choice })
  const save = dialog.getByRole('button', { name: 'Save list' })
  await expect.poll(() => save.getAttribute('aria-disabled'), pollOptions).toBe('false')
  const said = (await dialog.locator('p[aria-live]', { hasText: /entr/ }).innerText()).replaceAll(/\s+/g, ' ')
  const text = await saved(desk, () => save.press('Enter'), '.txt')
  await dialog.waitFor({ state: 'detached' })
  return { said, lines: text.toString().trimEnd().split('\n') }
}

type Shape = {
  readonly file: string
  readonly rows: number
  readonly columns: number
  readonly says: RegExp
  readonly choices?: Readonly<Record<string, string>>
}

/** Tables that others wrote, and what the window shows of each. */
const shapes: readonly Shape[] = [
  { file: 'macos.zip', rows: 25, columns: 9, says: /25 rows/ },
  {
    ...{ file: 'preamble-hash.csv', rows: 7, columns: 4, says: /6 lines before the table/ },
    choices: { 'Type of Day Index': 'Time: month first' },
  },
  {
    file: 'preamble-title-totals.csv',
    rows: 6,
    columns: 7,
    says: /1 line before the table, 2 lines after it/,
  },
  { file: 'trailing-empty-left-out.csv', rows: 24, columns: 12, says: /24 rows/ },
  { file: 'trailing-comma-on-rows.csv', rows: 24, columns: 9, says: /24 rows/ },
  { file: 'parts-one-header.zip', rows: 60, columns: 9, says: /60 rows/ },
  { file: 'no-header-at-all.csv', rows: 20, columns: 9, says: /20 rows/ },
  { file: 'backslash-quotes.csv', rows: 18, columns: 9, says: /backslash/i },
]

async function expectShapes({ page }: Desk) {
  for (const { file, rows, columns, says, choices } of shapes) {
    await open(page, file, rows, choices)
    expect(Number(await rowsTable(page).getAttribute('aria-colcount')), file).toBe(columns)
    await expect.poll(() => page.locator('main').innerText(), pollOptions).toMatch(says)
  }
}

/** Makes a case about Harbour Search with the rows of an address, and shows it. */
async function showCase(page: Page, address: string) {
  const id = await page.evaluate(
    async (file) => {
      const state = await window.desk.call('desk/state')
      const account = state.ok ? state.value.active : null
      if (account === null) throw new Error('No account')
      const entry = {
        ...{ name: 'Clicks', about: 'source', subject: 'Harbour Search', files: [file], notes: '' },
        scope: {
          ...{ family: 'script', instances: { kind: 'all' }, source: 'Harbour Search', campaign: null },
          ...{ range: { start: '2026-11-18', end: '2026-11-20' }, zone: 'UTC' },
        },
      }
      // The bridge checks what is sent to it.
      const begun = await window.desk.call('cases/begin', {
        account,
        entry: JSON.parse(JSON.stringify(entry)),
        fitting: false,
      })
      if (!begun.ok) throw new Error(begun.failure.message)
      const made = await window.desk.call('cases/make', { account, id: begun.value.id })
      if (!made.ok) throw new Error(made.failure.message)
      return begun.value.id
    },
    decodeURIComponent(address.replace('#/rows/', '')),
  )
  await page.evaluate((hash) => (location.hash = hash), `#/cases/${id}`)
}

async function expectTimes({ page }: Desk) {
  for (const file of ['time-space.csv', 'time-ms.csv', 'time-us-ampm.csv', 'time-epoch-ms.csv']) {
    const address = await open(page, file, 60)
    const days = ['2026-11-18', '2026-11-19', '2026-11-20']
    await expectGroups(
      page,
      [address, 'day:TIMESTAMP', 'TIMESTAMP (day)'],
      days.map((day) => [day, 20]),
    )
    await showCase(page, address)
    await page.getByText('Raw rows behind it: 20').waitFor()
  }
}

async function expectValues(desk: Desk) {
  const { page } = desk
  // Numbers by size, and placeholders at one end.
  const numbers = await open(page, 'number-forms.csv', readCsv(textOf('number-forms.csv')).length - 1)
  await expectWhere(page, numbers, 6, where('more-than', 'ADDITIONAL 1', '100'))
  await show(page, numbers, [['sort', 'asc:ADDITIONAL 1']])
  const sizes = async () =>
    (await cellsOf(page, 'ADDITIONAL 1')).map((cell) => Number(cell.replaceAll(',', '')))
  await expect.poll(async () => (await sizes())[0], pollOptions).toBe(0)
  // Whatever is no number stands behind all numbers.
  const found = await sizes()
  const plain = found.filter((size) => !Number.isNaN(size))
  expect(found.slice(0, plain.length)).toEqual(plain.toSorted((one, other) => one - other))

  // Composed and decomposed letters are the same.
  const letters = await open(page, 'nfc-nfd.csv', 20)
  for (const form of ['NFC', 'NFD'])
    await expectWhere(page, letters, 20, where('contains', 'PAGE', 'menü'.normalize(form)))
  await expectGroups(page, [letters, 'value:SOURCE', 'SOURCE'], [['Café Müller', 20]])

  const accents = textOf('accents.csv')
  await open(page, 'accents.csv', readCsv(accents).length - 1)
  const csv = await exportRows(desk, 'CSV', '.csv')
  expect(csv.toString()).toBe(`\uFEFF${accents}`)

  await open(page, 'sums.csv', 20)
  const sheets = await readSheets(await exportRows(desk, 'Excel (XLSX)', '.xlsx'))
  const [headers = [], ...rows] = sheets[0]?.data ?? []
  const column = (name: string) => rows.map((cells) => cells[headers.indexOf(name)])
  expect(column('ADDITIONAL 1').reduce<number>((sum, cell) => sum + Number(cell ?? 0), 0)).toBeCloseTo(
    27.9,
    9,
  )
  expect(column('ADDITIONAL 2').slice(0, 3)).toEqual(['00000', '00037', '00074'])
}

/** Counts the rows of a table that a test accepts, read in another way than the app does. */
function countIn(file: string, isOne: (row: Readonly<Record<string, string>>) => boolean): number {
  const [headers = [], ...rows] = readCsv(textOf(file))
  return rows.filter((cells) =>
    isOne(Object.fromEntries(headers.map((header, place) => [header, cells[place] ?? '']))),
  ).length
}

async function expectAddresses(desk: Desk) {
  const { page } = desk
  const forms = await open(page, 'address-forms.csv', 40)
  await page.getByText('4 cells in REMOTE ADDRESS list several addresses; the first one counts.').waitFor()
  await expectWhere(page, forms, 18, where('in-network', 'REMOTE ADDRESS', '203.0.113.0/24'))
  await show(page, forms, [])
  await expectRows(page, 40)
  const list = await blockList(desk)
  expect(list.said).toContain('Left out: 3 private or reserved, 3 invalid.')
  expect(list.lines).toContain('203.0.113.7')
  expect(list.lines).toContain('2001:db8::7')

  const logged = (row: Readonly<Record<string, string>>) => (row['IP Address'] ?? '').startsWith('192.0.2.')
  const log = await open(page, 'click-log-ip.csv', 40)
  await expectWhere(
    page,
    log,
    countIn('click-log-ip.csv', logged),
    where('in-network', 'IP Address', '192.0.2.0/24'),
  )
  await blockList(desk, { Column: 'IP Address' })

  await open(page, 'block-list-long.csv', readCsv(textOf('block-list-long.csv')).length - 1)
  const { said, lines } = await blockList(desk, { Format: 'Google Ads' })
  expect(lines).toHaveLength(500)
  expect(lines.filter((line) => !/^(?:(?:\d+\.){3}(?:\d+|\*)|[\da-f:]+(?:\/\d+)?)$/.test(line))).toEqual([])
  expect(said).toMatch(/over the limit, with the fewest bad rows/)
}

async function expectClicks({ page }: Desk) {
  const clicks = await open(page, 'refund-clicks.csv', 40)
  await show(page, clicks, [['group', 'click-id:PAGE']])
  // 32 click IDs, and the group of rows without one.
  await expectRows(page, 33, 'Raw rows, By PAGE (click ID)')
  const old = Date.parse('2026-11-25T09:00:00Z') - 60 * 86_400_000
  await expectWhere(
    page,
    clicks,
    countIn('refund-clicks.csv', (row) => Date.parse(row['TIMESTAMP'] ?? '') < old),
    where('between', 'TIMESTAMP', `..${old}`),
  )
  for (const text of ['192.0.2.1', 'clk_00431']) {
    await openView(page, 'Raw rows')
    await exact(page, 'searchbox', 'Search all archives').fill(text)
    await page.getByRole('heading', { name: 'Rows with' }).waitFor()
    await page.getByText('click-log-ip.csv').first().waitFor()
  }
}

/** Lists pasted into a filter, and what it says of each. */
const typed = [
  [
    'paste-list.txt',
    'REMOTE ADDRESS',
    'is in',
    /^\d+ ranges\. Not read: line 10 “https:\/\/203\.0\.113\.10\/”\.$/,
  ],
  ['one-line.txt', 'SOURCE', 'is one of', /^40 values\.$/],
  ['1200-values.txt', 'SOURCE', 'is one of', /^1,200 values\.$/],
] as const

async function expectTyped({ page }: Desk) {
  const address = await open(page, 'time-space.csv', 60)
  for (const [file, column, test, note] of typed) {
    await show(page, address, [])
    await exact(page, 'button', 'Add filter').click()
    await page.getByLabel('Column', { exact: true }).selectOption({ label: column })
    await page.getByLabel('Test', { exact: true }).selectOption({ label: test })
    // At once, as a paste does: 1,200 lines are too many to be typed key by key.
    await page.getByRole('textbox', { name: /^Values?$/ }).evaluate((field, text) => {
      if (field instanceof HTMLTextAreaElement) field.value = text
      field.dispatchEvent(new InputEvent('input', { bubbles: true }))
    }, textOf(file))
    await page.getByText(note).waitFor()
    await page.keyboard.press('Escape')
  }
}

async function expectLongCells(desk: Desk) {
  await open(desk.page, 'long-cell.csv', 12)
  await exact(desk.page, 'button', 'Export').click()
  await desk.page.getByText(/In Excel, 2 cells in PAGE will be cut to 32,767 characters/).waitFor()
  await desk.page.keyboard.press('Escape')
  const csv = await exportRows(desk, 'CSV', '.csv')
  expect(readCsv(csv.toString().slice(1))).toEqual(readCsv(textOf('long-cell.csv')))
  const sheets = await readSheets(await exportRows(desk, 'Excel (XLSX)', '.xlsx'))
  const lengths = (sheets[0]?.data ?? []).flatMap((row) => row.map((cell) => String(cell ?? '').length))
  expect(Math.max(...lengths)).toBe(32_767)
}

/** Sets the zone of the account's days. */
const setZone = (page: Page, dayZone: string) =>
  page.evaluate(async (zone) => {
    const state = await window.desk.call('desk/state')
    const account = state.ok ? state.value.accounts.find(({ id }) => id === state.value.active) : undefined
    if (account?.kind !== 'service') throw new Error('No account')
    const { id, name, address, bodyEncoding, windows } = account
    const edited = await window.desk.call('accounts/edit', {
      ...{ account: id, name, address, bodyEncoding, windows },
      dayZone: zone,
    })
    if (!edited.ok) throw new Error(edited.failure.message)
  }, dayZone)

async function expectHours({ page }: Desk) {
  await setZone(page, 'Europe/Berlin')
  const address = await open(page, 'dst-berlin.csv', readCsv(textOf('dst-berlin.csv')).length - 1)
  await show(page, address, [
    ['group', 'hour:TIMESTAMP'],
    ['order', 'asc:key:0'],
  ])
  const grid = rowsTable(page, 'Raw rows, By TIMESTAMP (hour)')
  for (const [hour, rows] of [
    ['2026-10-25 02 +02:00', 7],
    ['2026-10-25 02 +01:00', 11],
  ] as const) {
    const row = grid.getByRole('row').filter({ hasText: hour })
    expect(await row.locator('td').first().innerText()).toBe(String(rows))
  }
  await grid.getByText('2026-10-25 02 +01:00').click()
  await expectRows(page, 11)
}

it('opens the tables of others in its window, with the rows, columns and sums that are right', async () => {
  const sandbox = await startSandbox()
  const desk = await connectedDesk(sandbox, 'None')
  await openView(desk.page, 'Raw rows')
  await expectShapes(desk)
  await expectTimes(desk)
  await expectValues(desk)
  await expectAddresses(desk)
  await expectClicks(desk)
  await expectLongCells(desk)
  await expectTyped(desk)
  await expectHours(desk)
})
