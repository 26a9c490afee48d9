import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { moversKey, trendKey } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { plainOverview, tableBehind } from '#shared/views/address.ts'
import { drawn, lastSets } from '#test/src-renderer/helpers/drawn.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, overviewAnswer } from '#test/src-renderer/helpers/figures.ts'
import { choose, show, standAt } from '#test/src-renderer/helpers/show.ts'
import { moversAnswer, trendAnswer } from '#test/src-renderer/helpers/trends.ts'

vi.mock('#renderer/components/chart/draw.ts', async () => {
  const { drawn: draw } = await import('#test/src-renderer/helpers/drawn.ts')
  return { draw }
})

beforeEach(() => standAt('2026-11-20T10:00:00Z'))
afterEach(() => {
  vi.useRealTimers()
  drawn.mockClear()
})

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

async function openTable(family: string) {
  const section = within(await region(family))
  await fireEvent.click(await section.findByRole('button', { name: 'Show as table' }))
  return section.findByRole('table')
}

describe('the overview', () => {
  it('shows both families, each with its totals and their share of requests', async () => {
    show(new FakeDesk())
    const direct = await region('Direct')
    await within(direct).findByText('Suspect', { selector: 'dt' })
    expect(within(direct).getAllByText(/% of requests$/)).toHaveLength(3)
    const script = await region('Script')
    const adBlocker = await within(script).findByText('Ad blocker')
    expect(adBlocker.nextElementSibling?.textContent).toBe('–')
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
    expect(await cardOf('Bad')).toMatch(/^Bad\s*--\s*as sent/)
    // What a part is missing of is not known.
    expect(await cardOf('Requests')).toMatch(/^Requests\s*–\s*not reported/)
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
    expect(headers.map((each) => each.textContent)).toEqual(['Date', 'Non-Suspect', 'Suspect'])
    expect(within(table).getAllByRole('row')).toHaveLength(8)
    expect(within(table).getByText('Direct by day')).toBeTruthy()
  })

  it('says what its charts show to those who do not see them', async () => {
    show(new FakeDesk())
    const picture = await within(await region('Direct')).findByRole('img')
    expect(picture.getAttribute('aria-label')).toMatch(/^Direct by day, .*Non-Suspect: [\d,]+ to [\d,]+/)
  })

  it('draws the parts, and others when they are asked for', async () => {
    show(new FakeDesk())
    const mobile = await within(await region('Script')).findByRole('button', { name: 'Mobile' })
    expect(mobile.getAttribute('aria-pressed')).toBe('false')
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    mobile.click()
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(3))
    expect(lastSets()).toEqual(['Good', 'Warning', 'Bad', 'Drops', 'Mobile'])
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
    const goOn = await screen.findByRole('button', { name: 'Go on' })
    expect(desk.argumentsOf('reports/cancel')).toContainEqual({ account: account.id, key })
    goOn.click()
    await waitFor(() => expect(desk.argumentsOf('reports/trend')).toHaveLength(3))
  })

  it('says why there is no chart, with the totals above it', async () => {
    show(chartless().answer('reports/trend', () => failed('offline')))
    expect(await screen.findAllByText('The days of this chart are not saved yet')).toHaveLength(2)
    expect(screen.getByText('Suspect', { selector: 'dt' })).toBeTruthy()
  })

  it('draws gaps and names them', async () => {
    const desk = chartless().answer('reports/trend', ({ query }) => {
      const { chart, provenance } = trendAnswer(query)
      const series = chart.series.map(({ header, values }) => ({ header, values: values.slice(1) }))
      return good({ chart: { days: chart.days.slice(1), series }, provenance })
    })
    show(desk)
    expect(await screen.findAllByText(/Gaps are days without figures: 6 of 7 days; missing: /)).toHaveLength(
      2,
    )
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    const picture = drawn.mock.lastCall?.[1]
    expect(picture?.kind === 'days' && picture.plot.sets[0]?.values[0]).toBeNull()
  })
})

