import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { tick } from 'svelte'
import { describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { scopeLine } from '#shared/cases/scope.ts'
import type { ShownCase } from '#shared/cases/case.ts'
import type { Instant, InstanceId } from '#shared/values/ids.ts'
import { account, failed, good, otherAccount, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { findings, madeCase } from '#test/src-renderer/helpers/made-case.ts'
import { fileOf, madeFile, rowsDesk, wholeState } from '#test/src-renderer/helpers/made-rows.ts'
import { choose, show, type } from '#test/src-renderer/helpers/show.ts'

const address = `#/cases/${madeCase.id}`
const which = { account: account.id, id: madeCase.id }

function caseDesk(first: ShownCase = madeCase) {
  let stored = first
  return rowsDesk()
    .answer('cases/of', () => good(stored))
    .answer('cases/list', () => good([stored]))
    .answer('cases/make', () => {
      stored = { ...stored, made: { ...findings, now: findings.before }, before: stored.made }
      return good(stored)
    })
}

describe('a case', () => {
  it('shows what was bad beside before and the others, the rows, the recount and the method', async () => {
    show(caseDesk(), address)
    await screen.findByRole('heading', { name: 'Newsletter of autumn', level: 1 })
    screen.getByText(
      /^Source newsletter, all instances: 200 of 1,000 requests were bad \(20\.0%\)\. In the two days before, it was 10\.0%\. All other sources together: 5\.0%\. Raw rows behind it: 300, 180 of them bad \(60\.0%\)\.$/,
    )
    const sources = screen.getByRole('table', { name: 'Sources in the same archives' })
    within(sources).getByRole('rowheader', { name: 'newsletter (this case)' })
    within(screen.getByRole('table', { name: 'By rule set' })).getByRole('rowheader', { name: 'None' })
    within(screen.getByRole('table', { name: 'Archives' })).getByText(/^Differs by 12 of 348/)
    screen.getByText('Responses classified as invalid traffic.')
    screen.getByText('Type: User agent')
    screen.getByText(
      /^Two rates: by the tables, 20\.0% of all requests were bad\. Of the raw rows, 60\.0% are bad\./,
    )
    screen.getByText(/^Nothing\. Figures are complete/)
    const scope = 'Script · All instances · Source newsletter · All campaigns · Nov 16 – 17, 2026 · UTC'
    // Beside the title there is no room for it.
    expect(screen.getByText(scope).closest('.way')).not.toBeNull()
    expect(document.title).toContain('All instances')
    expect(screen.getByRole('link', { name: 'Cases', current: 'page' })).toBeTruthy()
  })

  it('is made when it is opened for the first time, and says why where that fails', async () => {
    const desk = caseDesk({ ...madeCase, made: null })
    desk.answer('cases/make', () => failed('internal'))
    show(desk, address)
    await screen.findByRole('heading', { name: 'Something went wrong inside Traffic Desk' })
    expect(desk.argumentsOf('cases/make')).toEqual([which])
  })

  it('is made again, and says what changed', async () => {
    show(caseDesk(), address)
    await fireEvent.click(await screen.findByRole('button', { name: 'Update' }))
    await screen.findByRole('heading', { name: /^What changed since/ })
    const changed = within(screen.getByRole('table', { name: 'What changed' }))
    const cells = changed.getAllByRole('row').map((row) => row.textContent.trim())
    expect(cells).toEqual(['FigureThenNow', 'Bad200100'])
  })

  it('shows what it came to, and why it could not be updated', async () => {
    const message = 'The service is offline: the case keeps the figures of Nov 26, 2026, 3:12 PM.'
    const desk = caseDesk().answer('cases/make', () => failed('offline', { message }))
    show(desk, address)
    await fireEvent.click(await screen.findByRole('button', { name: 'Update' }))
    const alert = within(await screen.findByRole('alert'))
    alert.getByText(message)
    screen.getByText(/200 of 1,000 requests were bad/)
    expect(screen.queryByText('The case is up to date.')).toBeNull()
    desk.answer('cases/make', () => good(madeCase))
    await fireEvent.click(alert.getByRole('button', { name: 'Retry' }))
    await screen.findByText('The case is up to date.')
    expect(screen.queryByRole('alert')).toBeNull()
  })

  it('keeps what a person writes, is saved, and is deleted when that is confirmed', async () => {
    const desk = caseDesk()
    show(desk, address)
    type(await screen.findByRole('textbox', { name: 'Notes' }), 'They answered.')
    await waitFor(() =>
      expect(desk.argumentsOf('cases/change')).toEqual([
        { ...which, name: madeCase.entry.name, notes: 'They answered.' },
      ]),
    )
    type(screen.getByRole('textbox', { name: 'Name' }), ' ')
    await screen.findByText('Enter a name.')
    expect(desk.argumentsOf('cases/change')).toHaveLength(1)
    await fireEvent.click(screen.getByRole('button', { name: 'Save evidence pack' }))
    expect(desk.argumentsOf('cases/save')).toEqual([which])
    await fireEvent.click(screen.getByRole('button', { name: 'Delete case' }))
    expect(desk.argumentsOf('cases/remove')).toEqual([])
    await fireEvent.click(await screen.findByRole('button', { name: 'Delete' }))
    await waitFor(() => expect(window.location.hash).toBe('#/cases'))
    expect(desk.argumentsOf('cases/remove')).toEqual([which])
  })

  it('says what is missing before anything is saved, and asks for rows or saves all the same', async () => {
    const lacks = [
      { what: 'Raw rows of Shop', failure: { kind: 'invalid', message: 'No raw report.' } as const },
    ]
    const made = { ...findings, covers: 'part' as const, lacks }
    const desk = caseDesk({ ...madeCase, made })
    show(desk, address)
    await fireEvent.click(await screen.findByRole('button', { name: 'Save evidence pack' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Save an incomplete pack?' }))
    dialog.getByText('Raw rows of Shop: No raw report.')
    expect(desk.argumentsOf('cases/save')).toEqual([])
    await fireEvent.click(dialog.getByRole('button', { name: 'Save anyway' }))
    expect(desk.argumentsOf('cases/save')).toEqual([which])
  })

  it('says how many raw reports rows take, and requests those that were agreed to', async () => {
    const instance = { id: '101' as InstanceId, name: 'Shop' }
    const plan = {
      reports: [{ instance, range: madeCase.entry.scope.range }],
      omissions: ['Days before are gone.'],
    }
    const desk = caseDesk({ ...madeCase, made: { ...findings, covers: 'none', archives: [] } })
      .answer('cases/plan-rows', () => good(plan))
      .answer('cases/add-rows', () => good(null))
    show(desk, address)
    await fireEvent.click(await screen.findByRole('button', { name: 'Add rows' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add rows' }))
    await dialog.findByText('Shop, Nov 16 – 17, 2026')
    dialog.getByText('Days before are gone.')
    await fireEvent.click(dialog.getByRole('button', { name: 'Request 1 raw report' }))
    expect(desk.argumentsOf('cases/add-rows')).toEqual([{ ...which, instances: ['101'] }])
  })

  it('says why no rows can be planned, and that none are left to ask for', async () => {
    const desk = caseDesk({ ...madeCase, made: { ...findings, covers: 'none', archives: [] } })
    desk.answer('cases/plan-rows', () => failed('offline'))
    show(desk, address)
    await fireEvent.click(await screen.findByRole('button', { name: 'Add rows' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'Add rows' }))
    const again = await dialog.findByRole('button', { name: 'Retry' })
    desk.answer('cases/plan-rows', () => good({ reports: [], omissions: [] }))
    await fireEvent.click(again)
    await dialog.findByText(/^Nothing to request/)
  })

  it('is a list that is ticked off: requested, in, recounted, saved, and sent when a person says so', async () => {
    const desk = caseDesk({ ...madeCase, savedAt: findings.madeAt, savedOf: findings.madeAt })
    desk.answer('cases/sent', () => good(null))
    show(desk, address)
    const steps = within(await screen.findByRole('region', { name: 'Steps' }))
    const words = steps
      .getAllByRole('listitem')
      .map((item) => /(.*), (done|not done)/.exec(item.textContent)?.[2])
    expect(words).toEqual(['done', 'done', 'done', 'done', 'done', 'not done'])
    await fireEvent.click(steps.getByRole('button', { name: 'Mark as sent' }))
    expect(desk.argumentsOf('cases/sent')).toEqual([{ ...which, sent: true }])
  })

  it('is not shown as evidence where an older version may have narrowed it, and is updated first', async () => {
    const desk = caseDesk({ ...madeCase, made: { ...findings, scope: null } })
    show(desk, address)
    await screen.findByText(/An older version may have counted only one instance/)
    expect(screen.queryByRole('heading', { name: 'In short' })).toBeNull()
    expect(screen.getByRole('button', { name: 'Save evidence pack' }).hasAttribute('disabled')).toBe(true)
    await fireEvent.click(screen.getByRole('button', { name: 'Update now' }))
    expect(desk.argumentsOf('cases/make')).toEqual([which])
  })

  it('is told from another of the same name in the list', async () => {
    const other = {
      ...madeCase,
      id: '4f6d7a57-4c1f-4b7e-9d0a-6f2f1d0c9b09' as ShownCase['id'],
      begunAt: 5 as Instant,
    }
    const desk = caseDesk().answer('cases/list', () => good([madeCase, other]))
    show(desk, '#/cases')
    const links = await screen.findAllByRole('link', { name: /^Newsletter of autumn \(/ })
    expect(new Set(links.map((link) => link.textContent)).size).toBe(2)
    screen.getAllByText(
      new RegExp(`^${scopeLine(madeCase.entry.scope, () => 'Nov 16 – 17, 2026').slice(0, 30)}`),
    )
  })

  it('stands in the list of all cases', async () => {
    show(caseDesk(), '#/cases')
    const link = await screen.findByRole('link', { name: 'Newsletter of autumn' })
    expect(link.getAttribute('href')).toBe(address)
  })
})

describe('a new case', () => {
  it('is begun of the archives that are open, about what their rows are limited to', async () => {
    const desk = caseDesk()
    show(desk, `#/rows/${madeFile}?where=keep%3Ais%3ASOURCE%3Asocial`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    const which = dialog.getByRole('combobox', { name: 'Which one' })
    await waitFor(() =>
      expect(which instanceof HTMLSelectElement && which.selectedOptions[0]?.text).toMatch(/^social: /),
    )
    type(dialog.getByRole('textbox', { name: 'Notes' }), 'Paid in advance.')
    await fireEvent.click(dialog.getByRole('button', { name: 'Create case' }))
    await waitFor(() => expect(window.location.hash).toBe(address))
    expect(desk.argumentsOf('cases/begin')).toMatchObject([
      {
        account: account.id,
        entry: {
          ...{ about: 'source', files: [madeFile], notes: 'Paid in advance.' },
          scope: { family: 'script', instances: { kind: 'all' }, source: 'social', campaign: null },
        },
        fitting: false,
      },
    ])
  })

  it.each([
    ['SOURCE', 'social', false],
    ['REMOTE ADDRESS', '198.51.1.1', true],
  ])('says whether a filter of the rows is none of its own: %s', async (column, value, said) => {
    show(
      caseDesk(),
      `#/rows/${madeFile}?where=${encodeURIComponent(`keep:is:${encodeURIComponent(column)}:${value}`)}`,
    )
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    expect(dialog.queryByText(/other filters don't narrow it/) !== null).toBe(said)
  })

  it('says that it is still being looked up what it may be about', async () => {
    const groups = pending<CallOutcome<'rows/groups'>>()
    const desk = caseDesk().answer('rows/groups', () => groups.promise)
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    const make = dialog.getByRole('button', { name: 'Create case' })
    await fireEvent.click(make)
    await dialog.findByText('Still loading what the case may be about.')
    groups.resolve(failed('disk'))
    await dialog.findByText('Words about disk.')
    expect(dialog.queryByText('Still loading what the case may be about.')).toBeNull()
    await fireEvent.click(make)
    await dialog.findByText('There is nothing to start a case from.')
    expect(desk.argumentsOf('cases/begin')).toEqual([])
  })

  it('is not begun while a day is refused, which says why', async () => {
    const desk = caseDesk()
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    await waitFor(() => expect(dialog.getByLabelText('Name')).not.toHaveProperty('value', ''))
    const last = dialog.getByLabelText('Last day')
    type(last, '2031-01-01')
    await fireEvent.click(dialog.getByRole('button', { name: 'Create case' }))
    expect(document.activeElement).toBe(last)
    expect(dialog.getByText(/^Still set: /)).toBeTruthy()
    expect(desk.argumentsOf('cases/begin')).toEqual([])
  })

  it('keeps what was chosen while the window hears of other things, and is begun once', async () => {
    const begun = pending<CallOutcome<'cases/begin'>>()
    const desk = caseDesk().answer('cases/begin', () => begun.promise)
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    const which = dialog.getByRole('combobox', { name: 'Which one' })
    await waitFor(() => expect(which instanceof HTMLSelectElement && which.options.length).toBeGreaterThan(1))
    if (!(which instanceof HTMLSelectElement)) throw new Error('No list')
    const other = which.options[1]?.text ?? ''
    choose(which, other)
    for (const kind of ['offline', 'online'] as const) {
      desk.emit('connection/changed', { account: account.id, connection: { kind } })
      await tick()
    }
    desk.emit('accounts/changed', { active: account.id, accounts: [{ ...account }, otherAccount] })
    await tick()
    expect(which.selectedOptions[0]?.text).toBe(other)
    const make = dialog.getByRole('button', { name: 'Create case' })
    await fireEvent.click(make)
    await fireEvent.click(make)
    expect(desk.argumentsOf('cases/begin')).toHaveLength(1)
  })

  it('is about an instance of the account too', async () => {
    const desk = caseDesk()
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    choose(dialog.getByRole('combobox', { name: 'About' }), 'An instance')
    await waitFor(() => expect(desk.argumentsOf('lookups/instances').length).toBeGreaterThan(0))
    await waitFor(async () => {
      await fireEvent.click(dialog.getByRole('button', { name: 'Create case' }))
      expect(desk.argumentsOf('cases/begin').at(-1)?.entry).toMatchObject({
        about: 'instance',
        scope: { instances: { kind: 'some', list: [{ id: '101' }] }, source: null, campaign: null },
      })
    })
  })

  it('is begun from a row of a report, with the archives that have rows of its days', async () => {
    const other = fileOf(wholeState, { id: 'report-R9' as typeof madeFile, type: 'direct' })
    const desk = caseDesk().answer('rows/list', () => good([fileOf(wholeState), other]))
    show(desk, '#/reports/script/sources?start=2026-11-10&end=2026-11-21')
    const grid = await screen.findByRole('grid')
    const [, , row] = await waitFor(() => {
      const rows = within(grid).getAllByRole('row')
      expect(rows.length).toBeGreaterThan(2)
      return rows
    })
    const cell = row?.querySelector('th, td')
    if (!cell) throw new Error('No cell')
    await fireEvent.contextMenu(cell)
    await fireEvent.click(await screen.findByRole('menuitem', { name: /^New case of/ }))
    await waitFor(() => expect(window.location.hash).toBe(address))
    expect(desk.argumentsOf('cases/begin')).toMatchObject([
      {
        entry: {
          about: 'source',
          files: [madeFile],
          scope: { family: 'script', instances: { kind: 'all' } },
        },
        fitting: true,
      },
    ])
  })
})
