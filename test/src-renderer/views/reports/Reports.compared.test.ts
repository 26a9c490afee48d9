import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { changesOf, comparedPeriods } from '#shared/reports/change.ts'
import { plainLayout } from '#renderer/components/table/columns.ts'
import { cellToCopy, tabSeparated } from '#renderer/components/table/copying.ts'
import type { RowsOfLabels } from '#shared/reports/answer.ts'
import { answerKey, beforeKey } from '#shared/reports/query.ts'
import { headersOf } from '#shared/api/dimensions.ts'
import { day } from '#shared/values/day.ts'
import type { Day } from '#shared/values/day.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, freshly } from '#test/src-renderer/helpers/figures.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const before = { start: day('2026-11-06'), end: day('2026-11-12') }
const headers = headersOf('direct', 'browsers')
const counts = headers.slice(1)

/** Every row counts so many requests, and nothing else. */
const rowsOf = (labels: readonly string[], requests: number | null): RowsOfLabels => {
  const cells = counts.map((header) => (header === 'Requests' ? requests : 0))
  return { headers, all: cells, rows: labels.map(() => cells) }
}

type Lacking = { now: readonly Day[]; before: readonly Day[] }

/** A desk that misses these days, and has 250 requests now and 200 before on the days of both. */
function deskLacking(missing: Lacking, days = 6): FakeDesk {
  return new FakeDesk()
    .answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      return good({ ...answer, provenance: { ...answer.provenance, missing: missing.now } })
    })
    .answer('reports/before', ({ query, before, labels, isWhole }) => {
      const periods = { kind: 'periods', now: query.range, before, leftOut: [] } as const
      const provenance = { ...freshly, missing: missing.before }
      const asShown = isWhole && missing.before.length === 0
      if (asShown)
        return good({
          ...{ periods, compared: null, provenance },
          sides: { now: null, before: rowsOf(labels, 9) },
        })
      const sides = days > 0 ? { now: rowsOf(labels, 250), before: rowsOf(labels, 200) } : null
      return good({ periods, compared: { days, total: 7 }, sides, provenance })
    })
}

/** The table with every column: at first it shows few changes. */
const compared = async (desk: FakeDesk, address = 'compare=period-before') => {
  desk.answer('layouts/read', () => good({ 'direct/browsers': plainLayout }))
  show(desk, `#/reports/direct/browsers?${address}`)
  return screen.findByRole('grid', { name: 'Direct by browser' })
}
/** The change of the requests of a row, and of all rows. */
const changesIn = (grid: HTMLElement) =>
  ['All', 'Chrome'].map((name) => {
    const row = within(grid).getByRole('rowheader', { name }).closest('[role=row]')
    return row?.querySelector('.change')?.textContent
  })

