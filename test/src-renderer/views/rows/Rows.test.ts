import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { JobId } from '#shared/app/jobs.ts'
import { countedOnce } from '#shared/archives/rows.ts'
import type { DroppedFileId, RowsFileId } from '#shared/archives/rows-file.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { fileOf, madeFile, madeRows, rowsDesk, wholeState } from '#test/src-renderer/helpers/made-rows.ts'
import { choose, show, type } from '#test/src-renderer/helpers/show.ts'

const rowsOf = (of: (row: (typeof madeRows)[number]) => boolean) => madeRows.filter(of).length
const opened = `#/rows/${madeFile}`
const facets = () => screen.findByRole('list', { name: 'Facets' })
const table = (name = 'Raw rows') => screen.findByRole('grid', { name })
const facet = async (name: string) => within(await facets()).findByRole('button', { name })
const rowsIn = async (count: number, name = 'Raw rows') =>
  waitFor(async () =>
    // The line of headers is one of them.
    expect((await table(name)).getAttribute('aria-rowcount')).toBe(String(count + 1)),
  )

describe('the archives', () => {
  it('says what to do where none is saved', async () => {
    show(new FakeDesk(), '#/rows')
    expect(await screen.findByRole('heading', { name: 'No archives yet' })).toBeTruthy()
    expect(screen.getByRole('link', { name: 'Raw rows' }).getAttribute('aria-current')).toBe('page')
  })

  it('says how far reading in is, and stops it', async () => {
    const desk = rowsDesk([fileOf({ kind: 'importing', replaced: false })])
    show(desk, '#/rows')
    await screen.findByRole('progressbar', { name: 'Responses of the week' })
    const state = { kind: 'running', done: 20_000_000, total: 80_000_000, unit: 'bytes' } as const
    const job = { id: 'a' as JobId, kind: 'import', account: account.id, subject: madeFile } as const
    desk.emit('jobs/changed', { job: { ...job, title: 'The week', state, endedAt: null, seen: false } })
    await screen.findByText('Importing: 20 MB of 80 MB')
    await fireEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(desk.argumentsOf('rows/cancel-import')).toEqual([{ account: account.id, file: madeFile }])
  })

  it.each([
    ['gone', /left: its file is gone/],
    ['away', /only copy: its folder doesn't respond/],
  ] as const)('asks before it deletes rows whose file is %s', async (archive, words) => {
    const desk = rowsDesk([fileOf(wholeState, { archive })])
    show(desk, '#/rows')
    await fireEvent.click(await screen.findByRole('button', { name: 'Delete rows' }))
    expect(desk.argumentsOf('rows/let-go')).toEqual([])
    await screen.findByText(words)
    await fireEvent.click(await screen.findByRole('button', { name: /^Delete$/ }))
    expect(desk.argumentsOf('rows/let-go')).toEqual([{ account: account.id, file: madeFile, what: 'rows' }])
  })

  it('says where archives have a day in common, and counts each row once when that is chosen', async () => {
    const other = fileOf(wholeState, { id: 'report-R2' as RowsFileId, name: 'The same week' })
    const desk = rowsDesk([fileOf(wholeState), other])
    show(desk, `#/rows/${madeFile},report-R2`)
    await screen.findByText(/Several of these archives have rows from Nov 16 – 20, 2026/)
    await fireEvent.click(screen.getByRole('button', { name: 'Count once' }))
    await waitFor(() => expect(desk.argumentsOf('rows/page').at(-1)?.query.conditions).toEqual([countedOnce]))
    expect(screen.queryByText(/Several of these archives/)).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: /^Remove the filter Rows in several archives/ }))
    await screen.findByText(/Several of these archives/)
  })

  it('reads an archive in that is opened before it was', async () => {
    const desk = rowsDesk([fileOf({ kind: 'not-read' })])
    show(desk, opened)
    await waitFor(() => expect(desk.argumentsOf('rows/import')).toHaveLength(1))
  })

  it.each([
    ['damaged', fileOf({ kind: 'damaged' }), 'The saved rows are damaged', 'Import again'],
    [
      'not read',
      fileOf({ kind: 'failed', failure: { kind: 'disk', message: 'The disk is full.' } }),
      'The rows could not be imported',
      'Import again',
    ],
  ])('that is %s is offered to be read in again', async (_, file, title, button) => {
    const desk = rowsDesk([file])
    show(desk, opened)
    await screen.findByRole('heading', { name: title })
    await fireEvent.click(screen.getByRole('button', { name: button }))
    expect(desk.argumentsOf('rows/import')).toHaveLength(1)
  })

  it('that is not there is said so', async () => {
    show(rowsDesk(), '#/rows/report-other')
    expect(await screen.findByRole('heading', { name: 'No such rows' })).toBeTruthy()
  })
})

