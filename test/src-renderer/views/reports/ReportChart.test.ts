import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { DrawnChart, PictureWords } from '#renderer/components/chart/png.ts'
import { nameOf } from '#shared/reports/query.ts'
import { readAddress, tableQueryAt } from '#shared/views/address.ts'
import { day } from '#shared/values/day.ts'
import { drawn, lastSets } from '#test/src-renderer/helpers/drawn.ts'
import { FakeDesk, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'
import { trendAnswer } from '#test/src-renderer/helpers/trends.ts'

const made = vi.hoisted(() =>
  vi.fn<(chart: DrawnChart, words: PictureWords) => Promise<Uint8Array<ArrayBuffer> | null>>(),
)
vi.mock('#renderer/components/chart/png.ts', () => ({ pngOf: made }))

beforeEach(() => {
  standAt('2026-11-20T10:00:00Z')
  made.mockResolvedValue(new Uint8Array([0x89, 0x50]))
})
afterEach(() => void made.mockReset())

const address = '#/reports/script/browsers?chart='
const chart = () => screen.findByRole('region', { name: 'Chart of Script by browser' })

describe('the chart of a report', () => {
  it('is not asked for before it is wanted', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers')
    await screen.findByRole('checkbox', { name: 'Chart' })
    expect(desk.argumentsOf('reports/trend')).toEqual([])
  })

  it('asks for the days of the selection, whatever is searched and sorted, and draws what is judged', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers?browser=Chrome&search=chrome&sort=asc%3AGood&page=2&chart=lines')
    await waitFor(() => expect(lastSets()).toEqual(['Good', 'Warning', 'Bad']))
    const [asked] = desk.argumentsOf('reports/trend')
    expect(asked?.query).toMatchObject({ search: null, sort: [], page: 1, filters: { browser: 'Chrome' } })
  })

  it('is its bad rate where nobody chose, over the requests, with both in the table behind it', async () => {
    show(new FakeDesk(), '#/reports/script/browsers')
    await fireEvent.click(await screen.findByRole('checkbox', { name: 'Chart' }))
    await waitFor(() => expect(window.location.hash).toContain('chart=rate'))
    await waitFor(() => expect(lastSets()).toEqual(['Bad rate', 'Requests']))
    const picture = drawn.mock.lastCall?.[1]
    expect(picture?.kind === 'days' && picture.plot.unit).toBe('rate')
    const shown = within(await chart())
    expect(shown.getByText('Percent of requests')).toBeTruthy()
    await fireEvent.click(shown.getByRole('button', { name: 'Show as table' }))
    const heads = shown.getAllByRole('columnheader').map(({ textContent }) => textContent)
    expect(heads).toEqual(['Date', 'Requests', 'Bad', 'Bad rate'])
  })

  it('has the percentages of responses where the table has', async () => {
    show(new FakeDesk(), '#/reports/script/referrers?chart=rate')
    await waitFor(() => expect(lastSets()).toEqual(['Bad rate', 'Responses']))
    expect(screen.getByText('Percent of responses')).toBeTruthy()
  })

  it('is drawn in another way by choosing it', async () => {
    show(new FakeDesk(), `${address}rate`)
    const stacked = await within(await chart()).findByRole('radio', { name: 'Parts' })
    await fireEvent.click(stacked)
    await waitFor(() => expect(window.location.hash).toContain('chart=stacked'))
    await waitFor(() => {
      const picture = drawn.mock.lastCall?.[1]
      expect(picture?.kind === 'days' && picture.plot.stacked).toBe(true)
    })
  })

  it('draws the chosen measures, and says which are not counted by day', async () => {
    const desk = new FakeDesk().answer('reports/trend', ({ query }) => {
      const answer = trendAnswer(query)
      const series = answer.chart.series.filter(({ header }) => header !== 'Bad')
      return good({ ...answer, chart: { ...answer.chart, series } })
    })
    show(desk, `${address}lines&measure=Mobile&measure=Bad`)
    await waitFor(() => expect(lastSets()).toEqual(['Mobile']))
    expect(screen.getByText('The service counts no Bad by day here.')).toBeTruthy()
  })

  it('hides a measure by its button in the legend, by keyboard as by mouse', async () => {
    show(new FakeDesk(), `${address}share`)
    const legend = await screen.findByRole('group', { name: /what the chart shows$/ })
    const good = within(legend).getByRole('button', { name: 'Good' })
    expect(good.getAttribute('aria-pressed')).toBe('true')
    await fireEvent.click(good)
    expect(good.getAttribute('aria-pressed')).toBe('false')
    await waitFor(() => expect(lastSets()).toEqual(['Warning', 'Bad', 'Drops']))
  })

  it('lays the days compared with under it, in the same marks', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers?compare=week-before&chart=rate')
    await waitFor(() =>
      expect(lastSets()).toEqual(['Bad rate', 'Requests', 'Bad rate before', 'Requests before']),
    )
    expect(within(await chart()).getByText(/^Paler: Nov 6/)).toBeTruthy()
    expect(desk.argumentsOf('reports/trend').map(({ query }) => query.range.start)).toEqual([
      '2026-11-13',
      '2026-11-06',
    ])
  })

  it('names the day that is pointed at, and the one it is compared with', async () => {
    show(new FakeDesk(), '#/reports/script/browsers?compare=week-before&chart=lines')
    await waitFor(() => expect(lastSets()).toContain('Bad before'))
    const plot = (await within(await chart()).findByRole('img')).parentElement
    if (!plot) throw new Error('No plot')
    await fireEvent.pointerMove(plot, { clientX: 10, clientY: 10 })
    expect(within(plot).getByText(/Nov 14/)).toBeTruthy()
    expect(within(plot).getByText(/^against .*Nov 7/)).toBeTruthy()
    expect(within(plot).getAllByRole('row', { hidden: true })).toHaveLength(3)
    await fireEvent.pointerLeave(plot)
    expect(within(plot).queryByText(/Nov 14/)).toBeNull()
  })

  it('draws the first rows as bars, and asks for no days then', async () => {
    const desk = new FakeDesk()
    show(desk, `${address}top`)
    await waitFor(() => expect(drawn.mock.lastCall?.[1]).toMatchObject({ kind: 'rows' }))
    expect(drawn.mock.lastCall?.[1].labels).toHaveLength(10)
    expect(desk.argumentsOf('reports/trend')).toEqual([])
  })

  it('is saved as a picture', async () => {
    const desk = new FakeDesk()
    show(desk, `${address}lines`)
    await waitFor(() => expect(drawn).toHaveBeenCalled())
    await waitFor(async () => {
      const button = await screen.findByRole('button', { name: 'Save as PNG' })
      expect(button.getAttribute('aria-disabled')).toBe('false')
    })
    screen.getByRole('button', { name: 'Save as PNG' }).click()
    await waitFor(() => expect(desk.argumentsOf('exports/chart')).toHaveLength(1))
    const [saved] = desk.argumentsOf('exports/chart')
    expect(saved?.name).toMatch(/^Script by browser, by day, /)
    expect(Array.from(saved?.png ?? [])).toEqual([0x89, 0x50])
    expect(await screen.findByText(/The chart was not saved\./)).toBeTruthy()
  })

  it('has on its picture whose figures of which days it shows, how old they are and what limits them', async () => {
    const view = '#/reports/script/browsers?compare=week-before&source=news&chart=rate'
    show(new FakeDesk(), view)
    await waitFor(() => expect(lastSets()).toContain('Bad rate before'))
    await fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Chart as PNG' }))
    await waitFor(() => expect(made).toHaveBeenCalledTimes(1))
    const [chart, words] = made.mock.lastCall ?? []
    const address = readAddress(view)
    if (address.kind !== 'reports') throw new Error('No report')
    expect(words?.title).toBe(`${nameOf(tableQueryAt(address, day('2026-11-20')))}, by day`)
    expect(words?.lines).toEqual([
      expect.stringMatching(/^Nov 13.*2026; paler: Nov 6.*2026$/),
      'Source: news',
    ])
    expect(words?.foot).toMatch(/^.+ · .*(Updated|updated) .*2026.* · Percent of requests$/)
    expect(chart?.legend.map(({ header }) => header)).toEqual(['Bad rate', 'Requests'])
  })

  it('says why there is none, and offers to ask again', async () => {
    const desk = new FakeDesk().answer('reports/trend', () => failed('server-trouble'))
    show(desk, `${address}lines`)
    const alert = await within(await chart()).findByRole('alert')
    expect(alert.textContent).toContain('The service has a problem')
    desk.answer('reports/trend', ({ query }) => good(trendAnswer(query)))
    within(await chart())
      .getByRole('button', { name: 'Retry' })
      .click()
    await waitFor(() => expect(lastSets()).toEqual(['Good', 'Warning', 'Bad']))
  })

  it('says why the days before are not there, and names none of them on its picture', async () => {
    const desk = new FakeDesk()
    desk.answer('reports/trend', ({ query }) =>
      query.range.start === '2026-11-13' ? good(trendAnswer(query)) : failed('disk'),
    )
    show(desk, '#/reports/script/browsers?compare=week-before&browser=Chrome&search=chrome&chart=rate')
    const shown = within(await chart())
    await shown.findByText(/^Can't compare with Nov 6.*2026: Words about disk\./)
    await fireEvent.click(screen.getByRole('button', { name: 'Export' }))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Chart as PNG' }))
    await waitFor(() => expect(made).toHaveBeenCalledTimes(1))
    const [, words] = made.mock.lastCall ?? []
    expect(words?.lines.slice(0, 2)).toEqual([expect.stringMatching(/^Nov 13[^;]*2026$/), 'Browser: Chrome'])
  })

  it('is hidden again', async () => {
    show(new FakeDesk(), `${address}lines`)
    ;(await within(await chart()).findByRole('button', { name: 'Hide' })).click()
    await waitFor(() => expect(window.location.hash).toBe('#/reports/script/browsers'))
  })

  it('says once that nothing is saved, with one button, where the table says so too', async () => {
    const desk = new FakeDesk({ connection: { kind: 'offline' } })
      .answer('reports/ask', () => failed('offline'))
      .answer('reports/trend', () => failed('offline'))
    show(desk, '#/reports/script/browsers?compare=period-before&chart=lines')
    await screen.findByText('Nothing saved for this view yet', { selector: 'main *' })
    await chart()
    expect(screen.queryByText('The days of this chart are not saved yet')).toBeNull()
    expect(screen.queryByText(/Can't compare with/)).toBeNull()
    const again = screen.getAllByRole('button').filter(({ textContent }) => /again|Retry/.test(textContent))
    expect(again.map(({ textContent }) => textContent)).toEqual(['Retry'])
  })

  it('says what the chart lacks alone above a table that is saved, with nothing to press', async () => {
    const desk = new FakeDesk({ connection: { kind: 'offline' } }).answer('reports/trend', () =>
      failed('offline'),
    )
    show(desk, '#/reports/script/browsers?compare=period-before&chart=lines')
    await within(await chart()).findByText('The days of this chart are not saved yet')
    const shown = within(await chart())
    expect(shown.queryByText(/Can't compare with/)).toBeNull()
    expect(shown.queryAllByRole('button', { name: /again/ })).toEqual([])
    expect(shown.getAllByRole('alert')).toHaveLength(1)
  })
})
