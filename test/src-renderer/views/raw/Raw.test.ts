import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RawListAnswer } from '#shared/raw/list.ts'
import type { InstanceId, Instant, RawReportId } from '#shared/values/ids.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { emptyList } from '#test/src-renderer/helpers/fake-raw.ts'
import { everyState, inProgress, listOf, listed, recordOf } from '#test/src-renderer/helpers/raw-reports.ts'
import { recount } from '#test/src-renderer/helpers/made-rows.ts'
import { choose, show, type } from '#test/src-renderer/helpers/show.ts'

// What is said of a report goes on by the minute; to load the view takes longer where nothing is bundled.
beforeAll(() => import('#renderer/views/raw/Raw.svelte'))

const withList = (answer: RawListAnswer) => new FakeDesk().answer('raw/list', () => good(answer))
const table = () => screen.findByRole('table', { name: 'Raw reports' })
const header = (name: string) => screen.getByRole('columnheader', { name })
const rowOf = async (name: string) => {
  const row = within(await table())
    .getByRole('link', { name })
    .closest('tr')
  if (!row) throw new Error(`No row ${name}`)
  return within(row)
}
const asked = (desk: FakeDesk) => desk.argumentsOf('raw/list').map(({ query }) => query)
const said = () => screen.getByRole('region', { name: 'Messages' }).textContent

