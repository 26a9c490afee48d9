import { render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import Print from '../../../src-renderer/views/print/Print.svelte'
import { loadPrinted } from '../../../src-renderer/views/print/load.ts'
import { FakeDesk, account } from '../helpers/fake-desk.ts'
import { furnish } from '../helpers/show.ts'

vi.mock('../../../src-renderer/parts/chart/draw.ts', async () => {
  const { drawn: draw } = await import('../helpers/drawn.ts')
  return { draw }
})

// The window that prints has none of what the parts of the other window reach.
it.each([
  '#/overview?compare=period-before',
  '#/reports/script/browsers?chart=stacked&rates=1&compare=period-before',
  '#/reports/script/browsers?chart=top',
])('draws the pages of %s of nothing but what was loaded', async (view) => {
  furnish()
  const desk = new FakeDesk()
  const now = Date.parse('2026-11-20T10:00:00Z')
  const loaded = await loadPrinted(desk.bridge, { account: account.id, view }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  render(Print, { printed: loaded.printed })
  expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  expect(screen.getAllByRole('img').length).toBeGreaterThan(0)
})
