import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import type { Restatement } from '#shared/reports/answer.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { failed, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { at, restatedDesk, restatement } from '#test/src-renderer/helpers/restatements.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

// What opens with the first click is prepared once, so that no test waits for that.
beforeAll(() => import('#renderer/components/restated/RestatedDialog.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const two = { days: 2, latest: at('2026-11-19T10:12:00Z') }
const mark = () => screen.findByRole('button', { name: 'Restated: 2 days' })

async function opened(desk = restatedDesk(two)) {
  show(desk, '#/reports/script/browsers')
  await fireEvent.click(await mark())
  return { desk, dialog: await screen.findByRole('dialog', { name: 'Restated days' }) }
}

/** The texts of a table, line by line. */
const lines = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) => Array.from(row.children).map(({ textContent }) => textContent))

const time = (instant: number) =>
  new Intl.DateTimeFormat(undefined, {
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
  }).format(instant)

const shortDay = (iso: string) =>
  new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    Date.parse(iso),
  )

const since = time(restatement.afterFetchedAt)

describe('figures of restated days', () => {
  it('are marked in a report', async () => {
    show(restatedDesk(two), '#/reports/script/browsers')
    expect((await mark()).getAttribute('aria-haspopup')).toBe('dialog')
  })

  it('are marked in the overview, for each family', async () => {
    show(restatedDesk(two), '#/overview')
    expect(await screen.findAllByRole('button', { name: 'Restated: 2 days' })).toHaveLength(2)
  })

  it('have no mark where nothing was restated', async () => {
    show(restatedDesk(null), '#/reports/script/browsers')
    await screen.findByRole('grid')
    expect(screen.queryByRole('button', { name: /Restated/ })).toBeNull()
  })

  it('lead to what they were: totals, then the rows that changed', async () => {
    const { desk, dialog } = await opened()
    expect(desk.argumentsOf('reports/restatements')[0]?.query).toMatchObject({ dimension: 'browsers' })
    const section = await within(dialog).findByRole('region', {
      name: `${shortDay('2026-11-18')}: +192 bad since ${since}`,
    })
    expect(lines(within(section).getByRole('table', { name: 'Totals' }))).toEqual([
      ['Total', `Until ${since}`, `Since ${since}`, 'Change'],
      ['Good', '5,000', '4,900', '-100'],
      ['Bad', '1,000', '1,192', '+192'],
      ['Ad blocker', '–', '7', '–'],
    ])
    expect(lines(within(section).getByRole('table', { name: `Rows that changed at ${since}` }))).toEqual([
      ['Row', 'Column', 'Before', 'After', 'Change'],
      ['All', 'Bad', '1,000', '1,192', '+192'],
      ['Chrome', 'Bad', '600', '750', '+150'],
      ['Chrome', 'Good', '3,000', '2,900', '-100'],
      ['Edge', 'Bad', '–', '42', '–'],
    ])
    expect(within(section).queryByText(/changed rows,/)).toBeNull()
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Close restated days' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('show what a total was at each time where a day was restated more than once', async () => {
    const later: Restatement = {
      ...restatement,
      beforeFetchedAt: restatement.afterFetchedAt,
      afterFetchedAt: at('2026-11-19T18:00:00Z'),
      totals: [{ name: 'bad', before: 1192, after: 1100 }],
      rows: [],
    }
    const { dialog } = await opened(restatedDesk(two, [later, restatement]))
    const end = time(later.afterFetchedAt)
    const totals = await within(dialog).findByRole('table', { name: 'Totals' })
    expect(lines(totals)).toEqual([
      ['Total', `Until ${since}`, `Until ${end}`, `Since ${end}`, 'Change'],
      ['Bad', '1,000', '1,192', '1,100', '+100'],
      ['Good', '5,000', '4,900', '4,900', '-100'],
      ['Ad blocker', '–', '7', '7', '–'],
    ])
  })

  it('say so while they are read, where they cannot be, and where there are none', async () => {
    const waiting = pending<CallOutcome<'reports/restatements'>>()
    const { desk, dialog } = await opened(
      restatedDesk(two).answer('reports/restatements', () => waiting.promise),
    )
    await within(dialog).findByText('Loading changes…')
    waiting.resolve(failed('disk'))
    expect((await within(dialog).findByRole('alert')).textContent).toContain('Words about disk.')
    desk.answer('reports/restatements', () => good({ items: [], total: 0 }))
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Retry' }))
    await within(dialog).findByText('None of these days was restated.')
  })

  it('are shown a few at a time where they are many, with what is not listed', async () => {
    const many = Array.from({ length: 12 }, (_, place): Restatement => {
      const start = addDays(day('2026-11-01'), place)
      return { ...restatement, range: { start, end: start } }
    })
    const { dialog } = await opened(restatedDesk(two, many, 30))
    await within(dialog).findAllByRole('table', { name: 'Totals' })
    expect(within(dialog).getAllByRole('table', { name: 'Totals' })).toHaveLength(10)
    await fireEvent.click(within(dialog).getByRole('button', { name: 'Show more days (2)' }))
    expect(within(dialog).getAllByRole('table', { name: 'Totals' })).toHaveLength(12)
    within(dialog).getByText(/the newest 12 of 30 changes/)
  })

  it('list the first rows at first, say how many more there are, and where rows cannot be compared', async () => {
    const rows = Array.from({ length: 30 }, (_, place) => ({
      label: { kind: 'text' as const, text: `Row ${place}` },
      changes: [{ name: 'Bad', before: 1, after: 2 }],
    }))
    const wide: Restatement = { ...restatement, totals: [], rows, differing: 5000 }
    const bare: Restatement = {
      ...restatement,
      beforeFetchedAt: 0 as Instant,
      range: { start: day('2026-11-17'), end: day('2026-11-17') },
      rows: [],
      differing: null,
    }
    const { dialog } = await opened(restatedDesk(two, [wide, bare]))
    const headline = `${shortDay('2026-11-18')}: totals unchanged, rows changed since ${since}`
    const section = await within(dialog).findByRole('region', { name: headline })
    expect(within(section).queryByRole('table', { name: 'Totals' })).toBeNull()
    const listed = () => within(section).getAllByRole('row').length - 1
    expect(listed()).toBe(20)
    await fireEvent.click(within(section).getByRole('button', { name: 'Show all 30 lines' }))
    expect(listed()).toBe(30)
    within(section).getByText('30 of 5,000 changed rows, the largest changes.')
    within(dialog).getByText("Only totals were saved for these days, so rows can't be compared.")
  })
})
