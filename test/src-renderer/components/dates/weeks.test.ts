import { fireEvent, screen, within } from '@testing-library/svelte'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { beginWeeksOn } from '#shared/views/period.ts'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

beforeEach(() => standAt('2026-11-20T10:00:00Z'))
afterEach(() => beginWeeksOn(1))

it.each([
  [7, 'Sun', '2026-11-15'],
  [1, 'Mon', '2026-11-16'],
  [6, 'Sat', '2026-11-14'],
] as const)(
  'weeks begin on day %s in the calendar and in presets alike',
  async (weeksBeginOn, first, start) => {
    const desk = new FakeDesk({ weeksBeginOn })
    show(desk, '#/reports/script/browsers?period=this-week')
    const period = await screen.findByRole('group', { name: 'Period' })
    await fireEvent.click(within(period).getByRole('button'))
    const days = within(await screen.findByRole('dialog', { name: 'Choose days' }))
    const heads = await days.findAllByRole('columnheader', { hidden: true })
    expect(heads[0]?.textContent.trim()).toBe(first)
    expect(desk.argumentsOf('reports/ask')[0]?.query.range).toEqual({ start, end: '2026-11-20' })
  },
)
