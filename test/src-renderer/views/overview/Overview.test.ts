import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { trendKey } from '#shared/reports/query.ts'
import { readAddress } from '#shared/views/address.ts'
import { drawn, lastSets } from '#test/src-renderer/helpers/drawn.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, overviewAnswer } from '#test/src-renderer/helpers/figures.ts'
import { openTable, show, standAt } from '#test/src-renderer/helpers/show.ts'
import { trendAnswer } from '#test/src-renderer/helpers/trends.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const region = (name: string) => screen.findByRole('region', { name })
const never = new Promise<never>(() => undefined)

/** A service that sends no chart that is recognised. */
const chartless = () =>
  new FakeDesk().answer('reports/ask', ({ query }) => {
    const answer = answerFor(query)
    return good(
      answer.kind === 'overview' ? { ...answer, figures: { ...answer.figures, chart: null } } : answer,
    )
  })

describe('the overview', () => {
  it('shows both families, the rate that each is watched for first, then the volume and the others', async () => {
    show(new FakeDesk())
    const direct = await region('Direct')
    await within(direct).findByText('Suspect rate', { selector: 'dt' })
    const names = [...direct.querySelectorAll('dt')].map((name) => name.textContent)
    expect(names).toEqual(['Suspect rate', 'Requests', 'Non-suspect', 'Mobile'])
    expect(direct.querySelector('.leads .value')?.textContent).toMatch(/^\d+\.\d%$/)
    expect(direct.querySelector('.leads .share')?.textContent).toMatch(/^[\d,]+ of [\d,]+ requests$/)
    expect(within(direct).getAllByText(/% of requests$/)).toHaveLength(2)
    expect(within(direct).getByText('Rates are shares of all requests.')).toBeTruthy()
    const script = await region('Script')
    const adBlocker = await within(script).findByText('Ad blocker')
    expect(adBlocker.nextElementSibling?.textContent.trim()).toBe('–')
  })

  it('exports the whole report of what it shows as one workbook', async () => {
    const view = '#/overview?period=yesterday&source=news'
    const desk = new FakeDesk()
    show(desk, view)
    const button = await screen.findByRole('button', { name: 'Export' })
    await waitFor(() => expect(button).toHaveProperty('disabled', false))
    await fireEvent.click(button)
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'Whole report as one workbook' }))
    await waitFor(() => expect(desk.argumentsOf('exports/start')).toHaveLength(1))
    const [order] = desk.argumentsOf('exports/start').map((given) => given.order)
    expect(order).toMatchObject({ kind: 'report' })
    const address = order?.kind === 'report' ? readAddress(order.address) : null
    expect(address).toEqual(readAddress(view))
  })

  it('folds all but rate and volume away, in both families, and remembers that somebody opened them', async () => {
    const { unmount } = show(new FakeDesk())
    const buttons = await screen.findAllByRole('button', { name: 'All figures' })
    const isShown = () =>
      screen.queryAllByText('Mobile', { selector: 'dt' }).map((name) => !name.closest('[hidden]'))
    expect(isShown()).toEqual([false, false])
    await fireEvent.click(buttons[0] ?? document.body)
    expect(isShown()).toEqual([true, true])
    unmount()
    show(new FakeDesk())
    const [again] = await screen.findAllByRole('button', { name: 'All figures', expanded: true })
    await fireEvent.click(again ?? document.body)
    expect(isShown()).toEqual([false, false])
    expect(localStorage.getItem('all-figures')).toBeNull()
  })

  it('shows totals that came as texts as they came, and never as none', async () => {
    const masked = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      if (answer.kind !== 'overview') return good(answer)
      const total = {
        ...answer.figures.total,
        mobile: '< 10',
        ...('bad' in answer.figures.total && { bad: ' --' }),
      }
      return good({ ...answer, figures: { ...answer.figures, total } })
    })
    show(masked)
    const script = within(await region('Script'))
    const cardOf = async (name: string) =>
      (await script.findByText(name, { selector: 'dt' })).parentElement?.textContent.trim()
    expect(await cardOf('Mobile')).toMatch(/^Mobile\s*< 10\s*as sent/)
    expect(await cardOf('Bad rate')).toMatch(/^Bad rate\s*–\s*Bad:\s+--, as sent/)
    // What a part is missing of is not known.
    expect(await cardOf('Requests')).toMatch(/^Requests\s*–\s*not reported/)
  })

  it('shows no 100 % of what is not all, and no 0 % of what is not nothing', async () => {
    const totals = {
      script: { drops: 0, good: 249_944, warning: 4, bad: 2, mobile: 249_950, adblocker: null },
      direct: { nonsuspect: 249_948, suspect: 2, mobile: 0 },
    }
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      if (answer.kind !== 'overview') return good(answer)
      return good({ ...answer, figures: { ...answer.figures, total: totals[query.family] } })
    })
    show(desk)
    const words = async (family: string) => {
      const section = await region(family)
      await within(section).findByText('Requests', { selector: 'dt' })
      return [...section.querySelectorAll('dt')].map((name) =>
        [name, ...(name.parentElement?.querySelectorAll('.value, .share') ?? [])]
          .map((each) => each.textContent.trim())
          .join(' '),
      )
    }
    expect(await words('Direct')).toEqual(
      [
        'Suspect rate <0.1% 2 of 249,950 requests',
        'Requests 249,950',
        'Non-suspect 249,948 >99.9% of requests',
        'Mobile 0 0.0% of requests',
      ].map((each) => expect.stringMatching(new RegExp(`^${each.replaceAll('.', '\\.')} ?$`)) as string),
    )
    const script = (await words('Script')).map((each) => each.trim())
    expect(script).toContain('Bad rate <0.1% 2 of 249,950 requests')
    expect(script).toContain('Good 249,944 >99.9% of requests')
    expect(script).toContain('Warning 4 <0.1% of requests')
    expect(script).toContain('Drops 0 0.0% of requests')
    expect(script).toContain('Mobile 249,950 100.0% of requests')
  })

  it('says why there is no share', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      if (answer.kind !== 'overview') return good(answer)
      return good({
        ...answer,
        figures: { ...answer.figures, total: { nonsuspect: 0, suspect: 0, mobile: 3 } },
      })
    })
    show(desk)
    const direct = await region('Direct')
    const mobile = await within(direct).findByText('Mobile', { selector: 'dt' })
    expect(mobile.parentElement?.textContent).toMatch(/^Mobile\s*3\s*no requests/)
  })

  it('asks for a week, with its chart, of both, and for nothing besides', async () => {
    const desk = new FakeDesk()
    show(desk)
    await region('Direct')
    await screen.findAllByText('Show as table')
    const asked = desk.argumentsOf('reports/ask').map(({ query }) => query)
    expect(asked.map(({ family }) => family).sort()).toEqual(['direct', 'script'])
    for (const query of asked) {
      expect(query).toMatchObject({
        kind: 'overview',
        chart: true,
        range: { start: '2026-11-13', end: '2026-11-19' },
      })
    }
    expect(desk.argumentsOf('reports/trend')).toEqual([])
    expect(desk.argumentsOf('reports/movers')).toEqual([])
  })

  it('has its daily figures in a table too, whatever order they came in', async () => {
    show(new FakeDesk())
    const table = await openTable('Direct')
    const headers = within(table).getAllByRole('columnheader')
    expect(headers.map((each) => each.textContent)).toEqual([
      'Date',
      'Requests',
      'Non-Suspect',
      'Suspect',
      'Suspect rate',
    ])
    expect(within(table).getAllByRole('row')).toHaveLength(8)
    expect(within(table).getByText('Direct by day')).toBeTruthy()
  })

  it('says what its charts show to those who do not see them', async () => {
    show(new FakeDesk())
    const picture = await within(await region('Direct')).findByRole('img')
    expect(picture.getAttribute('aria-label')).toMatch(
      /^Direct by day, .*Suspect rate: [\d.]+% to [\d.]+%, the most on .*Percent of requests\.$/,
    )
  })

  it('draws the bad rate over its volume', async () => {
    show(new FakeDesk())
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    const sets = drawn.mock.calls.map(([, picture]) => (picture.kind === 'days' ? picture.plot.sets : []))
    expect(sets.map((all) => all.map(({ header, mark, ink }) => `${header} ${mark} ${ink}`))).toEqual([
      ['Bad rate line bad', 'Requests bar volume'],
      ['Suspect rate line bad', 'Requests bar volume'],
    ])
  })

  it('draws the parts of traffic by choice, which the address keeps, and others when they are asked for', async () => {
    show(new FakeDesk())
    const parts = await within(await region('Script')).findByRole('radio', { name: 'Parts' })
    await fireEvent.click(parts)
    await waitFor(() => expect(window.location.hash).toContain('chart=stacked'))
    const mobile = await within(await region('Script')).findByRole('button', { name: 'Mobile' })
    expect(mobile.getAttribute('aria-pressed')).toBe('false')
    drawn.mockClear()
    mobile.click()
    await waitFor(() => expect(lastSets()).toEqual(['Good', 'Warning', 'Bad', 'Drops', 'Mobile']))
    await fireEvent.click(within(await region('Direct')).getByRole('radio', { name: 'Rate' }))
    await waitFor(() => expect(window.location.hash).not.toContain('chart='))
  })

  it('filters both families at once', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?source=newsletter')
    await region('Direct')
    for (const { query } of desk.argumentsOf('reports/ask')) expect(query.source).toBe('newsletter')
    for (const name of ['Instance', 'Source', 'Campaign']) {
      expect(await screen.findByRole('combobox', { name })).toBeTruthy()
    }
  })

  it('shows the family that can be had where the other cannot', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) =>
      query.kind === 'overview' && query.family === 'script'
        ? good(overviewAnswer(query))
        : failed('no-right'),
    )
    show(desk)
    expect(await within(await region('Direct')).findByRole('alert')).toBeTruthy()
    expect(await within(await region('Script')).findByText('Good', { selector: 'dt' })).toBeTruthy()
    expect(screen.getByText(/^As of /)).toBeTruthy()
  })

  it('names days that are missing, and why figures are old', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      const failure = { kind: 'server-trouble' as const, message: 'It answered 503.' }
      const provenance = { ...answer.provenance, failure, missing: [query.range.start] }
      return good({ ...answer, provenance })
    })
    show(desk)
    expect(await screen.findAllByText(/6 of 7 days; missing: /)).toHaveLength(2)
    expect(screen.getAllByText(/It answered 503\./)).toHaveLength(2)
  })

  it('is refreshed by hand, both families', async () => {
    const desk = new FakeDesk()
    show(desk)
    await screen.findAllByText('Show as table')
    screen.getByRole('button', { name: 'Refresh' }).click()
    await waitFor(() => expect(desk.argumentsOf('reports/ask').filter(({ force }) => force)).toHaveLength(2))
  })
})

