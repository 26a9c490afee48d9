import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { SavedViewId, SavedViewState } from '#shared/views/saved-views.ts'
import { dimensionNames, offers, familyNames } from '#shared/api/dimensions.ts'
import type { Instant } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good, otherAccount } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt, type } from '#test/src-renderer/helpers/show.ts'

const saved: SavedViewState = {
  id: '0f2a1c52-0000-4000-8000-000000000001' as SavedViewId,
  name: 'Monday check',
  address: '#/reports/direct/networks?period=yesterday',
  pinned: true,
  depth: null,
  start: false,
  stored: null,
  syncing: false,
  failure: null,
}

// It loads with its first use, which takes seconds where nothing is bundled.
beforeAll(() => import('#renderer/components/palette/Palette.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const palette = () => screen.findByRole('dialog', { name: 'Command palette' })
const field = async () => within(await palette()).getByRole('combobox')
const found = () => within(screen.getByRole('listbox', { name: 'Found' }))
const options = () => found().getAllByRole('option')
const words = () => options().map(({ textContent }) => textContent.trim())
const chosen = () => options().filter((each) => each.getAttribute('aria-selected') === 'true')
const chosenWords = () => chosen().map(({ textContent }) => textContent.trim())
const said = () => screen.getByRole('region', { name: 'Messages' }).textContent

async function open(desk: FakeDesk, address = '#/settings') {
  show(desk, address)
  await screen.findByRole('button', { name: 'Account: Kestrel Media' })
  await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
  return palette()
}

async function pick(name: RegExp) {
  const [option] = await found().findAllByRole('option', { name })
  if (option) await fireEvent.click(option)
}

describe('the command palette', () => {
  it('opens by its key, by its button and by the menu', async () => {
    const desk = new FakeDesk()
    const dialog = await open(desk)
    await fireEvent.keyDown(dialog, { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    screen.getByRole('button', { name: 'Search everything' }).click()
    await fireEvent.keyDown(await palette(), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    desk.emit('desk/command', { command: 'palette' })
    await palette()
  })

  it('takes the focus, and gives it back when it closes', async () => {
    show(new FakeDesk(), '#/settings')
    const before = await screen.findByRole('link', { name: 'Add account' })
    before.focus()
    await fireEvent.keyDown(before, { key: 'k', ctrlKey: true })
    const input = await field()
    await waitFor(() => expect(document.activeElement).toBe(input))
    await fireEvent.keyDown(input, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(before))
  })

  it('gets what is typed before it has come, and the field with the focus does not', async () => {
    show(new FakeDesk(), '#/reports/script/browsers')
    const search = await screen.findByRole('searchbox', { name: 'Search' })
    search.focus()
    const press = (key: string, ctrlKey = false) =>
      search.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey, bubbles: true, cancelable: true }))
    // All of it in one go: the palette has no moment to come in between. What is taken reaches no field.
    expect([press('k', true), ...['d', 'i', 'r', 'x', 'Backspace'].map((key) => press(key))]).not.toContain(
      true,
    )
    await waitFor(async () => expect(await field()).toHaveProperty('value', 'dir'))
    expect(press('e')).toBe(true)
    await fireEvent.keyDown(await field(), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(press('e')).toBe(true)
  })

  it('leads to every report', async () => {
    await open(new FakeDesk())
    const offered = familyNames.flatMap((family) => dimensionNames.filter((each) => offers(family, each)))
    const reports = screen.getByRole('group', { name: 'Reports' })
    expect(within(reports).getAllByRole('option')).toHaveLength(offered.length + familyNames.length)
    await pick(/^Script by referrer/)
    await waitFor(() => expect(window.location.hash).toBe('#/reports/script/referrers'))
  })

  it('is used by keyboard alone', async () => {
    await open(new FakeDesk())
    const input = await field()
    type(input, 'direct by net')
    await waitFor(() => expect(chosenWords()).toEqual(['Direct by network']))
    await fireEvent.keyDown(input, { key: 'Enter' })
    await waitFor(() => expect(window.location.hash).toBe('#/reports/direct/networks'))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('moves by arrow keys, and says which entry is the chosen one', async () => {
    await open(new FakeDesk())
    const input = await field()
    type(input, 'reports')
    await waitFor(() => expect(chosen()).toHaveLength(1))
    const [first, second] = words()
    expect(chosenWords()).toEqual([first])
    await fireEvent.keyDown(input, { key: 'ArrowDown' })
    await waitFor(() => expect(chosenWords()).toEqual([second]))
    expect(input.getAttribute('aria-activedescendant')).toBe(chosen()[0]?.id)
  })

  it('shows the open report by another dimension, its days and instance as they are', async () => {
    await open(new FakeDesk(), '#/reports/script/browsers?period=yesterday&instance=102&browser=Chrome')
    const group = screen.getByRole('group', { name: 'This report by' })
    expect(within(group).queryByRole('option', { name: 'By browser' })).toBeNull()
    await pick(/^By country/)
    await waitFor(() =>
      expect(window.location.hash).toBe('#/reports/script/geography?period=yesterday&instance=102'),
    )
  })

  it('opens saved views, and switches accounts', async () => {
    const desk = new FakeDesk({ accounts: [account, otherAccount] }).answer('views/list', () => good([saved]))
    await open(desk)
    await pick(/^Monday check/)
    await waitFor(() => expect(window.location.hash).toBe(saved.address))
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    await palette()
    await pick(/^Sample data/)
    await screen.findByRole('button', { name: 'Account: Sample data' })
  })

  it('says what is not understood of the address of a saved view', async () => {
    const odd = { ...saved, address: '#/reports/script/browsers?period=2026-11-10..2026-11-21' }
    await open(new FakeDesk().answer('views/list', () => good([odd])))
    await pick(/^Monday check/)
    await screen.findByRole('region', { name: 'Not understood in this view' })
    expect(window.location.hash).toBe('#/reports/script/browsers')
  })

  it('looks instances up as one types, and limits the figures to the one that is chosen', async () => {
    const desk = new FakeDesk()
    await open(desk, '#/reports/script/browsers?page=3')
    type(await field(), 'nord')
    await pick(/^Nordlys Travel/)
    await waitFor(() => expect(window.location.hash).toBe('#/reports/script/browsers?instance=103'))
    const asked = desk.argumentsOf('lookups/instances').filter(({ name }) => name !== null)
    expect(asked).toEqual([{ account: account.id, name: 'nord', page: 1, limit: 8 }])
  })

  it('is of use without the look-up of instances', async () => {
    const desk = new FakeDesk().answer('lookups/instances', () => failed('offline'))
    await open(desk)
    type(await field(), 'settings')
    await waitFor(() => expect(chosenWords()).toEqual(['Settings Ctrl+,']))
  })

  it('switches chart, rates and rule sets of a report', async () => {
    await open(new FakeDesk(), '#/reports/script/browsers')
    await pick(/^Show rates/)
    await waitFor(() => expect(window.location.hash).toContain('rates=1'))
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    await palette()
    expect(words()).toContain('Hide rates')
    await pick(/^Show the chart/)
    await waitFor(() => expect(window.location.hash).toContain('chart=rate'))
  })

  it('changes the theme, and says what stands in the way', async () => {
    const desk = new FakeDesk()
    await open(desk)
    await pick(/^Theme: Dark/)
    await waitFor(() => expect(desk.argumentsOf('settings/write')).toEqual([{ theme: 'dark' }]))
    desk.answer('settings/write', () => failed('disk'))
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    await palette()
    await pick(/^Theme: Light/)
    await waitFor(() => expect(said()).toContain('Words about disk.'))
  })

  it('puts what was used lately first', async () => {
    await open(new FakeDesk())
    await pick(/^Copy link/)
    await waitFor(() => expect(said()).toContain('copied'))
    await fireEvent.keyDown(document.body, { key: 'k', ctrlKey: true })
    await palette()
    const group = screen.getByRole('group', { name: 'Recently used' })
    expect(within(group).getAllByRole('option')).toHaveLength(1)
    expect(words()[0]).toBe('Copy link to this view Ctrl+Shift+C')
  })

  it('says that nothing is called so', async () => {
    await open(new FakeDesk())
    type(await field(), 'qqqqqq')
    expect(await screen.findByText('No matches.')).toBeTruthy()
  })
})

describe('a phrase', () => {
  const sourcesOf = (sources: readonly string[]) =>
    new FakeDesk().answer('lookups/sources', ({ source }) =>
      good({
        answer: {
          sources: sources.filter((each) => each.includes(source ?? '')),
          query: { results: 0, pages: 0, echo: {} },
        },
        fetchedAt: 0 as Instant,
        failure: null,
        narrowed: null,
      }),
    )

  it('finds a source and its days, and leads to both', async () => {
    const desk = sourcesOf(['northwind news', 'kestrel feed'])
    await open(desk, '#/overview')
    type(await field(), 'northwind news yesterday')
    await found().findByRole('option', { name: /northwind news/ })
    expect(desk.argumentsOf('lookups/sources').at(-1)?.source).toBe('northwind news')
    await pick(/northwind news/)
    await waitFor(() =>
      expect(window.location.hash).toBe('#/overview?period=yesterday&source=northwind+news'),
    )
  })

  it('leads to days alone, of the report that it names', async () => {
    await open(new FakeDesk(), '#/overview')
    type(await field(), 'direct browsers last week')
    await pick(/^Direct by browser, Last week/)
    await waitFor(() => expect(window.location.hash).toBe('#/reports/direct/browsers?period=last-week'))
  })

  it('offers Export in the overview too', async () => {
    await open(new FakeDesk(), '#/overview')
    type(await field(), 'export')
    expect(await found().findByRole('option', { name: /^Export…/ })).toBeTruthy()
  })
})
