import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { dimensionNames, offers, reportName, headersOf, familyNames } from '#shared/api/dimensions.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { FakeDesk, failed, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, tableAnswer } from '#test/src-renderer/helpers/figures.ts'
import { choose, pick, show, standAt, type } from '#test/src-renderer/helpers/show.ts'

// What a searchable list needs is prepared once, so that no test waits for that.
beforeAll(async () => {
  await import('#renderer/components/filters/LookupCombobox.svelte')
  await import('#renderer/components/dates/PeriodPopover.svelte')
}, 60_000)
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const newest = (desk: FakeDesk) => desk.argumentsOf('reports/ask').at(-1)?.query as TableQuery
const theTable = (name: string) => screen.findByRole('grid', { name })
const select = (name: string) => screen.getByRole('combobox', { name })

/** The named periods, a calendar, and fields for days that are typed. */
async function openPeriod() {
  screen.getByRole('button', { name: /^Period: / }).click()
  await screen.findByRole('dialog', { name: 'Choose days' })
}

async function browsers(desk = new FakeDesk(), rest = '') {
  show(desk, `#/reports/script/browsers${rest}`)
  await theTable('Script by browser')
  return desk
}

describe('a report', () => {
  it.each(
    familyNames.flatMap((family) =>
      dimensionNames.filter((each) => offers(family, each)).map((dimension) => [family, dimension] as const),
    ),
  )('is there for %s/%s, with its headers', async (family, dimension) => {
    show(new FakeDesk(), `#/reports/${family}/${dimension}`)
    const table = await theTable(reportName(family, dimension))
    const [, volume] = headersOf(family, dimension)
    const watched = family === 'script' ? 'Bad' : 'Suspect'
    const seen = within(table)
      .getAllByRole('columnheader')
      .slice(1)
      .map((header) => header.title)
    expect(seen).toEqual([volume, watched, `${watched} Rate`])
  })

  it('shows the rate and its change by default, and what its address asks for besides', async () => {
    const seenAt = async (search: string) => {
      const { unmount } = show(new FakeDesk(), `#/reports/script/browsers${search}`)
      const table = await theTable('Script by browser')
      const headers = within(table).getAllByRole('columnheader')
      const seen = headers.slice(1).map((header) => header.title)
      unmount()
      return seen
    }
    expect(await seenAt('?compare=period-before')).toEqual(['Requests', 'Bad', 'Bad Rate', 'Bad Rate change'])
    expect(await seenAt('?sort=desc%3AGood')).toEqual(['Requests', 'Good', 'Bad', 'Bad Rate'])
    expect(await seenAt('?compare=period-before&sort=desc%3ABad+change')).toEqual([
      ...['Requests', 'Bad', 'Bad change', 'Bad Rate', 'Bad Rate change'],
    ])
    expect(await seenAt('?rates=1')).toEqual([
      ...['Requests', 'Requests Rate', 'Responses Rate', 'Good Rate', 'Warning Rate', 'Bad', 'Bad Rate'],
      ...['Mobile Rate', 'Ad Blocker Rate'],
    ])
    expect(await seenAt('?rules=1')).toEqual(['Requests', 'Bad', 'Bad Rate', 'UE', 'SP', 'DC'])
  })

  it('shows all columns when asked, remembers it, and puts them back', async () => {
    const desk = await browsers(new FakeDesk(), '?compare=period-before')
    const seen = () =>
      screen
        .getAllByRole('columnheader')
        .slice(1)
        .map((header) => header.title)
    const press = async (name: string) => fireEvent.click(await screen.findByRole('button', { name }))
    await press('Columns')
    await press('Show all')
    await waitFor(() => expect(seen()).toContain('Ad Blocker change'))
    expect(seen()).not.toContain('Good Rate')
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Change of each column' }))
    await waitFor(() => expect(seen().filter((name) => name.endsWith('change'))).toEqual(['Bad Rate change']))
    expect(desk.argumentsOf('layouts/write').at(-1)).toMatchObject({ report: 'script/browsers' })
    await press('Reset')
    await waitFor(() => expect(seen()).toEqual(['Requests', 'Bad', 'Bad Rate', 'Bad Rate change']))
    expect(desk.argumentsOf('layouts/write').at(-1)).toEqual({ report: 'script/browsers', layout: null })
  })

  it('shows labels and figures, the row for all first, and null as a dash', async () => {
    await browsers(new FakeDesk(), '?sort=asc%3AAd+Blocker')
    const [, all, first] = screen.getAllByRole('row')
    if (!all || !first) throw new Error('Rows are missing')
    expect(within(all).getByRole('rowheader', { name: 'All' })).toBeTruthy()
    expect(within(first).getByRole('rowheader', { name: 'Chrome' })).toBeTruthy()
    expect([all, first].map((row) => row.getAttribute('aria-rowindex'))).toEqual(['2', '3'])
    expect(
      within(screen.getByRole('row', { name: /^Edge/ }))
        .getAllByRole('gridcell')
        .at(-1)?.textContent,
    ).toBe('–')
    expect(screen.getByRole('grid').textContent).not.toMatch(/NaN|undefined[^)]|\bnull\b/)
  })

  it('says what it is compared with in its field alone: that narrows nothing', async () => {
    await browsers(new FakeDesk(), '?compare=period-before&source=news')
    const filters = screen.getByRole('list', { name: 'Filters' })
    expect(
      within(filters)
        .getAllByRole('listitem')
        .map(({ textContent }) => textContent.trim()),
    ).toEqual([expect.stringContaining('Source: news')])
    expect(screen.getByRole<HTMLSelectElement>('combobox', { name: 'Compare with' }).value).toBe(
      'period-before',
    )
  })

  it.each([
    ['fewer-rows', 'the service sent fewer rows than it announced'],
    ['rows-moved', 'the pages are from different times, so some rows may be missing'],
    ['moments-differ', 'the total and the rows are from different times'],
  ] as const)('says that figures do not add up, and why: %s', async (doubt, words) => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, doubt } })
    })
    await browsers(desk)
    expect(screen.getByRole('group', { name: 'Does not add up' }).textContent.trim()).toContain(
      `Does not add up: ${words}.`,
    )
  })

  it('says that their scope is in doubt, which is not that they do not add up', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, doubt: 'scope' } })
    })
    await browsers(desk)
    expect(screen.getByRole('group', { name: 'Doubtful scope' }).textContent.trim()).toMatch(
      /^Doubtful scope:\s+figures may include or lack instances whose access has changed/,
    )
    expect(screen.queryByText(/oes not add up/)).toBeNull()
  })

  it('says nothing of that where they do', async () => {
    await browsers()
    expect(screen.queryByRole('group', { name: 'Does not add up' })).toBeNull()
  })

  it('treats labels as text, whatever they hold', async () => {
    await browsers()
    expect(screen.getByRole('rowheader', { name: '<img src=x onerror=alert(1)>' })).toBeTruthy()
    expect(document.querySelector('tbody img')).toBeNull()
    expect(screen.getByRole('rowheader', { name: '(empty)' })).toBeTruthy()
  })

  it('cuts a label of ten thousand letters, and shows it whole when asked', async () => {
    await browsers()
    const more = screen.getByRole('button', { name: 'More' })
    expect(more.closest('th')?.textContent?.length).toBeLessThan(200)
    more.click()
    const dialog = await screen.findByRole('dialog', { name: 'Full label' })
    expect(within(dialog).getByRole('region', { name: 'Label' }).textContent).toContain('x'.repeat(10_000))
  })

  it('counts every row of a thousand, though it draws those alone that are seen', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 1000)))
    await browsers(desk, '?limit=1000')
    await waitFor(() => expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('1002'))
  })

  it('draws every row of a short page, for who reads or searches it without scrolling', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 100)))
    await browsers(desk, '?limit=100')
    await waitFor(() => expect(screen.getByRole('grid').getAttribute('aria-rowcount')).toBe('102'))
    const rows = within(screen.getByRole('grid')).getAllByRole('row')
    expect(rows.map((row) => Number(row.getAttribute('aria-rowindex'))).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 102 }, (_, index) => index + 1),
    )
  })

  it('gives no column the label of a field', async () => {
    await browsers()
    expect(screen.getAllByRole('columnheader', { name: 'Browser' })).toHaveLength(1)
    expect(screen.getByLabelText('Browser', { exact: true }).tagName).toBe('INPUT')
  })

  it('asks for what is chosen', async () => {
    const desk = await browsers()
    choose(select('Dimension'), 'Devices')
    await theTable('Script by device')
    choose(select('Family'), 'Direct')
    await theTable('Direct by device')
    await pick('Instance', 'Kestrel Bank')
    await waitFor(() => expect(newest(desk).instance).toBe('102'))
    screen.getByRole('checkbox', { name: 'Rates' }).click()
    await screen.findByRole('columnheader', { name: 'Suspect Rate' })
    screen.getByRole('checkbox', { name: 'Rule sets' }).click()
    await screen.findByRole('columnheader', { name: 'UE' })
    expect(newest(desk)).toMatchObject({ family: 'direct', dimension: 'devices', rates: true, rules: true })
    expect(window.location.hash).toBe('#/reports/direct/devices?instance=102&rates=1&rules=1')
  })

  it('keeps its order when rates and rule sets come in', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers?sort=desc%3AMobile')
    await theTable('Script by browser')
    const rates = await screen.findByRole('checkbox', { name: 'Rates' })
    rates.click()
    screen.getByRole('checkbox', { name: 'Rule sets' }).click()
    await waitFor(() => expect(newest(desk)).toMatchObject({ rates: true, rules: true }))
    expect(newest(desk)).toMatchObject({ sort: [{ header: 'Mobile', direction: 'desc' }] })
  })

  it('leaves a dimension that the other family has not', async () => {
    show(new FakeDesk(), '#/reports/script/referrers')
    await theTable('Script by referrer')
    choose(select('Family'), 'Direct')
    await theTable('Direct by instance')
  })

  it.each([
    ['Yesterday', '2026-11-19', '2026-11-19'],
    ['Last 28 days', '2026-10-23', '2026-11-19'],
    ['This month', '2026-11-01', '2026-11-20'],
  ])('of %s runs from %s to %s', async (name, start, end) => {
    const desk = await browsers()
    expect(newest(desk).range).toEqual({ start: '2026-11-13', end: '2026-11-19' })
    await openPeriod()
    screen.getByRole('button', { name }).click()
    await waitFor(() => expect(newest(desk).range).toEqual({ start, end }))
    await waitFor(() => expect(screen.queryByRole('dialog', { name: 'Choose days' })).toBeNull())
    await openPeriod()
    expect(screen.getByRole('button', { name }).getAttribute('aria-pressed')).toBe('true')
  })

  it("counts days in the account's zone", async () => {
    const desk = new FakeDesk()
    desk.state = {
      ...desk.state,
      accounts: desk.state.accounts.map((each) => ({ ...each, dayZone: 'Pacific/Kiritimati' })),
    }
    await browsers(desk, '?period=yesterday')
    expect(newest(desk).range.end).toBe('2026-11-20')
  })

  it('of custom days says what is wrong with them, and asks when they are right', async () => {
    const desk = await browsers()
    await openPeriod()
    type(await screen.findByLabelText('End'), '2026-11-01')
    expect((await screen.findByRole('alert')).textContent).toBe('End is before start.')
    expect(screen.getByLabelText('End').getAttribute('aria-invalid')).toBe('true')
    type(screen.getByLabelText('Start'), '2026-10-30')
    await waitFor(() => expect(newest(desk).range).toEqual({ start: '2026-10-30', end: '2026-11-01' }))
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('is sorted by a click on a header, from its first page', async () => {
    const desk = await browsers(new FakeDesk(), '?page=2')
    const header = () => screen.getByRole('columnheader', { name: 'Bad Rate' })
    within(header()).getByRole('button').click()
    await waitFor(() => expect(header().getAttribute('aria-sort')).toBe('descending'))
    expect(newest(desk).page).toBe(1)
    within(header()).getByRole('button').click()
    await waitFor(() => expect(header().getAttribute('aria-sort')).toBe('ascending'))
    expect(newest(desk).sort).toHaveLength(1)
    await fireEvent.click(within(screen.getByRole('columnheader', { name: 'Bad' })).getByRole('button'), {
      shiftKey: true,
    })
    await waitFor(() => expect(newest(desk).sort).toHaveLength(2))
  })

  it('takes up every column that is clicked, however long the rows take', async () => {
    const desk = await browsers()
    const slow = pending<CallOutcome<'reports/ask'>>()
    desk.answer('reports/ask', () => slow.promise)
    const headers = ['Bad Rate', 'Bad', 'Browser'].map((name) => screen.getByRole('columnheader', { name }))
    await Promise.all(
      headers.map((header, place) =>
        fireEvent.click(within(header).getByRole('button'), { shiftKey: place > 0 }),
      ),
    )
    await waitFor(() =>
      expect(newest(desk).sort).toEqual([
        { header: 'Bad Rate', direction: 'desc' },
        { header: 'Bad', direction: 'desc' },
        { header: 'Browser', direction: 'asc' },
      ]),
    )
  })

  it('goes through its pages', async () => {
    const desk = await browsers()
    expect(screen.getByText('Page 1 of 5')).toBeTruthy()
    screen.getByRole('button', { name: 'Previous page' }).click()
    screen.getByRole('button', { name: 'Next page' }).click()
    await screen.findByText('Page 2 of 5')
    choose(select('Rows per page'), '50')
    await screen.findByText('Page 1 of 2')
    expect(newest(desk)).toMatchObject({ page: 1, limit: 50 })
  })

  it('is searched, without a step to go back to for every letter', async () => {
    const desk = await browsers()
    const steps = window.history.length
    type(screen.getByRole('searchbox', { name: 'Search' }), 'chr')
    await waitFor(() => expect(newest(desk).search).toBe('chr'))
    screen.getByRole('checkbox', { name: 'Starts with' }).click()
    await waitFor(() => expect(newest(desk).startsWith).toBe(true))
    expect(window.history.length).toBe(steps + 1)
  })

  it('is searched and filtered by what was pasted, without what the clipboard added', async () => {
    const desk = await browsers()
    type(screen.getByRole('searchbox', { name: 'Search' }), '\u200b“Chrome’s\u00a0own”\ufeff')
    await waitFor(() => expect(newest(desk).search).toBe("Chrome's own"))
    const field = screen.getByLabelText<HTMLInputElement>('Browser')
    type(field, '\u2060"Chrome\u2009Mobile"\u3000')
    field.dispatchEvent(new FocusEvent('blur'))
    await waitFor(() => expect(newest(desk).filters).toEqual({ browser: 'Chrome Mobile' }))
  })

  it('is asked for by hand', async () => {
    const desk = await browsers()
    screen.getByRole('button', { name: 'Refresh' }).click()
    await waitFor(() =>
      expect(desk.argumentsOf('reports/ask').map(({ force }) => force)).toEqual([false, true]),
    )
  })

  it('shows filters that have no field, and takes them back', async () => {
    const desk = await browsers(new FakeDesk(), '?source=news&browser=Chrome')
    expect(newest(desk)).toMatchObject({ filters: { browser: 'Chrome' }, source: 'news' })
    screen.getByRole('button', { name: 'Remove the filter Browser' }).click()
    await waitFor(() => expect(newest(desk)).toMatchObject({ filters: {}, source: 'news' }))
  })

  it('says that there are no rows, and how to find some', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) =>
      good(tableAnswer(query as TableQuery, 0)),
    )
    show(desk, '#/reports/script/browsers?search=zz')
    expect(await screen.findByRole('heading', { name: 'No rows match “zz”' })).toBeTruthy()
    screen.getByRole('button', { name: 'Clear the search' }).click()
    expect(await screen.findByRole('heading', { name: 'No rows' })).toBeTruthy()
  })

  it('never stands under the name of the next one', async () => {
    const slow = pending<CallOutcome<'reports/ask'>>()
    const desk = await browsers()
    desk.answer('reports/ask', () => slow.promise)
    choose(select('Dimension'), 'Devices')
    await waitFor(() => expect(screen.queryByRole('grid')).toBeNull())
    expect(screen.getByRole('heading', { level: 1, name: 'Script by device' })).toBeTruthy()
    slow.resolve(good(answerFor(newest(desk))))
    await theTable('Script by device')
  })
})

