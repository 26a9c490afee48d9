import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import type { Instant } from '#shared/values/ids.ts'
import { day } from '#shared/values/day.ts'
import { lastSets } from '#test/src-renderer/helpers/drawn.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, overviewAnswer } from '#test/src-renderer/helpers/figures.ts'
import { openTable, show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const region = (name: string) => screen.findByRole('region', { name })

describe('an overview that compares', () => {
  const before = { start: day('2026-11-06'), end: day('2026-11-12') }

  it('invites to it, and is compared with the period before', async () => {
    const desk = new FakeDesk()
    show(desk)
    ;(await screen.findByRole('button', { name: 'Compare with the previous period' })).click()
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
    const points = async (name: string) => (await change(name))?.closest('.figure')?.querySelector('.points')
    await waitFor(async () =>
      expect((await change('Suspect rate'))?.textContent).toMatch(/^\+50 \(\+25\s?%\)$/),
    )
    // More of them, and a smaller share: 66.7 % before, 62.5 % now.
    expect((await points('Suspect rate'))?.textContent).toMatch(/^[-−]4\.2 points$/)
    expect((await points('Non-suspect'))?.textContent).toMatch(/^\+4\.2 points$/)
    expect(direct.querySelectorAll('dl .worse')).toHaveLength(0)
    expect((await change('Suspect rate'))?.className).not.toMatch(/better|changed/)
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
        good({ compared: { days: 6, total: 7 }, sides, fetchedAt: null, doubt: null }),
      )
      show(desk, '#/overview?compare=period-before')
      const direct = await region('Direct')
      await within(direct).findByText(/Compares 6 of 7 days: those saved for both periods\./)
      expect(changesIn(direct)).toEqual(['+50 (+25%)', '+50 (+4.2%)', '0 (0%)', '0 (0%)'])
      // A figure of seven days stands beside a change of six; where only six are there, both are of six.
      const days = [...direct.querySelectorAll('.compared-days')].map((each) => each.textContent)
      expect(new Set(days)).toEqual(new Set(which === 'before' ? ['over 6 of 7 days'] : []))
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

  it('shows no change of a name that counts nothing and is not listed, and says so', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      if (answer.kind !== 'overview' || query.range.start === before.start) return good(answer)
      const total = { nonsuspect: 0, suspect: 0, mobile: 0 }
      const provenance = { ...answer.provenance, doubt: 'not-listed' as const }
      return good({ ...answer, figures: { ...answer.figures, total }, provenance })
    })
    show(desk, '#/overview?compare=period-before&source=newsletter')
    const direct = await region('Direct')
    const note = await within(direct).findByRole('group', { name: 'Not listed' })
    expect(note.textContent).toContain("the service doesn't list this name for these days")
    await waitFor(() => expect(changesIn(direct)).toEqual(['–', '–', '–', '–']))
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
    expect(await screen.findByText('Compared with Nov 11 – 14, 2026')).toBeTruthy()
  })

  it('compares nothing with figures of another moment than those shown, and asks for them again', async () => {
    // The shown figures are refreshed; those to compare come as they were, and then anew.
    const ages = { shown: 0, compared: 0 }
    const isCompared = ({ range }: ReportQuery) => range.end === '2026-11-19'
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const { provenance, ...answer } = answerFor(query)
      const minutes = isCompared(query) ? ages.compared : ages.shown
      const fetchedAt = (provenance.fetchedAt + minutes * 60_000) as Instant
      return good({ ...answer, provenance: { ...provenance, fetchedAt } } as ReportAnswer)
    })
    const timesCompared = () =>
      desk.argumentsOf('reports/ask').filter(({ query }) => query.family === 'direct' && isCompared(query))
        .length
    show(desk, '#/overview?period=this-week&compare=period-before')
    const direct = await region('Direct')
    await waitFor(() => expect(changesIn(direct)).toEqual(['0 (0%)', '0 (0%)', '0 (0%)', '0 (0%)']))
    expect(timesCompared()).toBe(1)
    ages.shown = 4
    const shown = desk.argumentsOf('reports/ask').find(({ query }) => query.range.end === '2026-11-20')
    if (!shown) throw new Error('Nothing is shown')
    for (const family of ['direct', 'script'] as const)
      desk.emit('reports/changed', {
        account: account.id,
        key: answerKey({ ...shown.query, family } as ReportQuery),
      })
    await within(direct).findByText(/^Nothing is compared: the figures to compare are from another time/)
    expect(new Set(changesIn(direct))).toEqual(new Set(['–']))
    expect(timesCompared()).toBe(2)
  })

  it('compares nothing with a day that is not over alone, and asks for nothing to compare', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?period=today&compare=period-before')
    const direct = await region('Direct')
    await within(direct).findByText('Nothing is compared: Nov 20, 2026 is still in progress.')
    expect(changesIn(direct)).toEqual([])
    expect(desk.argumentsOf('reports/ask')).toHaveLength(2)
    const script = await screen.findByRole('group', { name: /^Script: Bad rate by/ })
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
    await waitFor(() => expect(changesIn(direct)[0]).toBe(text))
    await waitFor(() => expect(lastSets()).toContain('Suspect rate'))
    expect(lastSets()).not.toContain('Suspect rate before')
    const moved = await screen.findByRole('table', { name: 'Bad rate went up' })
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
    await waitFor(() => expect(lastSets()).toContain('Suspect rate before'))
    const table = await openTable('Direct')
    const headers = within(table).getAllByRole('columnheader')
    expect(headers.map((each) => each.textContent)).toEqual([
      'Date',
      ...['Requests', 'Requests before', 'Non-Suspect', 'Non-Suspect before'],
      ...['Suspect', 'Suspect before', 'Suspect rate', 'Suspect rate before'],
    ])
  })

  it('says why there is nothing to compare with, beside the figures of now', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) =>
      query.range.start === before.start ? failed('offline') : good(answerFor(query)),
    )
    show(desk, '#/overview?compare=period-before')
    expect(await screen.findAllByText(/^Can't compare with .*: these days are not saved\.$/)).toHaveLength(2)
    const direct = await region('Direct')
    const changes = [...direct.querySelectorAll('.change')].map((each) => each.textContent)
    expect(changes).toEqual(['–', '–', '–', '–'])
    expect(screen.getByText('Suspect rate', { selector: 'dt' })).toBeTruthy()
  })
})