describe('a table that is compared', () => {
  it.each([
    ['now', { now: [day('2026-11-13')], before: [] }],
    ['before', { now: [], before: [before.start] }],
  ] as const)('compares the days kept of both where some are missing of %s', async (_which, missing) => {
    const desk = deskLacking(missing)
    const grid = await compared(desk)
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50 (+25%)', '+50 (+25%)']))
    expect(await screen.findByText(/Compares 6 of 7 days: those saved for both periods\./)).toBeTruthy()
    const [asked] = desk.argumentsOf('reports/before')
    expect(asked).toMatchObject({ before, query: { range: { start: '2026-11-13', end: '2026-11-19' } } })
  })

  it('compares nothing where no day is kept of both', async () => {
    const grid = await compared(deskLacking({ now: [], before: [before.start] }, 0))
    await waitFor(() => expect(changesIn(grid)).toEqual(['–', '–']))
    expect(await screen.findByText(/Nothing is compared: no day is saved for both periods\./)).toBeTruthy()
  })

  it('says what the figures before cost, and loads them once a person agrees', async () => {
    const desk = deskLacking({ now: [], before: [] }).answer(
      'reports/before',
      ({ query, before, labels, force }) => {
        if (!force) return failed('costly', { message: '12 calls, about 1 s.' })
        const periods = { kind: 'periods', now: query.range, before, leftOut: [] } as const
        return good({
          ...{ periods, compared: null, provenance: freshly },
          sides: { now: rowsOf(labels, 250), before: rowsOf(labels, 200) },
        })
      },
    )
    const grid = await compared(desk)
    expect(await screen.findByText(/Not loaded yet\. 12 calls, about 1 s\./)).toBeTruthy()
    // Nothing is on its way.
    expect(changesIn(grid)).toEqual(['–', '–'])
    expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull()
    await fireEvent.click(screen.getByRole('button', { name: 'Load' }))
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50 (+25%)', '+50 (+25%)']))
  })

  it('compares what it shows once the days are there', async () => {
    const missing: { now: Day[]; before: Day[] } = { now: [day('2026-11-13')], before: [] }
    const desk = deskLacking(missing)
    const grid = await compared(desk)
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50 (+25%)', '+50 (+25%)']))
    missing.now = []
    const query = desk.argumentsOf('reports/ask').at(-1)?.query
    if (query?.kind !== 'table') throw new Error('No table was asked for')
    desk.emit('reports/changed', { account: account.id, key: answerKey(query) })
    await waitFor(() => expect(changesIn(grid)[0]).toMatch(/^\+4,812,368/))
    expect(screen.queryByText(/Compares 6 of 7 days/)).toBeNull()
  })

  it('compares the days kept of both once some of those before are gone', async () => {
    const missing: { now: Day[]; before: Day[] } = { now: [], before: [] }
    const desk = deskLacking(missing)
    const grid = await compared(desk)
    await waitFor(() => expect(changesIn(grid)[0]).toMatch(/^\+4,812,368/))
    missing.before = [before.start]
    const asked = desk.argumentsOf('reports/before').at(-1)
    if (!asked) throw new Error('Nothing was compared')
    desk.emit('reports/changed', { account: account.id, key: beforeKey(asked.query, asked.before) })
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50 (+25%)', '+50 (+25%)']))
  })

  it('compares the days that are over where one is not, and says which', async () => {
    const desk = new FakeDesk().answer('reports/before', ({ query, before: range, labels, isWhole }) => {
      expect(isWhole).toBe(false)
      const periods = comparedPeriods(query.range, range, day('2026-11-20'))
      if (periods.kind === 'nothing') throw new Error('Days are over')
      const sides = { now: rowsOf(labels, 250), before: rowsOf(labels, 200) }
      return good({ periods, compared: null, sides, provenance: freshly })
    })
    const grid = await compared(desk, 'period=this-week&compare=week-before')
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50 (+25%)', '+50 (+25%)']))
    const words =
      /Compares Nov 16 – 19, 2026 with Nov 9 – 12, 2026\. Left out: Nov 20, 2026, still in progress\./
    expect(await screen.findByText(words)).toBeTruthy()
  })

  it('says why nothing is compared, and has no columns for it', async () => {
    const desk = new FakeDesk()
    const grid = await compared(desk, 'period=today&compare=period-before')
    expect(await screen.findByText(/Nothing is compared: Nov 20, 2026 is still in progress\./)).toBeTruthy()
    expect(changesIn(grid)).toEqual([undefined, undefined])
    expect(desk.argumentsOf('reports/before')).toEqual([])
  })

  it('compares periods of unequal length per day', async () => {
    const desk = new FakeDesk().answer('reports/before', ({ query, before: range, labels }) =>
      good({
        ...{ periods: { kind: 'periods', now: query.range, before: range, leftOut: [] } },
        ...{ compared: null, provenance: freshly },
        sides: { now: rowsOf(labels, 700), before: rowsOf(labels, 1400) },
      }),
    )
    const grid = await compared(desk, 'compare-start=2026-10-16&compare-end=2026-11-12')
    await waitFor(() => expect(changesIn(grid)).toEqual(['+50/day (+100%)', '+50/day (+100%)']))
    expect(await screen.findByText(/Changes are per day: 7 days against 28\./)).toBeTruthy()
    const header = within(grid).getByRole('columnheader', { name: 'Requests change' })
    expect(header.textContent).toMatch(/^Per day/)
  })

  it('copies the difference that it shows', () => {
    const row = { label: { kind: 'text', text: 'Chrome' }, cells: [1000] } as const
    const count = { header: 'Requests', place: 0 }
    const column = { kind: 'change', key: 'Requests change', header: 'Requests', count, base: null } as const
    const copied = (now: number) =>
      cellToCopy(
        {
          row,
          changes: changesOf(row, {
            cellsOf: () => [200],
            placeOf: () => 0,
            nowOf: () => now,
            lengths: null,
          }),
        },
        column,
      )
    expect([copied(1000), copied(250)]).toEqual(['800', '50'])
    const daily = {
      cellsOf: () => [200],
      placeOf: () => 0,
      nowOf: () => 1000,
      lengths: { now: 7, before: 28 },
    }
    const rows = [{ row, changes: changesOf(row, daily) }]
    expect(tabSeparated([column], rows, true)).toBe(`Requests change per day\n${1000 / 7 - 200 / 28}`)
  })
})