describe('a report that cannot be had', () => {
  it.each([
    ['malformed', "Can't read the reply"],
    ['timed-out', 'The service took too long'],
    ['no-right', "This token can't see these figures"],
    ['bad-request', 'The service rejected the request'],
    ['not-found', 'The service has no such report'],
    ['server-trouble', 'The service has a problem'],
    ['refused-token', 'The service rejected the access token'],
    ['internal', 'Something went wrong inside Traffic Desk'],
  ] as const)('because of %s says so and can be asked for again', async (kind, title) => {
    const desk = new FakeDesk().answer('reports/ask', () => failed(kind, { said: 'theirs' }))
    show(desk, '#/reports/script/browsers')
    const alert = await screen.findByRole('alert')
    expect(within(alert).getByRole('heading', { name: title })).toBeTruthy()
    expect(alert.textContent).toContain(`Words about ${kind}.`)
    expect(alert.textContent).toContain('theirs')
    desk.answer('reports/ask', ({ query }) => good(answerFor(query)))
    within(alert).getByRole('button', { name: 'Retry' }).click()
    await theTable('Script by browser')
  })

  it('because of its days offers fewer', async () => {
    const desk = new FakeDesk().answer('reports/ask', () => failed('out-of-window'))
    show(desk, '#/reports/script/browsers?period=last-28-days')
    ;(await screen.findByRole('button', { name: 'Show the last 7 days' })).click()
    await waitFor(() => expect(newest(desk).range.start).toBe('2026-11-13'))
  })

  it('offline says what is missing', async () => {
    const desk = new FakeDesk({ connection: { kind: 'offline' } }).answer('reports/ask', () =>
      failed('offline'),
    )
    show(desk, '#/reports/script/browsers')
    expect(await screen.findByRole('heading', { name: 'Nothing saved for this view yet' })).toBeTruthy()
    expect(screen.getByText(/^You haven't opened this view online/)).toBeTruthy()
    expect(screen.getByRole('status').textContent?.trim()).toBe('Offline. Nothing saved for this view yet')
  })
})

describe('filters that another dimension cannot take', () => {
  const chips = () => screen.getByRole('list', { name: 'Filters' }).textContent

  it('are shown as set aside, and lead back', async () => {
    await browsers(new FakeDesk(), '?source=news&browser=Chrome')
    choose(select('Dimension'), 'Networks')
    await theTable('Script by network')
    expect(chips()).toMatch(/Source:\s*news/)
    expect(chips()).toMatch(/Paused filter:\s*Browser = Chrome/)
    await fireEvent.click(screen.getByRole('link', { name: /^Paused filter/ }))
    await theTable('Script by browser')
    expect(decodeURIComponent(window.location.hash)).toContain('browser=Chrome')
    expect(chips()).not.toMatch(/Paused filter/)
  })

  it('are forgotten by hand', async () => {
    await browsers(new FakeDesk(), '?browser=Chrome')
    choose(select('Dimension'), 'Networks')
    await theTable('Script by network')
    await fireEvent.click(screen.getByRole('button', { name: /^Discard paused filter/ }))
    await waitFor(() => expect(screen.queryByText(/Paused filter/)).toBeNull())
  })
})

describe('the filters of a report', () => {
  const family = () => screen.queryByRole('combobox', { name: 'Family' })
  const fold = () => screen.getByRole('button', { name: /^(Show|Hide) filters$/ })

  it('fold away to leave room for rows, and are found so the next time', async () => {
    await browsers()
    expect(fold().getAttribute('aria-expanded')).toBe('true')
    await fireEvent.click(fold())
    expect(family()).toBeNull()
    cleanup()
    await browsers()
    expect(family()).toBeNull()
    await fireEvent.click(fold())
    expect(family()).toBeTruthy()
  })

  it('unfold where one of them is the next to be filled in', async () => {
    await browsers()
    await fireEvent.click(fold())
    await fireEvent.click(screen.getByRole('button', { name: 'Safari' }))
    await waitFor(() => expect(fold().getAttribute('aria-expanded')).toBe('true'))
  })
})
