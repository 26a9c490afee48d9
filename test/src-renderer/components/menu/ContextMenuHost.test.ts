import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { isLive } from '#shared/accounts/account.ts'
import { FakeDesk, account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { listOf, listed } from '#test/src-renderer/helpers/raw-reports.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

// What opens with the first click is prepared once, so that no test waits for that.
beforeAll(() => import('#renderer/components/menu/ContextMenuHost.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const grid = () => screen.findByRole('grid', { name: 'Script by browser' })
const menu = (name: string) => screen.findByRole('menu', { name })
const choose = async (name: string, item: string) =>
  fireEvent.click(within(await menu(name)).getByRole('menuitem', { name: item }))
const words = async (name: string) =>
  within(await menu(name))
    .getAllByRole('menuitem')
    .map(({ textContent }) => textContent.trim())
const address = () => decodeURIComponent(window.location.hash)

async function browsers(desk = new FakeDesk(), rest = '') {
  show(desk, `#/reports/script/browsers${rest}`)
  const table = await grid()
  await within(table).findByRole('rowheader', { name: 'Chrome' })
  return table
}

const cell = (table: HTMLElement, row: RegExp, place: number) => {
  const found = within(within(table).getByRole('row', { name: row })).getAllByRole('gridcell')[place]
  if (!found) throw new Error('No such cell')
  return found
}

describe('the menu of a table', () => {
  it('limits to a row, or by the figure of a cell', async () => {
    const table = await browsers()
    await fireEvent.contextMenu(cell(table, /^Safari/, 1), { button: 2 })
    expect((await words('Safari'))[0]).toBe('Filter by “Safari”')
    await choose('Safari', 'Filter by “Safari”')
    await waitFor(() => expect(address()).toContain('browser=Safari'))
  })

  it('leaves rows out, says so, and lets them in again', async () => {
    const table = await browsers(new FakeDesk(), '?sort=asc%3ABad')
    await fireEvent.contextMenu(cell(table, /^Safari/, 1), { button: 2 })
    await choose('Safari', 'Leave out “Safari”')
    await waitFor(() => expect(address()).toContain('without=text+Safari'))
    expect(address()).toContain('sort=asc:Bad')
    await fireEvent.click(await screen.findByRole('button', { name: 'Remove the filter Without' }))
    await waitFor(() => expect(address()).not.toContain('without'))
  })

  it('asks for the raw rows of a row, limited to the verdict of the column', async () => {
    const table = await browsers(new FakeDesk(), '?period=yesterday&source=news')
    await fireEvent.contextMenu(cell(table, /^Chrome/, 1), { button: 2 })
    await choose('Chrome', 'Request the bad raw rows of “Chrome”…')
    await screen.findByRole('heading', { name: 'New raw report' })
    const values = (await screen.findAllByRole('textbox', { name: 'Value' })).map((field) =>
      field instanceof HTMLInputElement ? field.value : '',
    )
    expect(values).toEqual(['news', 'Chrome'])
    expect(screen.getByLabelText<HTMLInputElement>('Start').value).toBe('2026-11-19')
  })

  it('opens by keys at the cell that they are at, and gives the focus back', async () => {
    const table = await browsers()
    table.focus()
    await fireEvent.contextMenu(table, { button: 0 })
    const open = await menu('Chrome')
    await fireEvent.keyDown(open, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('menu')).toBeNull())
    expect(document.activeElement).toBe(table)
  })

  it('sorts and hides from a header, and compares', async () => {
    const desk = new FakeDesk()
    const table = await browsers(desk)
    const header = () => within(table).getByRole('columnheader', { name: 'Bad' })
    await fireEvent.contextMenu(header(), { button: 2 })
    await choose('Bad', 'Sort, the smallest first')
    await waitFor(() => expect(address()).toContain('sort=asc:Bad'))
    await fireEvent.contextMenu(header(), { button: 2 })
    await choose('Bad', 'Compare with the previous period')
    await waitFor(() => expect(address()).toContain('compare=period-before'))
    await fireEvent.contextMenu(header(), { button: 2 })
    await choose('Bad', 'Hide Bad')
    await waitFor(() => expect(within(table).queryByRole('columnheader', { name: 'Bad' })).toBeNull())
    expect(desk.argumentsOf('layouts/write').at(-1)?.layout?.hidden).toContain('Bad')
  })

  it('pins a column beside the names, and lets it go', async () => {
    const desk = new FakeDesk()
    const table = await browsers(desk)
    const headers = () =>
      within(table)
        .getAllByRole('columnheader')
        .map((each) => each.title)
    const header = () => within(table).getByRole('columnheader', { name: 'Bad' })
    await fireEvent.contextMenu(header(), { button: 2 })
    await choose('Bad', 'Pin Bad beside the names')
    await waitFor(() => expect(headers().slice(0, 2)).toEqual(['Browser', 'Bad']))
    expect(header().dataset['pinned']).toBe('')
    expect(desk.argumentsOf('layouts/write').at(-1)?.layout?.pinned).toEqual(['Bad'])
    await fireEvent.contextMenu(header(), { button: 2 })
    await choose('Bad', 'Unpin Bad')
    await waitFor(() => expect(headers()[1]).toBe('Requests'))
    expect(header().dataset['pinned']).toBeUndefined()
  })

  it('offers no raw rows of earlier figures, which nobody can ask for', async () => {
    const earlier = { ...account, kind: 'earlier' as const, account: account.id }
    expect(isLive(earlier)).toBe(false)
    const table = await browsers(new FakeDesk({ accounts: [earlier] }))
    await fireEvent.contextMenu(cell(table, /^Chrome/, 0), { button: 2 })
    expect((await words('Chrome')).filter((each) => each.includes('raw rows'))).toEqual([])
  })
})

describe('a chart', () => {
  it('leads from a bar to its day, by pointer and by keys', async () => {
    show(new FakeDesk(), '#/overview')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    const plot = await script.findByRole('img', { name: /by day/ })
    // The stand-in for the drawing library has the second day under every place.
    await waitFor(async () => {
      await fireEvent.click(plot)
      expect(address()).toContain('start=2026-11-14&end=2026-11-14')
    })
  })

  it('leads there from the table of its figures', async () => {
    show(new FakeDesk(), '#/overview')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    await fireEvent.click(await script.findByRole('button', { name: 'Show as table' }))
    const days = within(await script.findByRole('table')).getAllByRole('rowheader')
    await fireEvent.click(within(days[2] ?? document.body).getByRole('button'))
    await waitFor(() => expect(address()).toContain('start=2026-11-15&end=2026-11-15'))
  })

  it('has a menu: its day, its figures, its raw rows', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    await fireEvent.contextMenu(await script.findByRole('img', { name: /by day/ }), { button: 2 })
    await choose('Script by day', 'Copy the figures')
    await waitFor(() =>
      expect(desk.argumentsOf('desk/copy').at(-1)?.text).toMatch(/^Date\t.*\n2026-11-13\t\d+/),
    )
  })
})

describe('the cards of the overview', () => {
  it('lead from bad to what moved most', async () => {
    show(new FakeDesk(), '#/overview')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    await fireEvent.click(await script.findByRole('link', { name: 'Biggest changes in bad rate' }))
    const heading = await screen.findByRole('heading', { name: 'Biggest changes' })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    expect(address()).toContain('compare=period-before')
  })

  it('lead from other figures to their instances, the most of them first', async () => {
    show(new FakeDesk(), '#/overview?source=news')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    await fireEvent.click(await script.findByRole('button', { name: 'All figures' }))
    const link = await script.findByRole('link', { name: 'Script by instance, most Good first' })
    expect(decodeURIComponent(link.getAttribute('href') ?? '')).toMatch(
      /^#\/reports\/script\/sessions\?.*source=news.*sort=desc:Good/,
    )
  })
})

it('offers on a raw report what its buttons do', async () => {
  const desk = new FakeDesk()
  desk.answer('raw/list', () => good(listOf([listed('r-1', { name: 'Weekly' })])))
  show(desk, '#/raw')
  await fireEvent.contextMenu(await screen.findByRole('link', { name: 'Weekly' }), { button: 2 })
  const items = await words('Weekly')
  expect(items[0]).toBe('Details')
  expect(items).toContain('Remove')
  expect(items.at(-1)).toBe('Request again…')
})
