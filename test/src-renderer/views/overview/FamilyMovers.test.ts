import { screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { moversKey } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import { plainOverview, tableBehind } from '#shared/views/address.ts'
import { FakeDesk, account, failed, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { choose, show, standAt } from '#test/src-renderer/helpers/show.ts'
import { moversAnswer } from '#test/src-renderer/helpers/trends.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const before = { start: day('2026-11-06'), end: day('2026-11-12') }
const never = new Promise<never>(() => undefined)

describe('what moved most', () => {
  it('shows the rows that moved most, by the measure that each family is watched for', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?compare=period-before&instance=102&movers=browsers')
    const table = await screen.findByRole('table', { name: 'Bad rate went up' })
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
    const table = await screen.findByRole('table', { name: 'Bad rate went up' })
    const link = within(table).getByRole('link', { name: 'Chrome' })
    expect(link.getAttribute('href')).toMatch(/^#\/reports\/script\/browsers\?.*browser=Chrome/)
    expect(link.getAttribute('href')).toContain('compare=period-before')
    expect(within(table).getByText('(empty)').closest('a')).toBeNull()
  })

  it('leads from an instance to its other dimensions', async () => {
    show(new FakeDesk(), '#/overview?compare=period-before')
    const table = await screen.findByRole('table', { name: 'Suspect rate went up' })
    const link = within(table).getByRole('link', { name: 'Kestrel Bank' })
    expect(link.getAttribute('href')).toMatch(/^#\/reports\/direct\/(?!sessions).*instance=102/)
  })

  it.each([
    ['browsers', /^Percent of requests\./],
    ['referrers', /^Percent of responses\./],
  ])('names what its percentages are of: %s', async (dimension, words) => {
    show(new FakeDesk(), `#/overview?compare=period-before&movers=${dimension}`)
    expect((await screen.findAllByText(words)).length).toBeGreaterThan(0)
  })

  it('shows movers by another dimension, and only of families that offer it', async () => {
    const desk = new FakeDesk()
    show(desk, '#/overview?compare=period-before')
    choose(await screen.findByRole('combobox', { name: 'Dimension' }), 'Referrers')
    await screen.findByText('Script: Bad rate by referrer')
    expect(screen.queryByText(/^Direct: Suspect rate by/)).toBeNull()
  })

  it('says how far the movers are, and can be stopped', async () => {
    const desk = new FakeDesk().answer('reports/movers', () => never)
    show(desk, '#/overview?compare=period-before')
    await waitFor(() => expect(desk.argumentsOf('reports/movers')).toHaveLength(2))
    const query = tableBehind(plainOverview, 'script', 'sessions', day('2026-11-20'))
    const key = moversKey(query, before, 'Bad', { by: 'rate' })
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
    const script = await screen.findByRole('group', { name: /^Script: Bad rate by/ })
    await within(script).findByText('Compares 4 of 7 days: those saved for both periods.')
    expect(within(script).getAllByRole('table')).toHaveLength(2)
    const direct = screen.getByRole('group', { name: /^Direct: Suspect rate by/ })
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
    expect(await screen.findAllByText('None with enough requests.')).toHaveLength(4)
  })
})
