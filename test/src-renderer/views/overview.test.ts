import { screen, waitFor, within } from '@testing-library/svelte'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { FakeDesk, failed, good } from '../helpers/fake-desk.ts'
import { answerFor, overviewAnswer } from '../helpers/figures.ts'
import { choose, show, standAt } from '../helpers/show.ts'

const drawn = vi.hoisted(() =>
  vi.fn<(...given: unknown[]) => { stop: () => void }>(() => ({ stop: () => undefined })),
)
vi.mock('../../../src-renderer/parts/chart/draw.ts', () => ({ draw: drawn }))

beforeEach(() => standAt('2026-11-20T10:00:00Z'))
afterEach(() => {
  vi.useRealTimers()
  drawn.mockClear()
})

const region = (name: string) => screen.findByRole('region', { name })

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

  it('asks for a week, with its chart, of both', async () => {
    const desk = new FakeDesk()
    show(desk)
    await region('Direct')
    const asked = desk.argumentsOf('reports/ask').map(({ query }) => query)
    expect(asked.map(({ family }) => family).sort()).toEqual(['direct', 'script'])
    for (const query of asked) {
      expect(query).toMatchObject({
        kind: 'overview',
        chart: true,
        range: { start: '2026-11-13', end: '2026-11-19' },
      })
    }
  })

  it('has its daily figures in a table too, whatever order they came in', async () => {
    show(new FakeDesk())
    const table = await screen.findByRole('table', { name: 'Direct by day' })
    const headers = within(table).getAllByRole('columnheader')
    expect(headers.map((each) => each.textContent)).toEqual(['Date', 'Non-Suspect', 'Suspect'])
    expect(within(table).getAllByRole('row')).toHaveLength(8)
  })

  it('draws the parts, and others when they are asked for', async () => {
    show(new FakeDesk())
    const mobile = await within(await region('Script')).findByRole('button', { name: 'Mobile' })
    expect(mobile.getAttribute('aria-pressed')).toBe('false')
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(2))
    mobile.click()
    await waitFor(() => expect(drawn).toHaveBeenCalledTimes(3))
    expect(JSON.stringify(drawn.mock.lastCall?.[2])).toContain('Mobile')
  })

  it('does without a chart that was not recognised', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      return good(
        answer.kind === 'overview' ? { ...answer, figures: { ...answer.figures, chart: null } } : answer,
      )
    })
    show(desk)
    expect(await screen.findAllByText(/sent no daily figures/)).toHaveLength(2)
  })

  it('filters both families at once, and Reports after it', async () => {
    const desk = new FakeDesk()
    show(desk)
    await region('Direct')
    await screen.findByRole('option', { name: 'Kestrel Bank' })
    choose(screen.getByRole('combobox', { name: 'Instance' }), 'Kestrel Bank')
    await waitFor(() => expect(desk.argumentsOf('reports/ask')).toHaveLength(4))
    for (const { query } of desk.argumentsOf('reports/ask').slice(2)) expect(query.instance).toBe('102')
    expect(screen.getByRole('link', { name: 'Reports' }).getAttribute('href')).toBe(
      '#/reports/script/sessions?instance=102',
    )
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
    expect(screen.getByRole('status').textContent).toMatch(/^As of /)
  })

  it('names days that are missing, and why figures are old', async () => {
    const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
      const answer = answerFor(query)
      const failure = { kind: 'server-trouble' as const, message: 'It answered 503.' }
      const provenance = { ...answer.provenance, failure, missing: [query.range.start] }
      return good({ ...answer, provenance })
    })
    show(desk)
    expect(await screen.findAllByText(/^6 of 7 days\. Missing: /)).toHaveLength(2)
    expect(screen.getAllByText(/It answered 503\./)).toHaveLength(2)
  })
})
