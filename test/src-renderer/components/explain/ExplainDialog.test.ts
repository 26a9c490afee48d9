import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeEach, describe, expect, it } from 'vitest'
import { explainKey } from '#shared/reports/explain-answer.ts'
import type { ExplainAnswer } from '#shared/reports/explain-answer.ts'
import { day } from '#shared/values/day.ts'
import { readAddress } from '#shared/views/address.ts'
import {
  explainAnswer,
  explainedAs,
  explanationOf,
  valueOf,
} from '#test/src-renderer/helpers/explanations.ts'
import {
  FakeDesk,
  account,
  good,
  failed,
  otherAccount,
  pending,
} from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const cost = { requests: 2, atMost: false, milliseconds: 600 }
const now = { start: day('2026-11-13'), end: day('2026-11-19') }
const before = { start: day('2026-11-06'), end: day('2026-11-12') }

const deskWith = (changes: Partial<ExplainAnswer> = {}) =>
  new FakeDesk().answer('reports/explain', (asked) => good(explainAnswer(asked, changes)))

/** Opens what explains Bad from its card. */
async function opened(desk: FakeDesk, address = '#/overview') {
  show(desk, address)
  const script = within(await screen.findByRole('region', { name: 'Script' }))
  const button = await script.findByRole('button', { name: 'Why? What explains Bad rate' })
  button.focus()
  await fireEvent.click(button)
  const dialog = await screen.findByRole('dialog', { name: 'What explains it' })
  return { dialog, within: within(dialog), button }
}

const rowsIn = (table: HTMLElement) =>
  within(table)
    .getAllByRole('row')
    .map((row) =>
      Array.from(row.querySelectorAll('th, td'), (cell) => cell.textContent.replace(/\s+/g, ' ').trim()),
    )

it('goes with the account whose figure is explained', async () => {
  const desk = deskWith()
  const { within: inside } = await opened(desk)
  await inside.findByText('Networks')
  desk.emit('accounts/changed', { active: otherAccount.id, accounts: [account, otherAccount] })
  await waitFor(() => expect(screen.queryByRole('dialog', { name: 'What explains it' })).toBeNull())
})

