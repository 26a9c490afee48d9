import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, expect, it } from 'vitest'
import { DeskFailure } from '#shared/api/failure.ts'
import type { Failure } from '#shared/api/failure.ts'
import { drawn, lastSets } from '#test/src-renderer/helpers/drawn.ts'
import { account, FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { usualSettings } from '#shared/app/settings.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'
import { ruleMixAnswer } from '#test/src-renderer/helpers/trends.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const address = '#/reports/script/browsers?chart=rules'
const chart = () => screen.findByRole('region', { name: 'Chart of Script by browser' })
const largest = ['UE', 'SP', 'MN', 'KL', 'IJ', 'GH', 'EF', 'Others']

it('draws the shares of the largest rule sets, stacked, and names what they are of', async () => {
  const desk = new FakeDesk()
  show(desk, '#/reports/script/browsers?search=chrome&chart=rules')
  await waitFor(() => expect(lastSets()).toEqual(largest))
  const picture = drawn.mock.lastCall?.[1]
  expect(picture?.kind === 'days' && [picture.plot.unit, picture.plot.stacked]).toEqual(['share', true])
  const shown = within(await chart())
  expect(shown.getByText('Percent of broken rule sets')).toBeTruthy()
  // Their legend says what is drawn.
  expect(shown.queryByRole('button', { name: 'Measures' })).toBeNull()
  expect(desk.argumentsOf('reports/trend')).toEqual([])
  expect(desk.argumentsOf('reports/rule-mix')).toMatchObject([{ load: false, query: { search: null } }])
  await fireEvent.click(shown.getByRole('button', { name: 'Show as table' }))
  const heads = shown.getAllByRole('columnheader').map(({ textContent }) => textContent)
  expect(heads).toEqual(['Date', ...largest])
})

it('has the names of the account, and the compared days beneath', async () => {
  const ruleNames = [{ account: account.id, code: 'UE', name: 'User agents' }]
  const desk = new FakeDesk().answer('settings/read', () => good({ ...usualSettings, ruleNames }))
  show(desk, '#/reports/script/browsers?compare=week-before&chart=rules')
  const sets = ['User agents', ...largest.slice(1)]
  await waitFor(() => expect(lastSets()).toEqual([...sets, ...sets.map((header) => `${header} before`)]))
})

it('offers to load what is not saved, with the calls that this takes', async () => {
  const cost = { calls: 7, milliseconds: 2000, more: 0 }
  const desk = new FakeDesk().answer('reports/rule-mix', ({ load, query }) => {
    const { failure } = new DeskFailure({ kind: 'costly', message: 'Not saved.', cost })
    return load ? good(ruleMixAnswer(query)) : { ok: false, failure }
  })
  show(desk, address)
  const shown = within(await chart())
  await shown.findByText('The rule sets of these days are not saved')
  expect(shown.getByText(/^7 calls, about/)).toBeTruthy()
  await fireEvent.click(shown.getByRole('button', { name: 'Load' }))
  await waitFor(() => expect(lastSets()).toEqual(largest))
})

/** A desk that has not saved the first two days. @param failure why they were not loaded; @param until of which queries */
function deskWithoutTwoDays(failure: Failure, until = '2027-01-01'): FakeDesk {
  return new FakeDesk().answer('reports/rule-mix', ({ load, query }) => {
    const { chart: mix, provenance } = ruleMixAnswer(query)
    if (query.range.end >= until) return good({ chart: mix, provenance })
    const missing = load ? [] : mix.days.slice(0, 2)
    const series = mix.series.map(({ header, values }) => ({
      header,
      values: values.map((value, place) => (place < missing.length ? null : value)),
    }))
    return good({
      chart: { days: mix.days, series },
      provenance: { ...provenance, missing, failure: load ? null : failure },
    })
  })
}

it('says once which days are missing, and offers to load them, with the calls that this takes', async () => {
  const cost = { calls: 2, milliseconds: 600, more: 0 }
  show(deskWithoutTwoDays({ kind: 'costly', message: 'Not saved.', cost }), address)
  const shown = within(await chart())
  await shown.findByText(/^Rule sets are not saved for all days: 5 of 7 days; missing: .* 2 calls, about/)
  expect(shown.queryByText(/Gaps are days without figures/)).toBeNull()
  expect(shown.queryByText(/Not up to date/)).toBeNull()
  await fireEvent.click(shown.getByRole('button', { name: 'Load' }))
  await waitFor(() => expect(shown.queryByText(/not saved for all days/)).toBeNull())
})

it('says the same of the compared days, if they are saved only partly', async () => {
  const cost = { calls: 2, milliseconds: 600, more: 0 }
  const desk = deskWithoutTwoDays({ kind: 'costly', message: 'Not saved.', cost }, '2026-11-13')
  show(desk, '#/reports/script/browsers?compare=week-before&chart=rules')
  const shown = within(await chart())
  await shown.findByText(
    /^Rule sets are not saved for all compared days: 5 of 7 days; missing: .* 2 calls, about/,
  )
  await fireEvent.click(shown.getByRole('button', { name: 'Load' }))
  await waitFor(() => expect(shown.queryByText(/not saved for all/)).toBeNull())
  const loaded = desk.argumentsOf('reports/rule-mix').filter(({ load }) => load)
  expect(loaded).toMatchObject([{ query: { range: { end: '2026-11-12' } } }])
})

it('offers nothing that cannot be loaded', async () => {
  show(deskWithoutTwoDays({ kind: 'offline', message: 'No connection.' }), address)
  const shown = within(await chart())
  await shown.findByText(/^Rule sets are not saved for all days: 5 of 7 days; missing: /)
  expect(shown.queryByRole('button', { name: 'Load' })).toBeNull()
})

it('says what loading the compared days takes', async () => {
  const cost = { calls: 7, milliseconds: 2000, more: 0 }
  const desk = new FakeDesk().answer('reports/rule-mix', ({ query }) =>
    query.range.end < '2026-11-13'
      ? { ok: false, failure: { kind: 'costly', message: 'Not saved.', cost } }
      : good(ruleMixAnswer(query)),
  )
  show(desk, '#/reports/script/browsers?compare=week-before&chart=rules')
  const shown = within(await chart())
  await shown.findByText(/^Can't compare with .*: Not saved\. 7 calls, about/)
})

it('is a row’s own from its menu', async () => {
  const desk = new FakeDesk()
  show(desk, '#/reports/script/browsers')
  const row = await screen.findByRole('button', { name: 'Chrome' })
  await fireEvent.contextMenu(row)
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'Rule mix of “Chrome”' }))
  await waitFor(() =>
    expect(window.location.hash).toBe('#/reports/script/browsers?browser=Chrome&chart=rules'),
  )
  await waitFor(() =>
    expect(desk.argumentsOf('reports/rule-mix')[0]?.query.filters).toEqual({ browser: 'Chrome' }),
  )
})
