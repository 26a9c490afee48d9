import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { days } from '#renderer/components/formats.ts'
import { day } from '#shared/values/day.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { FactKey } from '#shared/reports/figure-facts.ts'
import { knownExamples, soundFigures } from '#test/helpers/known-figures.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'
import { at, restatedDesk } from '#test/src-renderer/helpers/restatements.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

// What opens with the first click is prepared once, so that no test waits for that.
beforeAll(() => import('#renderer/components/figures/FiguresPanel.svelte'))
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const status = () => screen.findByRole('button', { name: /^As of / })
const panel = () => screen.findByRole('dialog', { name: 'About these figures' })
const browsers = '#/reports/script/browsers?period=this-week'

describe('what is known of the figures on screen', () => {
  it('opens from the status by one click, and says what is not settled and what was restated', async () => {
    show(restatedDesk({ days: 1, latest: at('2026-11-19T10:12:00Z') }), browsers)
    await fireEvent.click(await status())
    const found = within(await panel())
    expect(found.getByRole('heading', { name: 'Script by browser' })).toBeTruthy()
    const range = { start: day('2026-11-16'), end: day('2026-11-20') }
    expect(found.getByText('Days').nextElementSibling?.textContent).toBe(days(range))
    expect(found.getByText(/ is still in progress \(counted to /)).toBeTruthy()
    expect(found.getByText('Still changing')).toBeTruthy()
    expect(await found.findByText(/\+192 bad since/)).toBeTruthy()
    await fireEvent.click(found.getByRole('button', { name: 'What changed' }))
    expect(await screen.findByRole('dialog', { name: 'Restated days' })).toBeTruthy()
  })

  it('opens from the footer, and renews the figures by hand', async () => {
    const desk = new FakeDesk()
    show(desk, '#/reports/script/browsers')
    await fireEvent.click(await screen.findByRole('button', { name: /^Updated / }))
    await fireEvent.click(within(await panel()).getByRole('button', { name: 'Refresh' }))
    await waitFor(() => expect(desk.argumentsOf('reports/ask').filter(({ force }) => force)).toHaveLength(1))
  })

  it('says whatever figures can say', async () => {
    const said: Readonly<Record<FactKey, RegExp>> = {
      from: /Combined from .* and 3 saved days/,
      fetchedAt: /saved days, updated/,
      spans: /Nov 16 – 17, 2026, saved as one/,
      ages: /18, 2026: /,
      missing: /Days ?5 of 7 days; missing: Nov 14 – 15, 2026/,
      composed: /Not all loaded ?10 of 19 campaigns\. /,
      notOver: /Nov 19, 2026 is still in progress/,
      canChange: /Still changing.*Nov 17 – 18, 2026\./,
      doubt: /Does not add up: the service sent fewer rows/,
      restated: /Restated.*What changed/,
      failure: /Nobody answers\./,
      refreshing: /Newer figures were loading/,
    }
    const range = { start: day('2026-11-13'), end: day('2026-11-18') }
    const today = { start: day('2026-11-19'), end: day('2026-11-19') }
    const provenance: Provenance = {
      ...soundFigures,
      ...knownExamples.missing.provenance,
      ...knownExamples.composed.provenance,
      ...knownExamples.doubt.provenance,
      ...knownExamples.restated.provenance,
      ...knownExamples.failure.provenance,
      ...knownExamples.refreshing.provenance,
      spans: [{ start: day('2026-11-16'), end: day('2026-11-17') }],
      fetchedAt: at('2026-11-19T09:00:00Z'),
      ages: [range, today].map((each) => ({ range: each, fetchedAt: at('2026-11-19T09:00:00Z') })),
    }
    const desk = restatedDesk(null).answer('reports/ask', ({ query }) =>
      good({ ...answerFor(query), provenance }),
    )
    show(desk, '#/reports/script/browsers?start=2026-11-13&end=2026-11-19')
    expect(await screen.findByText(/· In progress: Nov 19, 2026/)).toBeTruthy()
    await fireEvent.click(await screen.findByRole('button', { name: /^Combined from / }))
    const found = await panel()
    for (const words of Object.values(said)) expect(found.textContent.replace(/\s+/g, ' ')).toMatch(words)
  })

  it('opens for a pointer that rests, and goes when it leaves', async () => {
    show(new FakeDesk(), '#/overview')
    const button = await status()
    await fireEvent.pointerEnter(button, { pointerType: 'mouse' })
    const found = await panel()
    expect(within(found).getAllByRole('heading')).toHaveLength(2)
    expect(document.activeElement).not.toBe(found)
    await fireEvent.pointerLeave(button)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })

  it('gives the focus back when it is closed', async () => {
    show(new FakeDesk(), '#/overview')
    const button = await status()
    await fireEvent.click(button)
    const found = await panel()
    await waitFor(() => expect(found.contains(document.activeElement)).toBe(true))
    await fireEvent.keyDown(found, { key: 'Escape' })
    await waitFor(() => expect(document.activeElement).toBe(button))
  })
})

describe('a day that is not over', () => {
  it('is said to be so beside the cards of the overview, and in the table of its chart', async () => {
    show(new FakeDesk(), '#/overview?period=today')
    const script = within(await screen.findByRole('region', { name: 'Script' }))
    expect(await script.findByText(/ is still in progress /)).toBeTruthy()
    await fireEvent.click(await script.findByRole('button', { name: 'Show as table' }))
    expect(await script.findByRole('rowheader', { name: /\(in progress\)$/ })).toBeTruthy()
  })
})