describe('the list of raw reports', () => {
  it('shows each report with its state in words, and what more is to be said', async () => {
    show(withList(listOf(everyState())), '#/raw')
    const words = async (name: string) => (await rowOf(name)).getAllByRole('cell')[3]?.textContent?.trim()
    expect(await words('Weekly bad traffic, Kestrel Media')).toMatch(
      /^In progress\s*for 4 min; usually takes 3 to 9 min$/,
    )
    expect(await words('Requests without answer')).toMatch(/^Ready\s*Saved$/)
    expect(await words('Too many rows')).toMatch(/^Failed\s*\w+ \d+, [\d:]+\s[AP]M$/)
    expect(await words('Too slow')).toMatch(/^Timed out\s*\w+ \d+, [\d:]+\s[AP]M$/)
    expect(await words('Thought better of')).toMatch(/^Cancelled\s*\w+ \d+, [\d:]+\s[AP]M$/)
    expect(await words('تقرير الزيارات المشبوهة')).toBe('Wird geprüft')
  })

  it('takes moments without an offset for UTC', async () => {
    const moments = {
      requested: '2026-11-20 08:00:00',
      created: '2026-11-20T08:05:00',
      expires: '2026-12-21 00:00:00',
    }
    show(withList(listOf([listed('r-1', moments)])), '#/raw')
    const row = (await rowOf('Report r-1')).getAllByRole('cell')
    const times = row.flatMap((cell) => [...cell.querySelectorAll('time')].map(({ dateTime }) => dateTime))
    expect(times).toEqual([
      '2026-11-20T08:00:00.000Z',
      '2026-11-20T08:05:00.000Z',
      '2026-12-21T00:00:00.000Z',
    ])
  })

  it('offers what can be done to each', async () => {
    show(withList(listOf(everyState())), '#/raw')
    const offered = async (name: string) =>
      (await rowOf(name)).getAllByRole('button').map((each) => each.getAttribute('aria-label'))
    expect(await offered('Weekly bad traffic, Kestrel Media')).toEqual(['Details', 'Cancel report', 'Remove'])
    expect(await offered('Last month by rule set')).toEqual(['Details', 'Download', 'Remove'])
    expect(await offered('Requests without answer')).toEqual([
      'Details',
      'Download',
      'Show in folder',
      'Open rows',
      'Remove',
    ])
    expect(await offered('Too many rows')).toEqual(['Details', 'Remove'])
    expect(await offered('Moved by hand')).toEqual(['Details', 'Download', 'Remove'])
  })

  it('is sorted by up to three headers, and says how', async () => {
    const desk = withList(listOf([listed('r-1')]))
    show(desk, '#/raw')
    await table()
    expect(header('Requested').getAttribute('aria-sort')).toBe('descending')
    await fireEvent.click(within(header('Name')).getByRole('button'))
    await waitFor(() => expect(header('Name').getAttribute('aria-sort')).toBe('ascending'))
    for (const name of ['Type', 'Created', 'Expires']) {
      await fireEvent.click(within(header(name)).getByRole('button'), { shiftKey: true })
    }
    await waitFor(() =>
      expect(asked(desk).at(-1)?.sort).toEqual([
        { column: 'name', direction: 'asc' },
        { column: 'type', direction: 'asc' },
        { column: 'expires', direction: 'desc' },
      ]),
    )
    expect(header('Expires').textContent).toContain('3')
  })

  it('is searched as one types, from the first page, and by how names begin', async () => {
    const desk = withList(listOf([listed('r-1')], { results: 900, pages: 45 }))
    show(desk, '#/raw?page=3')
    await table()
    type(screen.getByRole('searchbox', { name: 'Search' }), 'week')
    await waitFor(() => expect(asked(desk).at(-1)).toMatchObject({ search: 'week', page: 1 }))
    await fireEvent.click(screen.getByRole('checkbox', { name: 'Starts with' }))
    await waitFor(() => expect(asked(desk).at(-1)).toMatchObject({ search: 'week', startsWith: true }))
    expect(window.location.hash).toBe('#/raw?search=week&startswith=1')
  })

  it('has the id of an instance whose name another one has, as far as it is known', async () => {
    const named = (id: string, name: string) => ({
      id: id as InstanceId,
      name,
      status: 1,
      all: false,
      unknown: {},
    })
    const shared = { instance: 'Kestrel' }
    const reports = [
      { ...listed('r-1', shared), instance: '8' as InstanceId },
      ...[listed('r-2', shared), listed('r-3', { instance: 'Falcon' })],
    ]
    const desk = withList(listOf(reports)).answer('lookups/instances', () =>
      good({
        answer: {
          instances: [named('7', 'Kestrel'), named('8', 'Kestrel'), named('9', 'Falcon')],
          query: { results: 3, pages: 1, echo: {} },
        },
        ...{ fetchedAt: 0 as Instant, failure: null, narrowed: null },
      }),
    )
    show(desk, '#/raw')
    await table()
    const cells = () =>
      Array.from(document.querySelectorAll('td.of-instance'), ({ childNodes }) =>
        Array.from(childNodes, ({ textContent }) => textContent?.trim()).filter(Boolean),
      )
    await waitFor(() =>
      expect(cells()).toEqual([['Kestrel', 'ID 8'], ['Kestrel', 'ID in details'], ['Falcon']]),
    )
  })

  it('comes in pages of 20 to 1,000', async () => {
    const desk = withList(listOf([listed('r-1')], { results: 900, pages: 45 }))
    show(desk, '#/raw')
    await table()
    await fireEvent.click(screen.getByRole('button', { name: 'Next page' }))
    await waitFor(() => expect(asked(desk).at(-1)?.page).toBe(2))
    const size = screen.getByRole('combobox', { name: 'Rows per page' })
    expect(
      within(size)
        .getAllByRole('option')
        .map((each) => each.textContent),
    ).toEqual(['20', '50', '100', '200', '500', '1,000'])
    choose(size, '1,000')
    await waitFor(() => expect(asked(desk).at(-1)).toMatchObject({ page: 1, limit: 1000 }))
  })

  it('is as it was when one comes back to it, with nothing open', async () => {
    const desk = withList(listOf([listed('r-1')])).answer('raw/report', () => good(recordOf(listed('r-1'))))
    show(desk, '#/raw?search=week&limit=100&report=r-1')
    await table()
    await fireEvent.click(screen.getByRole('link', { name: 'Downloads' }))
    await screen.findByRole('heading', { name: 'Downloads' })
    await fireEvent.click(screen.getByRole('link', { name: 'Raw reports' }))
    await table()
    expect(window.location.hash).toBe('#/raw?search=week&limit=100')
    expect(screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search' }).value).toBe('week')
  })

  it('asks nothing anew while details are opened and closed', async () => {
    const desk = withList(listOf([listed('r-1')])).answer('raw/report', () => good(recordOf(listed('r-1'))))
    show(desk, '#/raw')
    await fireEvent.click((await rowOf('Report r-1')).getByRole('link'))
    await screen.findByRole('complementary', { name: 'Report r-1' })
    await fireEvent.click(screen.getByRole('button', { name: 'Close details' }))
    await waitFor(() => expect(screen.queryByRole('complementary')).toBeNull())
    expect(asked(desk)).toHaveLength(1)
  })

  it('follows what becomes of reports', async () => {
    const desk = withList(listOf([inProgress('r-1', 4)]))
    show(desk, '#/raw')
    await table()
    desk.answer('raw/list', () => good(listOf([listed('r-1')])))
    desk.emit('raw/changed', { account: account.id })
    expect(await screen.findByText('Ready')).toBeTruthy()
  })

  it('says what became of reports that were seen, once, to who does not see it', async () => {
    const desk = withList(listOf([inProgress('r-1', 4), listed('r-2')]))
    show(desk, '#/raw')
    await table()
    const live = () =>
      Array.from(document.querySelectorAll('[aria-live]'), (each) => each.textContent).join(' ')
    expect(live()).not.toContain('Report r-')
    desk.answer('raw/list', () =>
      good(listOf([listed('r-1'), listed('r-2', {}, { saved: 'saved' }), listed('r-3')])),
    )
    desk.emit('raw/changed', { account: account.id })
    await waitFor(() => expect(live()).toContain('“Report r-1”: Ready. “Report r-2”: Saved.'))
    expect(live()).not.toContain('r-3')
  })

  it('says what is allowed and left, and who used the rest', async () => {
    show(
      withList(listOf([inProgress('r-1', 4)], { usage: { by_user: [{ user: 'a.lind', minutes: 100 }] } })),
      '#/raw',
    )
    const limits = await screen.findByRole('region', { name: 'Limits' })
    expect(limits.textContent).toContain(
      '214 of 360 processing minutes left today · 1 of 1 report running from this app · Limit: 2 at a time from the dashboard',
    )
    expect(within(limits).getByText('a.lind')).toBeTruthy()
  })

  it.each([
    ['of which there is none', { ...emptyList, fetchedAt: 1 as Instant }, 'No raw reports yet'],
    [
      'that was never read',
      { ...emptyList, failure: { kind: 'offline' as const, message: 'No way.' } },
      'Raw reports not loaded yet',
    ],
  ])('%s says so', async (_, answer, title) => {
    show(withList(answer), '#/raw')
    expect(await screen.findByRole('heading', { name: title })).toBeTruthy()
  })

  it('that matches nothing gives its search back', async () => {
    const desk = withList({ ...emptyList, fetchedAt: 1 as Instant })
    show(desk, '#/raw?search=zzz')
    const clear = await screen.findByRole('button', { name: 'Clear the search' })
    await fireEvent.click(clear)
    await waitFor(() => expect(asked(desk).at(-1)?.search).toBe(''))
  })

  it('stays readable offline, with its age', async () => {
    const failure = { kind: 'offline' as const, message: 'No way.' }
    show(withList(listOf([listed('r-1')], { failure })), '#/raw')
    await table()
    expect(screen.getByText(/^List updated .*\. Can't reach the service\.$/)).toBeTruthy()
  })

  it('that the service lists no longer, or not all of, stays with a line above it', async () => {
    const desk = withList(listOf([listed('r-1')], { lack: { reports: 1, isEmpty: true } }))
    show(desk, '#/raw')
    const line = screen.findByText(/^The service's list/)
    expect((await line).textContent).toBe(
      "The service's list was empty. Traffic Desk keeps the last one and checks again.",
    )
    expect((await line).compareDocumentPosition(await table())).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
    desk.answer('raw/list', () => good(listOf([listed('r-1')], { lack: { reports: 3, isEmpty: false } })))
    desk.emit('raw/changed', { account: account.id })
    await screen.findByText(
      "The service's list is missing 3 reports. Traffic Desk keeps them and checks again.",
    )
    desk.answer('raw/list', () => good(listOf([listed('r-1')])))
    desk.emit('raw/changed', { account: account.id })
    await waitFor(() => expect(screen.queryByText(/^The service's list/)).toBeNull())
  })

  it('that the service refuses says why', async () => {
    show(
      new FakeDesk().answer('raw/list', () => failed('no-right')),
      '#/raw',
    )
    expect((await screen.findByRole('alert')).textContent).toContain('Words about no-right.')
  })

  it('draws what a service writes as text, whatever it is', async () => {
    const name = '<img src=x onerror=alert(1)>'
    show(withList(listOf([listed('r-1', { name, status: name, created: null })])), '#/raw')
    expect((await table()).querySelector('img')).toBeNull()
    expect(within(await table()).getAllByText(name).length).toBeGreaterThan(1)
  })
})

describe('what is done to reports', () => {
  it('is cancelling, where what the service says against it is said', async () => {
    const desk = withList(listOf([inProgress('r-1', 4)])).answer('raw/cancel', () =>
      good({ done: [], failed: [{ id: 'r-1' as RawReportId, name: 'Report r-1', words: 'Too late.' }] }),
    )
    show(desk, '#/raw')
    await fireEvent.click((await rowOf('Report r-1')).getByRole('button', { name: 'Cancel report' }))
    await waitFor(() => expect(said()).toContain('“Report r-1” was not cancelled. Too late.'))
  })

  it('is removing, with a way back until it is sent', async () => {
    const desk = withList(listOf([listed('r-1'), listed('r-2')]))
    show(desk, '#/raw')
    await fireEvent.click((await rowOf('Report r-2')).getByRole('button', { name: 'Remove' }))
    expect(desk.argumentsOf('raw/remove')).toEqual([{ account: account.id, reports: ['r-2'] }])
    const undo = await screen.findByRole('button', { name: /Undo/ })
    await fireEvent.click(undo)
    await waitFor(() =>
      expect(desk.argumentsOf('raw/undo-remove')).toEqual([{ account: account.id, reports: ['r-2'] }]),
    )
    await waitFor(() => expect(said()).toContain('“Report r-2” stays.'))
  })

  it('says so where the way back comes too late', async () => {
    const desk = withList(listOf([listed('r-1')])).answer('raw/undo-remove', () => good([]))
    show(desk, '#/raw')
    await fireEvent.click((await rowOf('Report r-1')).getByRole('button', { name: 'Remove' }))
    await fireEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(said()).toContain('Too late'))
  })

  it('is removing many at once, and naming those that stayed', async () => {
    const desk = withList(listOf([listed('r-1'), listed('r-2'), listed('r-3')]))
    show(desk, '#/raw')
    for (const name of ['Report r-1', 'Report r-3']) {
      await fireEvent.click((await rowOf(name)).getByRole('checkbox'))
    }
    const selection = screen.getByRole('group', { name: 'Selected reports' })
    expect(selection.textContent).toContain('2 selected')
    await fireEvent.click(within(selection).getByRole('button', { name: 'Remove' }))
    await waitFor(() => expect(desk.argumentsOf('raw/remove')[0]?.reports).toEqual(['r-1', 'r-3']))
    desk.emit('raw/removed', {
      account: account.id,
      done: ['r-1' as RawReportId],
      failed: [{ id: 'r-3' as RawReportId, name: 'Report r-3', words: 'It is in use.' }],
    })
    const alert = await screen.findByRole('alert', { name: 'Not removed' })
    expect(alert.textContent).toContain('Report r-3: It is in use.')
    await fireEvent.click(within(alert).getByRole('button', { name: 'Dismiss' }))
    await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  })

  it('is saving and showing a file without a word yet of its download', async () => {
    const reports = [listed('r-1'), listed('r-2', {}, { saved: 'saved' })]
    const desk = withList(listOf(reports)).answer('downloads/start', () => good(null))
    show(desk, '#/raw')
    const press = async (row: string, name: string) =>
      fireEvent.click((await rowOf(row)).getByRole('button', { name }))
    await press('Report r-2', 'Show in folder')
    expect(desk.argumentsOf('downloads/show-report')).toEqual([{ account: account.id, report: 'r-2' }])
    await press('Report r-1', 'Download')
    await press('Report r-2', 'Download')
    expect(desk.argumentsOf('downloads/start')).toEqual([
      { account: account.id, report: 'r-1', choose: false },
      { account: account.id, report: 'r-2', choose: false, anew: true },
    ])
  })

  it('is done by keys: arrows from row to row in the same place, Delete to remove', async () => {
    const desk = withList(listOf([listed('r-1'), listed('r-2'), listed('r-3')]))
    show(desk, '#/raw')
    const first = (await rowOf('Report r-1')).getByRole('button', { name: 'Details' })
    first.focus()
    await fireEvent.keyDown(first, { key: 'ArrowDown' })
    const second = (await rowOf('Report r-2')).getByRole('button', { name: 'Details' })
    expect(document.activeElement).toBe(second)
    await waitFor(() => expect([first.tabIndex, second.tabIndex]).toEqual([-1, 0]))
    await fireEvent.keyDown(second, { key: 'End' })
    await fireEvent.keyDown(document.activeElement ?? second, { key: 'Delete' })
    await waitFor(() => expect(desk.argumentsOf('raw/remove')[0]?.reports).toEqual(['r-3']))
  })
})

describe('the details of a report', () => {
  it('note what its rows came to beside the tables, with a door to the recount', async () => {
    const stored = { countedAt: 1_763_000_000_000 as Instant, readAt: 1 as Instant, recount }
    const desk = withList(listOf([listed('r-1')]))
      .answer('raw/report', () => good(recordOf(listed('r-1'))))
      .answer('rows/recounted', () => good(stored))
    show(desk, '#/raw?report=r-1')
    await screen.findByText('Differs by 12 of 348 (3.45%)')
    screen.getByText('The service restated a day after the report was made.')
    desk.answer('rows/recounted', () =>
      good({ ...stored, recount: { ...recount, outcome: 'agrees', reasons: [] } }),
    )
    desk.emit('rows/changed', { account: account.id })
    await screen.findByText('Matches the tables')
    await fireEvent.click(screen.getByRole('button', { name: 'Show recount' }))
    await waitFor(() => expect(window.location.hash).toContain('#/rows/report-r-1'))
  })

  const withRecord = () =>
    withList(listOf([listed('r-1')])).answer('raw/report', () =>
      good(recordOf(listed('r-1'), { unknown: { priority: 'high' } })),
    )

  it('open from the list, get the focus and give it back', async () => {
    show(withRecord(), '#/raw')
    await fireEvent.click((await rowOf('Report r-1')).getByRole('button', { name: 'Details' }))
    expect(window.location.hash).toBe('#/raw?report=r-1')
    const heading = await screen.findByRole('heading', { name: 'Report r-1' })
    await waitFor(() => expect(document.activeElement).toBe(heading))
    await fireEvent.keyDown(heading, { key: 'Escape' })
    expect(window.location.hash).toBe('#/raw')
    const link = (await rowOf('Report r-1')).getByRole('link')
    await waitFor(() => expect(document.activeElement).toBe(link))
  })

  it('that cannot be had are headed with the name that the list knows', async () => {
    const desk = withList(listOf([listed('r-1')])).answer('raw/report', () => failed('offline'))
    show(desk, '#/raw?report=r-1')
    const panel = await screen.findByRole('complementary', { name: 'Report r-1' })
    expect((await within(panel).findByRole('alert')).textContent).toContain('Words about offline.')
  })

  it('that cannot be had of a report that is not listed say that it is one', async () => {
    const desk = withList(listOf([listed('r-1')])).answer('raw/report', () => failed('offline'))
    show(desk, '#/raw?report=r-2')
    expect(await screen.findByRole('complementary', { name: 'Report' })).toBeTruthy()
  })

  it('say everything of the record, columns and filters in words', async () => {
    show(withRecord(), '#/raw?report=r-1')
    const panel = await screen.findByRole('complementary', { name: 'Report r-1' })
    const fact = (name: string) =>
      within(panel).getByText(name, { selector: 'dt' }).nextElementSibling?.textContent
    await within(panel).findByText('OS name')
    expect(fact('Filters')).toMatch(/Result is bad\s*Additional 3 is not empty/)
    expect(fact('Additional columns')?.replaceAll(/\s/g, '')).toBe('13')
    expect(fact('Size')).toContain('12.4 MB')
    expect(fact('Rows')).toContain('184,203')
    expect(fact('Processing minutes')).toContain('4')
    expect(fact('Email when ready')).toContain('No')
    expect(fact('Priority')).toContain('high')
    for (const name of [
      'Requested',
      'Created',
      'Failed',
      'Timed out',
      'Cancelled',
      'Email sent',
      'Expires',
    ]) {
      expect(fact(name)).toBeTruthy()
    }
  })

  it('lead to the form that asks for it again', async () => {
    show(withRecord(), '#/raw?report=r-1')
    await fireEvent.click(await screen.findByRole('button', { name: 'Request again…' }))
    expect(window.location.hash).toBe('#/raw?form=report%3Ar-1')
  })

  it('of a report that is not there say so', async () => {
    show(
      withList(listOf([])).answer('raw/report', () => failed('not-found')),
      '#/raw?report=gone',
    )
    expect((await screen.findByRole('alert')).textContent).toContain('Words about not-found.')
  })
})