describe('what explains a figure', () => {
  it('is asked of its rate, compared with the period before where nothing is compared, and loads nothing', async () => {
    const desk = deskWith()
    const { within: inside } = await opened(desk)
    await inside.findByText('Networks')
    expect(desk.argumentsOf('reports/explain')).toEqual([
      {
        ...{ account: account.id, before, header: 'Bad', base: 'Requests', by: 'rate', load: [] },
        query: {
          ...{ kind: 'overview', family: 'script', range: now, chart: false },
          ...{ instance: null, source: null, campaign: null },
        },
      },
    ])
    const days = inside.getByText(/Nov 13 – 19, 2026, compared with Nov 6 – 12, 2026/)
    // Assistive technology ignores the name of a paragraph.
    expect(days.closest('p')?.hasAttribute('aria-labelledby')).toBe(false)
  })

  it('names its instance', async () => {
    const { within: inside } = await opened(deskWith(), '#/overview?instance=101')
    await inside.findByText('Script · Meridian Outdoor – EMEA')
  })

  it('is said in a sentence, with its values, their contribution, mix and rate, and what they add up to', async () => {
    const { within: inside } = await opened(deskWith())
    await fireEvent.click(await inside.findByRole('radio', { name: 'Count' }))
    expect(await inside.findByText('Comcast accounts for +2,448 of +3,573.')).toBeTruthy()
    expect(rowsIn(inside.getByRole('table', { name: 'Networks' }))).toEqual([
      ['Network', 'Before', 'Now', 'Effect', 'By traffic', 'By rate'],
      ['Comcast', '500', '2,948', '+2,448', '+400', '+2,048'],
      ['12 others', '+1,125', '0', '+1,125'],
      ['All', '1,000', '4,573', '+3,573', '+400', '+3,173'],
    ])
    expect(inside.getByText(/effects add up to the change/)).toBeTruthy()
  })

  it('has doors to the rows, compared, what changed most first', async () => {
    const { within: inside } = await opened(deskWith(), '#/overview?source=newsletter')
    const link = await inside.findByRole('link', { name: 'Comcast' })
    expect(readAddress(link.getAttribute('href') ?? '')).toMatchObject({
      ...{ kind: 'reports', family: 'script', dimension: 'networks', source: 'newsletter' },
      filters: { network: 'Comcast' },
      sort: [{ header: 'Bad Rate change', direction: 'desc' }],
      compare: { kind: 'preset', preset: 'period-before' },
    })
    await fireEvent.click(inside.getByRole('link', { name: 'All networks' }))
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('closes with Escape, and the focus is where it was', async () => {
    const { dialog, button } = await opened(deskWith())
    await fireEvent.keyDown(dialog, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(button))
  })

  it('goes on to a source, and back', async () => {
    const sources = explanationOf({ named: [valueOf('cheap-clicks', [1, 10], [9, 10], [0, 3000])] })
    const desk = deskWith({ dimensions: [explainedAs('sources', sources)] })
    const { within: inside } = await opened(desk)
    await fireEvent.click(await inside.findByRole('button', { name: 'Why? What explains cheap-clicks' }))
    await waitFor(() => expect(desk.argumentsOf('reports/explain').at(-1)?.query.source).toBe('cheap-clicks'))
    expect(await inside.findByText(/cheap-clicks/, { selector: 'span' })).toBeTruthy()
    expect(document.activeElement).toBe(inside.getByRole('button', { name: 'Back' }))
    await fireEvent.click(inside.getByRole('button', { name: 'Back' }))
    await waitFor(() => expect(inside.queryByRole('button', { name: 'Back' })).toBeNull())
  })
})

describe('a dimension', () => {
  const sentencesOf = async (changes: Parameters<typeof explanationOf>[0]) => {
    const { within: inside } = await opened(
      deskWith({ dimensions: [explainedAs('networks', explanationOf(changes))] }),
    )
    const section = await inside.findByRole('region', { name: 'Networks' })
    return Array.from(section.querySelectorAll('p'), (each) => each.textContent.trim())
  }

  it('says that its change lies on many rows, and what held against it', async () => {
    const against = valueOf('Orange', [900, 9000], [100, 1000], [-800, 0])
    expect(await sentencesOf({ shape: 'spread', against })).toEqual([
      'Spread over many networks. The largest accounts for +2,448 of +3,573. In the other direction: Orange, −800.'.replace(
        '−',
        '-',
      ),
    ])
  })

  it('says that its rows account for no more than they usually do', async () => {
    expect(await sentencesOf({ shape: 'alike' })).toEqual([
      'Comcast accounts for +2,448 of +3,573, about its usual share.',
    ])
  })

  it('names Simpson’s paradox', async () => {
    const [, words] = await sentencesOf({ by: 'rate', scale: 100, change: 240, paradox: 'each' })
    expect(words).toBe(
      'The rate fell in every network, yet rose overall. Traffic moved to networks with a higher rate.',
    )
  })

  it('says that it is of other figures, or of fewer days', async () => {
    const compared = { days: 4, total: 7 }
    const { within: inside } = await opened(
      deskWith({ dimensions: [explainedAs('networks', explanationOf(), { agrees: false, compared })] }),
    )
    expect(
      await inside.findByText(/This table differs from the figure above: \+3,573, updated .*, 4 of 7 days\./),
    ).toBeTruthy()
  })

  it('says what stands in no row', async () => {
    const { within: inside } = await opened(
      deskWith({ dimensions: [explainedAs('networks', explanationOf({ rest: 17, unknown: 2 }))] }),
    )
    expect(await inside.findByText('None; 2 not reported')).toBeTruthy()
  })
})

describe('what is not stored', () => {
  const missing: Partial<ExplainAnswer> = {
    figure: null,
    dimensions: [
      { kind: 'missing', dimension: 'browsers' },
      { kind: 'missing', dimension: 'networks' },
      { kind: 'missing', dimension: 'sources' },
      { kind: 'not-counted', dimension: 'referrers', header: 'Requests' },
    ],
    due: [
      { ...cost, dimension: 'browsers' },
      { ...cost, requests: 4, dimension: 'networks' },
      { dimension: 'sources', requests: 400, atMost: true, milliseconds: 100_000 },
    ],
  }

  it('is loaded when asked, for what that takes, and can be given up', async () => {
    const desk = deskWith(missing)
    const { within: inside } = await opened(desk)
    expect(await inside.findByText(/Browsers and networks: 6 calls, about 1 s\./)).toBeTruthy()
    expect(inside.getByText(/Sources: up to 400 calls, about 1 min\./)).toBeTruthy()
    expect(inside.getByText('Referrers: the service has no Requests by referrer.')).toBeTruthy()
    const waited = pending<ReturnType<typeof good<ExplainAnswer>>>()
    desk.answer('reports/explain', () => waited.promise)
    await fireEvent.click(inside.getByRole('button', { name: 'Load all 2' }))
    const asked = desk.argumentsOf('reports/explain')
    expect(asked.map(({ load }) => load)).toEqual([[], ['browsers', 'networks']])
    const {
      account: id,
      load,
      ...explainQuery
    } = asked[1] ??
    asked[0] ??
    (() => {
      throw new Error('Not asked')
    })()
    expect(load).toHaveLength(2)
    desk.emit('reports/progress', {
      account: id,
      key: explainKey(explainQuery),
      done: 1,
      total: 4,
      unit: 'tables',
    })
    expect(await inside.findByText('1 of 4 tables')).toBeTruthy()
    await fireEvent.click(inside.getByRole('button', { name: 'Cancel' }))
    expect(desk.argumentsOf('reports/cancel').map(({ key }) => key)).toContain(explainKey(explainQuery))
    waited.resolve(good(explainAnswer(explainQuery)))
    expect(await inside.findByText('Comcast', { exact: false, selector: 'a *' })).toBeTruthy()
  })

  it.each([
    ['has the focus once it came', false],
    ['leaves the focus where somebody went meanwhile', true],
  ])('%s', async (_, goes) => {
    const desk = deskWith(missing)
    const { within: inside } = await opened(desk)
    const button = await inside.findByRole('button', { name: 'Load all 2' })
    desk.answer('reports/explain', (asked) => good(explainAnswer(asked)))
    button.focus()
    await fireEvent.click(button)
    const chosen = inside.getByRole('radio', { name: 'Rate' })
    if (goes) chosen.focus()
    const heading = await inside.findByRole('heading', { name: 'Networks' })
    await waitFor(() => expect(document.activeElement).toBe(goes ? chosen : heading))
  })

  it('is not offered where the service is away', async () => {
    const obstacle = { kind: 'offline', message: 'It is away.' } as const
    const { within: inside } = await opened(deskWith({ ...missing, obstacle }))
    expect(
      await inside.findByText(/Browsers, networks and sources are not saved for both periods\./),
    ).toBeTruthy()
    expect(inside.queryByRole('button', { name: /^Load/ })).toBeNull()
  })

  it('says what did not come', async () => {
    const failure = { kind: 'server-trouble', message: 'It answered with 500.' } as const
    const { within: inside } = await opened(
      deskWith({ ...missing, failures: [{ dimension: 'browsers', failure }] }),
    )
    expect(await inside.findByText(/Browsers: The service has a problem\./)).toBeTruthy()
  })

  it('says why nothing can be told', async () => {
    const desk = new FakeDesk().answer('reports/explain', () => failed('invalid'))
    const { within: inside } = await opened(desk)
    expect(await inside.findByRole('alert')).toBeTruthy()
  })
})

describe('a cell of a compared table', () => {
  it('leads to what explains it by its menu, and all rows by a button', async () => {
    const desk = deskWith()
    show(desk, '#/reports/script/browsers?compare=period-before&rates=1')
    const grid = await screen.findByRole('grid', { name: 'Script by browser' })
    const cell = (name: string) => {
      const row = within(grid).getByRole('rowheader', { name }).closest('[role=row]')
      const found = row?.querySelectorAll('[role=gridcell]')[1]
      if (!found) throw new Error(`No cell of ${name}`)
      return found
    }
    await fireEvent.contextMenu(cell('Chrome'))
    await fireEvent.click(await screen.findByRole('menuitem', { name: 'What explains it' }))
    await screen.findByRole('dialog', { name: 'What explains it' })
    expect(desk.argumentsOf('reports/explain').at(-1)?.row).toEqual({
      dimension: 'browsers',
      key: 'text Chrome',
    })
    await fireEvent.keyDown(screen.getByRole('dialog'), { key: 'Escape' })
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    await fireEvent.click(await screen.findByRole('button', { name: 'What explains it' }))
    await waitFor(() => {
      const asked = desk.argumentsOf('reports/explain').at(-1)
      expect([asked?.row, asked?.header, asked?.by]).toEqual([undefined, 'Bad', 'rate'])
    })
  })
})