describe('the rows', () => {
  it('are limited by a facet, and by what it leaves out, each a chip that is taken off again', async () => {
    show(rowsDesk(), opened)
    await rowsIn(madeRows.length)
    // There is no room for them beside the rows.
    await fireEvent.click(screen.getByRole('button', { name: 'Show facets' }))
    const bad = rowsOf(({ RESULT }) => RESULT === 'bad')
    const good = rowsOf(({ RESULT }) => RESULT === 'good')
    // A bar is as long as its value is frequent.
    const bar = (await facet(`bad, ${bad} rows`)).querySelector<HTMLElement>('.bar')
    expect(Number.parseFloat(bar?.style.width ?? '')).toBeCloseTo((bad / Math.max(bad, good)) * 100, 0)
    await fireEvent.click(await facet(`bad, ${bad} rows`))
    await rowsIn(bad)
    await fireEvent.click(within(await facets()).getByRole('button', { name: 'Leave out DE' }))
    await rowsIn(rowsOf(({ RESULT, COUNTRY }) => RESULT === 'bad' && COUNTRY !== 'DE'))
    expect(window.location.hash).toContain('where=keep%3Ais%3ARESULT%3Abad')
    await fireEvent.click(screen.getByRole('button', { name: 'Remove the filter COUNTRY is not' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Remove the filter RESULT is' }))
    await rowsIn(madeRows.length)
  })

  it('are filtered by what is typed, which is checked', async () => {
    show(rowsDesk(), opened)
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Add filter' }))
    choose(await screen.findByRole('combobox', { name: 'Column' }), 'REMOTE ADDRESS')
    await waitFor(() => choose(screen.getByRole('combobox', { name: 'Test' }), 'is in'))
    type(screen.getByRole('textbox', { name: 'Value' }), '198.51.3.0/40')
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    await screen.findByText(/Enter an address or range/)
    type(screen.getByRole('textbox', { name: 'Value' }), '198.51.3.0/24')
    await fireEvent.click(screen.getByRole('button', { name: 'Add' }))
    await rowsIn(rowsOf((row) => row['REMOTE ADDRESS'].startsWith('198.51.3.')))
  })

  it('are sorted by their headers, three keys deep', async () => {
    const desk = rowsDesk()
    show(desk, opened)
    const header = async (name: string) =>
      within(await screen.findByRole('columnheader', { name: new RegExp(`^${name}`) })).getByRole('button')
    await rowsIn(madeRows.length)
    await fireEvent.click(await header('SOURCE'))
    await fireEvent.click(await header('RESULT'), { shiftKey: true })
    await waitFor(() =>
      expect(desk.argumentsOf('rows/page').at(-1)?.query.sort).toEqual([
        { column: 'SOURCE', direction: 'asc' },
        { column: 'RESULT', direction: 'asc' },
      ]),
    )
  })

  it('offer what can be done with a cell by the keys, and show a row in full', async () => {
    show(rowsDesk(), opened)
    const grid = await table()
    await rowsIn(madeRows.length)
    grid.focus()
    await fireEvent.keyDown(grid, { key: 'ArrowRight' })
    await fireEvent.keyDown(grid, { key: 'Enter' })
    const [first] = madeRows
    const keep = await screen.findByRole('menuitem', { name: `Keep only “${first?.RESULT}”` })
    await fireEvent.click(keep)
    await rowsIn(rowsOf(({ RESULT }) => RESULT === first?.RESULT))
    const again = await table()
    again.focus()
    await fireEvent.keyDown(again, { key: 'ArrowLeft' })
    await fireEvent.keyDown(again, { key: 'Enter' })
    const dialog = await screen.findByRole('dialog', { name: 'Row 1' })
    await within(dialog).findByText(first?.['USER AGENT'] ?? '')
  })

  it('are chosen by a span of time with the keys', async () => {
    show(rowsDesk(), opened)
    const slider = await screen.findByRole('slider', { name: /^Time/ })
    await fireEvent.keyDown(slider, { key: 'ArrowRight' })
    await fireEvent.keyDown(slider, { key: 'ArrowRight', shiftKey: true })
    expect(slider.getAttribute('aria-valuetext')).toMatch(/480 rows/)
    await fireEvent.keyDown(slider, { key: 'Enter' })
    await rowsIn(rowsOf(({ TIMESTAMP }) => TIMESTAMP >= '2026-11-17' && TIMESTAMP < '2026-11-19'))
  })

  it('are looked through for clusters, each of which leads to its rows', async () => {
    const desk = rowsDesk()
    show(desk, opened)
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Clusters' }))
    await rowsIn(2, 'Clusters')
    expect(window.location.hash).toContain('clusters=1')
    const grid = await table('Clusters')
    const held = madeRows.filter((row) => row['REMOTE ADDRESS'].startsWith('198.51.3.'))
    const bad = held.filter(({ RESULT }) => RESULT === 'bad').length
    const expected = Math.round((held.length * rowsOf(({ RESULT }) => RESULT === 'bad')) / madeRows.length)
    const range = within(grid).getByText('198.51.3.0/24').closest('[role=row]')
    const cells = [...(range?.children ?? [])].map(({ textContent }) => textContent.trim())
    expect(cells).toEqual(expect.arrayContaining([held.length, bad].map(String)))
    expect(within(grid).getByText('1 in 2,300')).toBeTruthy()
    // Fits a window of 1280 pixels without the column of expected rows.
    await fireEvent.click(screen.getByRole('button', { name: 'Columns' }))
    await fireEvent.click(await screen.findByRole('checkbox', { name: 'Expected' }))
    await within(grid).findByText(String(expected))
    await fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Table of clusters: CSV' }))
    await waitFor(() =>
      expect(desk.argumentsOf('rows/export-table')).toMatchObject([
        { table: { kind: 'clusters' }, format: 'csv' },
      ]),
    )
    // Sorted by what they are: the range before the network.
    await fireEvent.click(within(grid).getByRole('button', { name: /^Type/ }))
    await waitFor(() => expect(within(grid).getAllByRole('row')[1]?.textContent).toContain('198.51.3.0/24'))
    await fireEvent.click(within(grid).getByRole('button', { name: '198.51.3.0/24' }))
    await rowsIn(held.length)
    expect(screen.getByRole('button', { name: 'Clusters' }).getAttribute('aria-pressed')).toBe('false')
  })

  it('say so where nothing stands out, and where no row says how it was judged', async () => {
    const desk = rowsDesk()
    show(desk, `${opened}?where=keep%3Ais%3ARESULT%3Agood&clusters=1`)
    await screen.findByRole('heading', { name: 'No clusters' })
    await fireEvent.click(screen.getByRole('button', { name: 'Clear the filters' }))
    await rowsIn(2, 'Clusters')
    desk.answer('rows/clusters', () => good({ rows: 5, bad: null, tested: 0, clusters: [], more: 0 }))
    await fireEvent.click(screen.getByRole('button', { name: 'Clusters' }))
    await fireEvent.click(screen.getByRole('button', { name: 'Clusters' }))
    await screen.findByText('These rows have no results.')
  })

  it('are grouped, searched, and lead back to the rows of a group', async () => {
    show(rowsDesk(), opened)
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Group by' }))
    choose(await screen.findByRole('combobox', { name: 'First' }), 'SOURCE')
    choose(screen.getByRole('combobox', { name: 'Second' }), 'COUNTRY')
    await fireEvent.click(screen.getByRole('button', { name: 'Group' }))
    const pairs = new Set(madeRows.map(({ SOURCE, COUNTRY }) => `${SOURCE} ${COUNTRY}`)).size
    await rowsIn(pairs, 'Raw rows, By SOURCE × COUNTRY')
    type(screen.getByRole('searchbox', { name: 'Search groups' }), 'partner-b')
    await rowsIn(4, 'Raw rows, By SOURCE × COUNTRY')
    const grid = await table('Raw rows, By SOURCE × COUNTRY')
    const [, first] = within(grid).getAllByRole('row')
    const country = first?.querySelector('td')?.textContent
    await fireEvent.click(within(first as HTMLElement).getByRole('button', { name: 'partner-b' }))
    await rowsIn(rowsOf(({ SOURCE, COUNTRY }) => SOURCE === 'partner-b' && COUNTRY === country))
  })

  it('stand in groups as the columns of those were laid out last', async () => {
    const stored = { 'rows/groups': { order: [], hidden: [], widths: { Rows: 321 } } }
    show(
      rowsDesk().answer('layouts/read', () => good(stored)),
      opened,
    )
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Group by' }))
    choose(await screen.findByRole('combobox', { name: 'First' }), 'SOURCE')
    await fireEvent.click(screen.getByRole('button', { name: 'Group' }))
    const grid = await table('Raw rows, By SOURCE')
    expect(within(grid).getByRole('columnheader', { name: 'Rows' }).style.width).toBe('321px')
  })

  it('are recounted, and what differs is said with its reason', async () => {
    show(rowsDesk(), opened)
    await fireEvent.click(await screen.findByRole('button', { name: 'Recount' }))
    await screen.findByText('The recount differs by 12 of 348 (3.45%).')
    expect(screen.getByText(/restated a day after/)).toBeTruthy()
  })

  it('are saved as a file with the columns that are seen', async () => {
    const desk = rowsDesk()
    show(desk, opened)
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'All columns: Parquet' }))
    expect(desk.argumentsOf('rows/export')).toMatchObject([{ columns: [], format: 'parquet' }])
  })

  it('say before they are saved which cells an Excel file would cut', async () => {
    const cut = [
      { column: 'PAGE', cells: 2 },
      { column: 'REFERRER', cells: 1 },
    ]
    const desk = rowsDesk().answer('rows/long-cells', () => good(cut))
    show(desk, opened)
    await rowsIn(madeRows.length)
    await fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await screen.findByText(
      'In Excel, 3 cells in PAGE (2), REFERRER (1) will be cut to 32,767 characters, the most an Excel cell holds. ' +
        'CSV and JSON have them whole.',
    )
    expect(desk.argumentsOf('rows/long-cells')).toMatchObject([{ columns: [] }])
  })

  it('say where they cannot be had, and ask again', async () => {
    const desk = rowsDesk().answer('rows/page', () => failed('internal'))
    show(desk, opened)
    expect(
      await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' }),
    ).toBeTruthy()
  })
})