describe('an overview without a chart that is recognised', () => {
  it('asks for the days, one family as the other', async () => {
    const desk = chartless()
    show(desk)
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    expect(
      desk
        .argumentsOf('reports/trend')
        .map(({ query }) => query.family)
        .sort(),
    ).toEqual(['direct', 'script'])
  })

  it('says how far it is, and can be stopped and gone on with', async () => {
    const desk = chartless().answer('reports/trend', () => never)
    show(desk)
    await waitFor(() => expect(desk.argumentsOf('reports/trend')).toHaveLength(2))
    const [asked] = desk.argumentsOf('reports/trend')
    if (!asked) throw new Error('Nothing was asked')
    const key = trendKey(asked.query)
    desk.emit('reports/progress', { account: account.id, key, done: 14, total: 31, unit: 'days' })
    expect(await screen.findByText('14 of 31 days')).toBeTruthy()
    screen.getByRole('button', { name: 'Cancel' }).click()
    const goOn = await screen.findByRole('button', { name: 'Resume' })
    expect(desk.argumentsOf('reports/cancel')).toContainEqual({ account: account.id, key })
    goOn.click()
    await waitFor(() => expect(desk.argumentsOf('reports/trend')).toHaveLength(3))
  })

  it('says why there is no chart, with the totals above it', async () => {
    show(chartless().answer('reports/trend', () => failed('offline')))
    expect(await screen.findAllByText('The days of this chart are not saved yet')).toHaveLength(2)
    expect(screen.getByText('Suspect rate', { selector: 'dt' })).toBeTruthy()
  })

  it('draws gaps and names them', async () => {
    const desk = chartless().answer('reports/trend', ({ query }) => {
      const { chart, provenance } = trendAnswer(query)
      const series = chart.series.map(({ header, values }) => ({ header, values: values.slice(1) }))
      return good({ chart: { days: chart.days.slice(1), series }, provenance })
    })
    show(desk)
    const gaps = /Gaps are days without figures: 6 of 7 days; missing: /
    await waitFor(() => expect(screen.getAllByText(gaps)).toHaveLength(2))
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    const picture = drawn.mock.lastCall?.[1]
    expect(picture?.kind === 'days' && picture.plot.sets.map(({ values }) => values[0])).toEqual([null, null])
  })
})
