import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { describe, expect, it, vi } from 'vitest'
import type { CallOutcome } from '../../../src-shared/bridge/calls.ts'
import type { Case } from '../../../src-shared/cases/case.ts'
import { drawn } from '../helpers/drawn.ts'
import { account, failed, good, pending } from '../helpers/fake-desk.ts'
import { findings, madeCase } from '../helpers/made-case.ts'
import { fileOf, madeFile, rowsDesk, wholeState } from '../helpers/made-rows.ts'
import { choose, show, type } from '../helpers/show.ts'

vi.mock('../../../src-renderer/parts/chart/draw.ts', () => ({ draw: drawn }))

const address = `#/cases/${madeCase.id}`
const which = { account: account.id, id: madeCase.id }

function caseDesk(first: Case = madeCase) {
  let kept = first
  return rowsDesk()
    .answer('cases/of', () => good(kept))
    .answer('cases/list', () => good([kept]))
    .answer('cases/make', () => {
      kept = { ...kept, made: { ...findings, now: findings.before }, before: kept.made }
      return good(kept)
    })
}

describe('a case', () => {
  it('shows what was bad beside before and the others, the rows, the recount and the method', async () => {
    show(caseDesk(), address)
    await screen.findByRole('heading', { name: 'Case: Newsletter of autumn' })
    screen.getByText(
      /^Source newsletter: 200 of 1,000 requests were bad, 20\.0%\. In as many days before it was 10\.0%\. All other sources together had 5\.0%\. The raw reports hold 300 rows of it, of which 180 are bad \(60\.0%\)\.$/,
    )
    const sources = screen.getByRole('table', { name: 'Sources in the same archives' })
    within(sources).getByRole('rowheader', { name: 'newsletter (this case)' })
    within(screen.getByRole('table', { name: 'By rule set' })).getByRole('rowheader', { name: 'None' })
    within(screen.getByRole('table', { name: 'Archives' })).getByText(/^Differs by 12 of 348/)
    screen.getByText('Responses classified as invalid traffic.')
    expect(screen.getByRole('link', { name: 'Raw rows', current: 'page' })).toBeTruthy()
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
    await fireEvent.click(await screen.findByRole('button', { name: 'Make again' }))
    await screen.findByRole('heading', { name: /^What changed since/ })
    const changed = within(screen.getByRole('table', { name: 'What changed' }))
    const cells = changed.getAllByRole('row').map((row) => row.textContent.trim())
    expect(cells).toEqual(['FigureThenNow', 'Bad200100'])
  })

  it('keeps what a person writes, is saved, and is deleted when that is confirmed', async () => {
    const desk = caseDesk()
    show(desk, address)
    type(await screen.findByRole('textbox', { name: 'Notes' }), 'They answered.')
    await waitFor(() =>
      expect(desk.argumentsOf('cases/change')).toEqual([
        { ...which, entry: { ...madeCase.entry, notes: 'They answered.' } },
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
    await waitFor(() => expect(window.location.hash).toBe('#/rows'))
    expect(desk.argumentsOf('cases/remove')).toEqual([which])
  })

  it('stands in the list beside the archives', async () => {
    show(caseDesk(), '#/rows')
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
    await fireEvent.click(dialog.getByRole('button', { name: 'Make case' }))
    await waitFor(() => expect(window.location.hash).toBe(address))
    expect(desk.argumentsOf('cases/begin')).toMatchObject([
      {
        account: account.id,
        entry: {
          ...{ about: 'source', source: 'social', campaign: null, instance: null },
          ...{ files: [madeFile], family: 'script', notes: 'Paid in advance.' },
        },
      },
    ])
  })

  it('says that it is still being looked up what it may be about', async () => {
    const groups = pending<CallOutcome<'rows/groups'>>()
    const desk = caseDesk().answer('rows/groups', () => groups.promise)
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    const make = dialog.getByRole('button', { name: 'Make case' })
    await fireEvent.click(make)
    await dialog.findByText('What it may be about is still being looked up.')
    groups.resolve(failed('disk'))
    await dialog.findByText('Words about disk.')
    expect(dialog.queryByText('What it may be about is still being looked up.')).toBeNull()
    await fireEvent.click(make)
    await dialog.findByText('There is nothing to make a case of.')
    expect(desk.argumentsOf('cases/begin')).toEqual([])
  })

  it('is about an instance of the account too', async () => {
    const desk = caseDesk()
    show(desk, `#/rows/${madeFile}`)
    await fireEvent.click(await screen.findByRole('button', { name: 'New case' }))
    const dialog = within(await screen.findByRole('dialog', { name: 'New case' }))
    choose(dialog.getByRole('combobox', { name: 'About' }), 'An instance')
    await waitFor(() => expect(desk.argumentsOf('lookups/instances').length).toBeGreaterThan(0))
    await waitFor(async () => {
      await fireEvent.click(dialog.getByRole('button', { name: 'Make case' }))
      expect(desk.argumentsOf('cases/begin').at(-1)?.entry).toMatchObject({
        ...{ about: 'instance', instance: '101', source: null, campaign: null },
      })
    })
  })

  it('is begun from a row of a report, with the archives that have rows of its days', async () => {
    const other = fileOf(wholeState, { id: 'report-R9' as typeof madeFile, type: 'direct' })
    const desk = caseDesk().answer('rows/list', () => good([fileOf(wholeState), other]))
    show(desk, '#/reports/script/sources?period=2026-11-10..2026-11-21')
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
      { entry: { about: 'source', family: 'script', files: [madeFile] } },
    ])
  })
})
