import { render, screen, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { usualPaper } from '#shared/exports/paper.ts'
import Print from '#renderer/views/print/Print.svelte'
import { loadPrinted } from '#renderer/views/print/load.ts'
import { knownExamples, soundFigures } from '#test/helpers/known-figures.ts'
import { plainLayout } from '#renderer/components/table/columns.ts'
import { withRates } from '#shared/reports/rows.ts'
import { FakeDesk, account, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'

// The window that prints has none of what the parts of the other window reach.
it.each([
  '#/overview?compare=period-before',
  '#/reports/script/browsers?chart=stacked&rates=1&compare=period-before',
  '#/reports/script/browsers?chart=top',
])('draws the pages of %s of nothing but what was loaded', async (view) => {
  const desk = new FakeDesk()
  const now = Date.parse('2026-11-20T10:00:00Z')
  const loaded = await loadPrinted(desk.bridge, { account: account.id, view }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  render(Print, { printed: loaded.value })
  expect(await screen.findByRole('heading', { level: 1 })).toBeTruthy()
  expect(screen.getAllByRole('img').length).toBeGreaterThan(0)
})

it('says so where figures changed while the pages were made', async () => {
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

const load = async (view: string, whole = false) => {
  const now = Date.parse('2026-11-20T10:00:00Z')
  const loaded = await loadPrinted(new FakeDesk().bridge, { account: account.id, view, whole }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  return loaded.value
}

it('leads with the rate, its change and the volume; then come the first rows, and how many more there are', async () => {
  const { container } = render(Print, {
    printed: await load('#/reports/direct/browsers?compare=period-before'),
  })
  const names = [...container.querySelectorAll('dt')].map(({ textContent }) => textContent)
  expect(names.slice(0, 2)).toEqual(['Suspect rate', 'Requests'])
  expect(container.querySelector('dt + dd + dd')?.textContent).toMatch(/points$/)
  expect(within(screen.getByRole('table', { name: 'Direct by browser' })).getAllByRole('row')).toHaveLength(
    12,
  )
  screen.getByText('… and 76 more.')
})

it('says beside each change of which days it is, where the figures are of more', async () => {
  const printed = await load('#/overview?compare=period-before')
  const sections = printed.sections.map((section) => ({
    ...section,
    comparison: section.comparison && { ...section.comparison, lengths: { now: 6, before: 6 } },
  }))
  const { container, rerender } = render(Print, { printed })
  const said = () =>
    [...container.querySelectorAll('dd')].filter((each) => each.textContent === 'over 6 of 7 days')
  expect(said()).toEqual([])
  await rerender({ printed: { ...printed, sections } })
  expect(said().length).toBeGreaterThan(sections.length)
})

it('leaves page one room for what is said above the rows', async () => {
  const printed = await load('#/reports/direct/browsers')
  const rowsWith = (said: Partial<typeof usualPaper>) => {
    const { unmount } = render(Print, { printed, paper: { ...usualPaper, ...said } })
    const rows = within(screen.getByRole('table', { name: 'Direct by browser' })).getAllByRole('row').length
    unmount()
    return rows - 2
  }
  expect(rowsWith({})).toBe(10)
  expect(rowsWith({ comment: 'Dear client,\n\nall is well.\nRegards' })).toBe(8)
  expect(rowsWith({ title: 'Q'.repeat(200), comment: 'long '.repeat(400) })).toBe(3)
})

it('says why the rate changed, with the values that account for it', async () => {
  const printed = await load('#/reports/script/browsers?compare=period-before')
  render(Print, { printed })
  screen.getByRole('heading', { name: /^Why the bad changed by / })
  const rows = within(screen.getByRole('table', { name: 'By network' })).getAllByRole('row')
  expect(rows.map((row) => row.querySelector('th')?.textContent)).toEqual([
    ...['Network', 'Comcast', '12 others', 'All'],
  ])
  screen.getByRole('columnheader', { name: 'Effect' })
  screen.getByText(/The effect of a value is its own change\./)
  const sections = printed.sections.map((section) => ({ ...section, changes: [] }))
  render(Print, { printed: { ...printed, sections } })
  expect(screen.getAllByRole('heading', { name: /^Why / })).toHaveLength(1)
})

it('says of which traffic a changed rate is, and of one value that it is one', async () => {
  const printed = await load('#/reports/script/browsers?compare=period-before')
  const [section] = printed.sections
  const [change] = section?.changes ?? []
  if (!section || !change) throw new Error('Nothing is explained')
  const others = { ...change.explanation.others, values: 1 }
  const changes = [{ ...change, explanation: { ...change.explanation, by: 'rate', others } as const }]
  render(Print, { printed: { ...printed, sections: [{ ...section, base: 'Responses', changes }] } })
  screen.getByRole('columnheader', { name: 'Effect, in points' })
  screen.getByText(/By traffic: its share of responses changed/)
  screen.getByRole('rowheader', { name: '1 other' })
})

it('has the whole table on pages of its own where that is wanted', async () => {
  render(Print, {
    printed: await load('#/reports/script/browsers', true),
    paper: { ...usualPaper, whole: true },
  })
  screen.getByText('… and 76 more: all rows are on the last pages.')
  screen.getByRole('heading', { name: 'Script by browser: all 86 rows' })
  const [, whole] = screen.getAllByRole('table', { name: 'Script by browser' })
  expect(within(whole as HTMLElement).getAllByRole('row')).toHaveLength(87)
})

it('has titles and names of 200 letters whole', async () => {
  const long = 'Q'.repeat(200)
  const printed = await load('#/reports/script/browsers')
  const sections = printed.sections.map((section) => ({
    ...section,
    table: section.table && {
      ...section.table,
      table: { ...section.table.table, rows: [{ label: { kind: 'text' as const, text: long }, cells: [] }] },
    },
  }))
  render(Print, { printed: { ...printed, sections }, paper: { ...usualPaper, title: long } })
  screen.getByRole('heading', { name: long })
  screen.getByRole('cell', { name: long })
})

// What has a line of its own is told apart from what stands in the line of where the figures come from.
const inLine: Partial<Record<string, string>> = {
  from: 'Figures as the service gave them',
  fetchedAt: 'Nov 24, 2026',
  ages: 'Nov 23, 2026',
  spans: 'Added up from saved figures.',
}

it.each(Object.entries(knownExamples))('says on the pages what figures say: %s', async (key, example) => {
  const view = '#/reports/script/browsers?start=2026-11-13&end=2026-11-19&chart=top'
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

it('has no 100 % of what is not all, no 0 % of what is not nothing, and a reason for each dash', async () => {
  const now = Date.parse('2026-11-20T10:00:00Z')
  const table = withRates(
    {
      headers: ['Browser', 'Requests', 'Non-Suspect', 'Suspect', 'Mobile'],
      all: { label: { kind: 'all', name: null }, cells: [249_950, 249_948, 2, 0] },
      rows: [
        { label: { kind: 'text', text: 'Chrome' }, cells: [249_950, 249_948, 2, 0] },
        { label: { kind: 'text', text: 'Nobody' }, cells: [0, 0, 0, 0] },
      ],
    },
    'direct',
    'browsers',
  )
  const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
    const answer = answerFor(query)
    if (answer.kind === 'overview') return good(answer)
    return good({ ...answer, ratesBy: 'desk', figures: { ...answer.figures, table } })
  })
  desk.answer('layouts/read', () => good({ 'direct/browsers': plainLayout }))
  const view = '#/reports/direct/browsers?rates=1'
  const loaded = await loadPrinted(desk.bridge, { account: account.id, view }, now)
  if (!loaded.ok) throw new Error(loaded.failure.message)
  render(Print, { printed: loaded.value })
  const printed = screen.getByRole('table', { name: 'Direct by browser' })
  const [, all, , nobody] = within(printed).getAllByRole('row')
  const words = (row: HTMLElement | undefined) =>
    [...(row?.querySelectorAll('td') ?? [])].map(({ textContent }) => textContent.trim())
  // What is 100 % of itself says nothing.
  expect(words(all)).toEqual(['All', '249,950', '249,948', '>99.99%', '2', '<0.01%', '0', '0.00%'])
  expect(words(nobody)).toEqual(['Nobody', '0', '0', '–', '0', '–', '0', '–'])
  screen.getByText('– No rate: its base is zero or unknown.')
})