describe('a search in all archives', () => {
  it('finds rows by account and report, and leads to all of them', async () => {
    show(rowsDesk(), '#/rows')
    await screen.findByRole('link', { name: 'Responses of the week' })
    screen.getByRole('searchbox', { name: 'Search all archives' }).focus()
    type(screen.getByRole('searchbox', { name: 'Search all archives' }), '198.51.3.3')
    await screen.findByRole('heading', { name: 'Rows with “198.51.3.3”' })
    // Whoever types goes on typing.
    expect(document.activeElement).toBe(screen.getByRole('searchbox', { name: 'Search all archives' }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Rows by REMOTE ADDRESS' }))
    await rowsIn(rowsOf((row) => row['REMOTE ADDRESS'] === '198.51.3.3'))
  })

  it('is left by going back, also while the field has the focus', async () => {
    show(rowsDesk(), '#/rows')
    await screen.findByRole('link', { name: 'Responses of the week' })
    screen.getByRole('searchbox', { name: 'Search all archives' }).focus()
    type(screen.getByRole('searchbox', { name: 'Search all archives' }), '198.51.3.3')
    await screen.findByRole('heading', { name: 'Rows with “198.51.3.3”' })
    window.location.hash = '#/rows'
    await screen.findByRole('link', { name: 'Responses of the week' })
    expect(window.location.hash).toBe('#/rows')
  })

  it('says that nothing was found, where it looked, where it did not and why', async () => {
    show(rowsDesk(), '#/rows?search=nothing-like-this')
    expect(await screen.findByRole('heading', { name: 'Not found' })).toBeTruthy()
    for (const sentence of [
      'Searched columns: REMOTE ADDRESS, USER AGENT.',
      'Searched archives: Responses of the week.',
      /^Columns not searched: SOURCE\. A search reads addresses/,
      'Archives not searched: Direct of May (not imported), log.csv (its import failed).',
    ])
      expect(screen.getByText(sentence)).toBeTruthy()
  })
})

describe('a file that is dropped on the window', () => {
  const drop = (...names: string[]) => {
    const files = names.map((name) => new File(['a,b'], name))
    const event = new Event('drop', { bubbles: true, cancelable: true })
    Object.assign(event, { dataTransfer: { types: ['Files'], files } })
    window.dispatchEvent(event)
  }

  it('is read in and shown, and another kind of file is refused in words', async () => {
    const desk = rowsDesk().answer('rows/take', () => good([madeFile]))
    vi.spyOn(desk.bridge, 'dropped').mockResolvedValue(['d1' as DroppedFileId])
    show(desk, '#/downloads')
    await screen.findByRole('heading', { name: 'Downloads' })
    drop('rows.zip', 'photo.png')
    await screen.findByText('“photo.png” was not imported. Use ZIP or CSV.')
    await waitFor(() => expect(window.location.hash).toBe(opened))
    expect(desk.argumentsOf('rows/take')).toEqual([{ account: account.id, dropped: ['d1' as RowsFileId] }])
  })
})