describe('an overview that compares', () => {
  const before = { start: day('2026-11-06'), end: day('2026-11-12') }

  it('invites to it, and is compared with the period before', async () => {
    const desk = new FakeDesk()
    show(desk)
    ;(await screen.findByRole('button', { name: 'Compare with the period before' })).click()
    await screen.findByRole('combobox', { name: 'Dimension' })
    expect(window.location.hash).toBe('#/overview?compare=period-before')
  })

  it('shows by how much each figure changed, for the better or the worse', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      if (answer.kind !== 'overview' || query.family !== 'direct') return good(answer)
      const total =
        query.range.start === before.start
          ? { nonsuspect: 100, suspect: 200, mobile: 0 }
          : { nonsuspect: 150, suspect: 250, mobile: 7 }
      return good({ ...answer, figures: { ...answer.figures, total } })
    })
    show(desk, '#/overview?compare=period-before')
    const direct = await region('Direct')
    const change = async (name: string) => {
      const term = await within(direct).findByText(name, { selector: 'dt' })
      return term.parentElement?.querySelector('.change')
    }
    await waitFor(async () => expect((await change('Suspect'))?.textContent).toMatch(/^\+50 \(\+25\s?%\)$/))
    // More of them, and a smaller share: 66.7 % before, 62.5 % now.
    expect((await change('Suspect'))?.className).toContain('changed')
    const points = (await change('Suspect'))?.parentElement?.querySelector('.points')
    expect(points?.textContent).toMatch(/^[-−]4\.2 points$/)
    expect(points?.className).toContain('better')
    expect((await change('Non-suspect'))?.className).toContain('better')
    expect((await change('Mobile'))?.textContent).toBe('+7')
  })

  const lackingDays = (which: 'now' | 'before') =>
    new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      const isBefore = query.range.start === before.start
      if (isBefore !== (which === 'before')) return good(answer)
      return good({ ...answer, provenance: { ...answer.provenance, missing: [query.range.start] } })
    })
  const changesIn = (family: HTMLElement) =>
    [...family.querySelectorAll('.change')].map((each) => each.textContent)

  it.each(['now', 'before'] as const)(
    'compares the days kept of both where some are missing of %s, and says so',
    async (which) => {
      const total = { nonsuspect: 1000, suspect: 250, mobile: 5 }
      const sides = {
        now: { total },
        before: { total: { ...total, suspect: 200 } },
      }
      const desk = lackingDays(which).answer('reports/paired', () =>
        good({ compared: { days: 6, total: 7 }, sides, fetchedAt: null }),
      )
      show(desk, '#/overview?compare=period-before')
      const direct = await region('Direct')
      await within(direct).findByText(/Compares 6 of 7 days: those saved for both periods\./)
      expect(changesIn(direct)).toEqual(['+50 (+4.2%)', '0 (0%)', '+50 (+25%)', '0 (0%)'])
      expect(desk.argumentsOf('reports/paired')).toHaveLength(2)
      expect(desk.argumentsOf('reports/paired')[0]).toMatchObject({ before })
    },
  )

  it('compares nothing where no day is kept of both, and says so', async () => {
    show(lackingDays('before'), '#/overview?compare=period-before')
    const direct = await region('Direct')
    await within(direct).findByText(/Nothing is compared: no day is saved for both periods\./)
    expect(changesIn(direct)).toEqual(['–', '–', '–', '–'])
  })

  const weekSoFar = { start: day('2026-11-16'), end: day('2026-11-19') }
  const before4 = { start: day('2026-11-11'), end: day('2026-11-14') }

  it('leaves out a day that is not over, with its counterpart, from cards, chart and movers, and says so', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?period=this-week&compare=period-before&movers=browsers')
    const direct = await region('Direct')
    const words =
      'Compares Nov 16 – 19, 2026 with Nov 11 – 14, 2026. Left out: Nov 20, 2026, still in progress.'
    await within(direct).findByText(words)
    // Made-up days are alike by their place, so that as many of them have no change.
    await waitFor(() => expect(changesIn(direct)).toEqual(['0 (0%)', '0 (0%)', '0 (0%)', '0 (0%)']))
    const asked = desk.argumentsOf('reports/ask').map(({ query }) => query.range)
    expect(asked).toContainEqual(weekSoFar)
    expect(asked).toContainEqual(before4)
    const table = await openTable('Direct')
    const today = within(table)
      .getByRole('rowheader', { name: /Nov 20/ })
      .closest('tr')
    expect([...(today?.cells ?? [])].map((cell) => cell.textContent).at(-1)).toBe('–')
    expect(await screen.findByText('Since Nov 11 – 14, 2026')).toBeTruthy()
  })

  it('compares nothing with a day that is not over alone, and asks for nothing to compare', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?period=today&compare=period-before')
    const direct = await region('Direct')
    await within(direct).findByText('Nothing is compared: Nov 20, 2026 is still in progress.')
    expect(changesIn(direct)).toEqual([])
    expect(desk.argumentsOf('reports/ask')).toHaveLength(2)
    const script = await screen.findByRole('group', { name: /^Script: Bad by/ })
    within(script).getByText('Nothing is compared: Nov 20, 2026 is still in progress.')
    expect(desk.argumentsOf('reports/movers')).toEqual([])
  })

  it('compares periods of unequal length per day, says so, and draws no line of the other', async () => {
    const four = { start: day('2026-10-16'), end: day('2026-11-12') }
    const range = { start: day('2026-11-13'), end: day('2026-11-19') }
    const desk = new FakeDesk()
    show(desk, `#/overview?compare-start=${four.start}&compare-end=${four.end}`)
    const direct = await region('Direct')
    await within(direct).findByText('Changes are per day: 7 days against 28.')
    const query = desk.argumentsOf('reports/ask').find(({ query: { family } }) => family === 'direct')?.query
    if (query?.kind !== 'overview') throw new Error('No overview was asked for')
    const suspects = (of: typeof range) =>
      Number(overviewAnswer({ ...query, range: of }).figures.total['suspect'])
    const [now, then] = [suspects(range) / 7, suspects(four) / 28]
    const percent = Math.round(Math.abs((now - then) / then) * 1000) / 10
    const sign = now > then ? '+' : '-'
    const text = `${sign}${Math.round(Math.abs(now - then)).toLocaleString('en-US')}/day (${percent === 0 ? '' : sign}${percent}%)`
    await waitFor(() => expect(changesIn(direct)[2]).toBe(text))
    await waitFor(() => expect(lastSets()).toContain('Suspect'))
    expect(lastSets()).not.toContain('Suspect before')
    const moved = await screen.findByRole('table', { name: 'Bad went up' })
    expect(within(moved).getAllByText(/\/day/).length).toBeGreaterThan(0)
  })

  it('asks for no days that are kept of both where all are there', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?compare=period-before')
    await waitFor(async () => expect(changesIn(await region('Direct'))).not.toContain('…'))
    expect(desk.argumentsOf('reports/paired')).toEqual([])
  })

  it('lays the days before under the days of now', async () => {
    show(new FakeDesk(), '#/overview?compare=period-before')
    await waitFor(() => expect(lastSets()).toContain('Suspect before'))
    const table = await openTable('Direct')
    const headers = within(table).getAllByRole('columnheader')
    expect(headers.map((each) => each.textContent)).toEqual([
      'Date',
      'Non-Suspect',
      'Non-Suspect before',
      'Suspect',
      'Suspect before',
    ])
  })

  it('says why there is nothing to compare with, beside the figures of now', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) =>
      query.range.start === before.start ? failed('offline') : good(answerFor(query)),
    )
    show(desk, '#/overview?compare=period-before')
    expect(await screen.findAllByText(/cannot be compared with\./)).toHaveLength(2)
    const direct = await region('Direct')
    const changes = [...direct.querySelectorAll('.change')].map((each) => each.textContent)
    expect(changes).toEqual(['–', '–', '–', '–'])
    expect(screen.getByText('Suspect', { selector: 'dt' })).toBeTruthy()
  })

  it('shows the rows that moved most, by the measure that each family is watched for', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?compare=period-before&movers=browsers&instance=102')
    const table = await screen.findByRole('table', { name: 'Bad went up' })
    expect(within(table).getAllByRole('row')).toHaveLength(6)
    expect(within(table).getAllByText(/^\+40,000/)).toHaveLength(5)
    const asked = desk.argumentsOf('reports/movers')
    expect(asked.map(({ header }) => header).sort()).toEqual(['Bad', 'Suspect'])
    for (const { query, before: days } of asked) {
      expect(query).toMatchObject({ kind: 'table', dimension: 'browsers', instance: '102' })
      expect(days).toEqual(before)
    }
  })

  it('leads from a row to the report limited to it; a row without a name leads nowhere', async () => {
    show(new FakeDesk(), '#/overview?compare=period-before&movers=browsers')
    const table = await screen.findByRole('table', { name: 'Bad went up' })
    const link = within(table).getByRole('link', { name: 'Chrome' })
    expect(link.getAttribute('href')).toMatch(/^#\/reports\/script\/browsers\?.*browser=Chrome/)
    expect(link.getAttribute('href')).toContain('compare=period-before')
    expect(within(table).getByText('(blank)').closest('a')).toBeNull()
  })

  it('leads from an instance to its other dimensions', async () => {
    show(new FakeDesk(), '#/overview?compare=period-before')
    const table = await screen.findByRole('table', { name: 'Suspect went up' })
    const link = within(table).getByRole('link', { name: 'Kestrel Bank' })
    expect(link.getAttribute('href')).toMatch(/^#\/reports\/direct\/(?!sessions).*instance=102/)
  })

  it('shows movers by another dimension, and only of families that offer it', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?compare=period-before')
    choose(await screen.findByRole('combobox', { name: 'Dimension' }), 'Referrers')
    await screen.findByText('Script: Bad by referrer')
    expect(screen.queryByText(/^Direct: Suspect by/)).toBeNull()
  })

  it('says how far the movers are, and can be stopped', async () => {
    const desk = new FakeDesk().answer('reports/movers', () => never)
    show(desk, '#/overview?compare=period-before')
    await waitFor(() => expect(desk.argumentsOf('reports/movers')).toHaveLength(2))
    const query = tableBehind(plainOverview, 'script', 'sessions', day('2026-11-20'))
    const key = moversKey(query, before, 'Bad')
    desk.emit('reports/progress', { account: account.id, key, done: 3, total: 14, unit: 'days' })
    expect(await screen.findByText('3 of 14 days')).toBeTruthy()
    screen.getByRole('button', { name: 'Cancel' }).click()
    expect(desk.argumentsOf('reports/cancel')).toContainEqual({ account: account.id, key })
  })

  it('counts the days that movers miss among those of both runs, each once', async () => {
    const desk = new FakeDesk().answer('reports/movers', ({ query, before: days }) => {
      const answer = moversAnswer(query, days)
      const missing = [day('2026-11-02'), day('2026-11-03')]
      return good({ ...answer, provenance: { ...answer.provenance, missing } })
    })
    show(desk, '#/overview?compare-start=2026-11-02&compare-end=2026-11-15')
    expect(await screen.findAllByText(/^16 of 18 days; missing: /)).toHaveLength(2)
  })

  it('says over which days movers are compared where some are missing, and where none can be', async () => {
    const compared = { days: 4, total: 7 }
    const desk = new FakeDesk().answer('reports/movers', ({ query, before: days }) => {
      const answer = moversAnswer(query, days)
      return good(
        query.family === 'script'
          ? { ...answer, compared }
          : { ...answer, up: [], down: [], compared: { ...compared, days: 0 } },
      )
    })
    show(desk, '#/overview?compare=period-before')
    const script = await screen.findByRole('group', { name: /^Script: Bad by/ })
    await within(script).findByText('Compares 4 of 7 days: those saved for both periods.')
    expect(within(script).getAllByRole('table')).toHaveLength(2)
    const direct = screen.getByRole('group', { name: /^Direct: Suspect by/ })
    await within(direct).findByText('Nothing is compared: no day is saved for both periods.')
    expect(within(direct).queryAllByRole('table')).toEqual([])
  })

  it('says of movers without the service that their rows are not kept', async () => {
    show(
      new FakeDesk().answer('reports/movers', () => failed('offline')),
      '#/overview?compare=period-before',
    )
    expect(await screen.findAllByText('The rows of these days are not saved yet')).toHaveLength(2)
  })

  it('says so where no row moved', async () => {
    const desk = new FakeDesk().answer('reports/movers', ({ query, before: days }) =>
      good({ ...moversAnswer(query, days), up: [], down: [] }),
    )
    show(desk, '#/overview?compare=period-before')
    expect(await screen.findAllByText('In no row.')).toHaveLength(4)
  })
})
