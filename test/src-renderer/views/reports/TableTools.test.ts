import { fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { FakeDesk } from '#test/src-renderer/helpers/fake-desk.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const tools = () => within(screen.getByRole('toolbar', { name: 'Show' })).getAllByRole('checkbox')
const stops = () => tools().map(({ tabIndex }) => tabIndex)

it('is one stop of the keyboard, with arrow keys from one tool to the next', async () => {
  show(new FakeDesk(), '#/reports/script/browsers')
  await screen.findByRole('toolbar', { name: 'Show' })
  await waitFor(() => expect(stops()).toEqual([0, -1, -1]))
  const [first, second, last] = tools()
  if (!first || !second || !last) throw new Error('Three tools are expected')
  first.focus()
  await fireEvent.keyDown(first, { key: 'ArrowRight' })
  expect(document.activeElement).toBe(second)
  await waitFor(() => expect(stops()).toEqual([-1, 0, -1]))
  await fireEvent.keyDown(second, { key: 'End' })
  expect(document.activeElement).toBe(last)
  await fireEvent.keyDown(last, { key: 'ArrowRight' })
  expect(document.activeElement).toBe(first)
  second.click()
  await waitFor(() => expect(window.location.hash).toContain('rules=1'))
})

it('keeps a stop where the tool that had it is gone', async () => {
  show(new FakeDesk(), '#/reports/script/browsers')
  await screen.findByRole('toolbar', { name: 'Show' })
  const rules = screen.getByRole('checkbox', { name: 'Rule sets' })
  screen.getByRole('checkbox', { name: 'Rates' }).focus()
  await fireEvent.keyDown(screen.getByRole('checkbox', { name: 'Rates' }), { key: 'ArrowRight' })
  await waitFor(() => expect(rules.tabIndex).toBe(0))
  window.location.hash = '#/reports/script/sources'
  await waitFor(() => expect(screen.queryByRole('checkbox', { name: 'Rule sets' })).toBeNull())
  await waitFor(() => expect(stops()).toEqual([0, -1]))
})
