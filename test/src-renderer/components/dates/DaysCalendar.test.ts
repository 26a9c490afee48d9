import { fireEvent, render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import { day } from '#shared/values/day.ts'
import DaysCalendar from '#renderer/components/dates/DaysCalendar.svelte'

it('takes no day back that was chosen, where the same range comes again before the other is', async () => {
  const choose = vi.fn()
  const range = () => ({ start: day('2026-11-13'), end: day('2026-11-19') })
  const { rerender } = render(DaysCalendar, { range: range(), today: day('2026-11-20'), choose })
  const press = (name: RegExp) =>
    fireEvent.click(screen.getAllByRole('button', { name }).at(-1) ?? document.body)
  await press(/November 3\b/)
  choose.mockClear()
  await rerender({ range: range(), today: day('2026-11-21') })
  await press(/November 9\b/)
  expect(choose.mock.calls).toEqual([[{ start: '2026-11-03', end: '2026-11-09' }]])
})
