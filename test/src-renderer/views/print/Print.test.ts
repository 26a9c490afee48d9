import { render, screen } from '@testing-library/svelte'
import { expect, it, vi } from 'vitest'
import Print from '#renderer/views/print/Print.svelte'
import { loadPrinted } from '#renderer/views/print/load.ts'
import { knownExamples, soundFigures } from '#test/helpers/known-figures.ts'
import { FakeDesk, account } from '#test/src-renderer/helpers/fake-desk.ts'
import { furnish } from '#test/src-renderer/helpers/show.ts'

vi.mock('#renderer/components/chart/draw.ts', async () => {
  const { drawn: draw } = await import('#test/src-renderer/helpers/drawn.ts')
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
  render(Print, { printed: loaded.value })
  expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  expect(screen.getAllByRole('img').length).toBeGreaterThan(0)
})

it('says so where figures changed while the pages were made', async () => {
  furnish()
  const now = Date.parse('2026-11-20T10:00:00Z')
  const loaded = await loadPrinted(new FakeDesk().bridge, { account: account.id, view: '#/overview' }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  const words =
    /^Figures changed while these pages were made\. Table, chart and comparison may be from different/
  const { rerender } = render(Print, { printed: loaded.value })
  expect(screen.queryByText(words)).toBeNull()
  await rerender({ printed: { ...loaded.value, isSteady: false } })
  screen.getByText(words)
})

// What has a line of its own is told apart from what stands in the line of where the figures come from.
const inLine: Partial<Record<string, string>> = {
  from: 'Figures as the service gave them',
  fetchedAt: 'Nov 24, 2026',
  ages: 'Nov 23, 2026',
  spans: 'Added up from saved figures.',
}

it.each(Object.entries(knownExamples))('says on the pages what figures say: %s', async (key, example) => {
  furnish()
  const view = '#/reports/script/browsers?period=custom&start=2026-11-13&end=2026-11-19&chart=top'
  const loaded = await loadPrinted(
    new FakeDesk().bridge,
    { account: account.id, view },
    soundFigures.fetchedAt,
  )
  if (!loaded.ok) throw new Error(loaded.failure.message)
  const { value: printed } = loaded
  const provenance = { ...soundFigures, ...example.provenance }
  const sections = printed.sections.map((section) => ({ ...section, provenance }))
  const { container } = render(Print, { printed: { ...printed, sections } })
  expect(container.textContent).toContain(inLine[key] ?? `${example.name}:`)
})
