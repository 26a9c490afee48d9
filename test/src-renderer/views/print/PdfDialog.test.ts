import { cleanup, fireEvent, screen, waitFor, within } from '@testing-library/svelte'
import { beforeAll, beforeEach, expect, it } from 'vitest'
import { usualSettings } from '#shared/app/settings.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import { answerKey } from '#shared/reports/query.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { plainReport } from '#shared/views/address.ts'
import type { ReportAddress } from '#shared/views/view-address.ts'
import { noteView } from '#shared/watch/notes.ts'
import { account, FakeDesk, good, pending } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor } from '#test/src-renderer/helpers/figures.ts'
import { explainAnswer } from '#test/src-renderer/helpers/explanations.ts'
import { deskWithNotes, note } from '#test/src-renderer/helpers/noted.ts'
import { restatedDesk } from '#test/src-renderer/helpers/restatements.ts'
import { deskWithFindings, finding } from '#test/src-renderer/helpers/watched.ts'
import { show, standAt } from '#test/src-renderer/helpers/show.ts'

// What opens with the first click is prepared once, so that no test waits for that.
beforeAll(async () => {
  await import('#renderer/views/reports/ExportItems.svelte')
  await import('#renderer/views/print/PdfDialog.svelte')
}, 60_000)
beforeEach(() => standAt('2026-11-20T10:00:00Z'))

const LOGO = 'data:image/png;base64,iVBORw0KGgo='

async function openOver(desk: FakeDesk, view: string) {
  show(desk, view)
  const button = await screen.findByRole('button', { name: 'Export' })
  await waitFor(() => expect(button.hasAttribute('disabled')).toBe(false))
  await fireEvent.click(button)
  await fireEvent.click(await screen.findByRole('menuitem', { name: 'PDF for a client…' }))
  return within(await screen.findByRole('dialog', { name: 'PDF for a client' }))
}

async function prepare(desk: FakeDesk, view: string) {
  const dialog = await openOver(desk, view)
  const preview = within(dialog.getByRole('region', { name: 'Preview' }))
  await preview.findAllByRole('table')
  return { dialog, preview }
}

it('shows the pages before they are saved: title, comment, columns, words, zone, logo', async () => {
  const ruleNames = [{ account: account.id, code: 'UE', name: 'User agents' }]
  const desk = new FakeDesk()
    .answer('settings/brand', () => good({ colour: '#aa0011', logo: LOGO }))
    .answer('settings/read', () => good({ ...usualSettings, ruleNames }))
  const view = '#/reports/script/browsers?rules=1'
  const { dialog, preview } = await prepare(desk, view)
  const article = preview.getByRole('article')
  expect(article.style.getPropertyValue('--brand')).toBe('#aa0011')
  expect(article.querySelector('img')?.getAttribute('src')).toBe(LOGO)
  expect(article.textContent).toMatch(/Nov 13\s–\s19, 2026 · UTC/)
  preview.getByRole('columnheader', { name: 'User agents' })
  expect(preview.queryByRole('heading', { name: 'Glossary' })).toBeNull()
  await fireEvent.click(dialog.getByRole('checkbox', { name: 'Add a glossary page' }))
  preview.getByRole('heading', { name: 'Glossary' })
  preview.getByText('Rule set UE.')

  await fireEvent.input(dialog.getByRole('textbox', { name: 'Title' }), { target: { value: 'Week 47' } })
  await fireEvent.input(dialog.getByRole('textbox', { name: 'Comment' }), {
    target: { value: 'Bots are down.' },
  })
  await fireEvent.click(dialog.getByRole('checkbox', { name: 'User agents' }))
  await fireEvent.click(
    dialog.getByRole('checkbox', { name: /^Whole table: 86 rows, about \d+ pages more$/ }),
  )
  preview.getByRole('heading', { name: 'Week 47' })
  preview.getByText('Bots are down.')
  expect(preview.queryByRole('columnheader', { name: 'User agents' })).toBeNull()

  await fireEvent.click(dialog.getByRole('button', { name: 'Save PDF' }))
  const paper = {
    title: 'Week 47',
    comment: 'Bots are down.',
    without: ['UE'],
    whole: true,
    words: true,
    notes: false,
  }
  await waitFor(() =>
    expect(desk.argumentsOf('exports/start')).toEqual([
      { account: account.id, order: { kind: 'pdf', address: view, paper } },
    ]),
  )
})

it('begins with a title that says whose figures these are, of what and of which days', async () => {
  const { dialog, preview } = await prepare(new FakeDesk(), '#/reports/script/browsers?source=newsletter')
  const title = dialog.getByRole<HTMLInputElement>('textbox', { name: 'Title' })
  expect(title.value).toMatch(/^Kestrel Media: Script by browser, newsletter, Nov 13\s–\s19, 2026$/)
  preview.getByRole('heading', { name: title.value })
  expect(preview.queryByText('Kestrel Media')).toBeNull()
  await fireEvent.input(title, { target: { value: '' } })
  preview.getByRole('heading', { name: 'Script by browser' })
  preview.getByText('Kestrel Media')
})

it('prints what explains the change, unless that is not wanted', async () => {
  const address = '#/reports/script/networks?compare=period-before'
  const desk = new FakeDesk()
  const { dialog, preview } = await prepare(desk, address)
  const why = () => preview.queryByRole('heading', { name: /^Why the bad( rate)? changed/ })
  expect(why()).toBeTruthy()
  await fireEvent.click(dialog.getByRole('checkbox', { name: 'What explains the change' }))
  expect(why()).toBeNull()
  await fireEvent.click(dialog.getByRole('button', { name: 'Save PDF' }))
  await waitFor(() =>
    expect(desk.argumentsOf('exports/start')).toMatchObject([{ order: { paper: { why: false } } }]),
  )
})

it.each([
  ['where nothing is compared', '#/reports/script/networks', false],
  ['where nothing saved explains it', '#/reports/script/networks?compare=period-before', true],
])('offers no explanation %s', async (_, address, isCompared) => {
  const desk = new FakeDesk().answer('reports/explain', (request) =>
    good(explainAnswer(request, { dimensions: [] })),
  )
  const { dialog } = await prepare(desk, address)
  expect(dialog.queryByRole('checkbox', { name: 'What explains the change' })).toBeNull()
  expect(dialog.queryByText(/^No saved figures explain the change/) !== null).toBe(isCompared)
})

it('prints notes by choice alone, beneath the chart', async () => {
  const notes = [note(1, '2026-11-14', { text: 'Partner paused' }), note(2, '2026-10-01')]
  const { dialog, preview } = await prepare(deskWithNotes(notes).desk, '#/reports/script/browsers')
  expect(preview.queryByText('Partner paused')).toBeNull()
  await fireEvent.click(dialog.getByRole('checkbox', { name: 'Your notes on these days' }))
  expect(preview.getByText('Partner paused')).toBeTruthy()
  expect(preview.queryByText('Note 2')).toBeNull()
  expect(preview.queryByRole('button', { name: /note/i })).toBeNull()
})

it('prints findings and restated days only with notes, in words', async () => {
  const browsers: ReportAddress = { ...plainReport, family: 'script', dimension: 'browsers' }
  const view = noteView(browsers)
  const desk = deskWithFindings([finding(1, { view, row: null })], [], restatedDesk(null)).desk
  const { dialog, preview } = await prepare(desk, '#/reports/script/browsers')
  expect(preview.queryByText(/Found by alert|Restated, last/)).toBeNull()
  await fireEvent.click(dialog.getByRole('checkbox', { name: 'Notes, findings and restated days' }))
  expect(preview.getByText('Found by alert, open')).toBeTruthy()
  expect(preview.getByText(/^Restated, last on Nov 19, 2026/)).toBeTruthy()
  expect(preview.queryByRole('link')).toBeNull()
  expect(preview.queryByRole('button', { name: 'Older figures' })).toBeNull()
})

it('offers no notes where there are none', async () => {
  const { dialog } = await prepare(new FakeDesk(), '#/reports/script/browsers')
  expect(dialog.queryByRole('checkbox', { name: 'Your notes on these days' })).toBeNull()
})

it('gives up what is asked for its pages when it is closed', async () => {
  const never = pending<ReturnType<typeof good<ReportAnswer>>>()
  // The second page is on screen, and the pages begin with the first.
  const isOfPages = (query: ReportQuery) => query.kind === 'table' && query.page === 1
  const desk = new FakeDesk().answer('reports/ask', ({ query }) =>
    isOfPages(query) ? never.promise : good(answerFor(query)),
  )
  const dialog = await openOver(desk, '#/reports/script/browsers?page=2')
  const asked = () => desk.argumentsOf('reports/ask').filter(({ query }) => isOfPages(query))
  await waitFor(() => expect(asked()).toHaveLength(1))
  expect(desk.argumentsOf('reports/cancel')).toEqual([])
  await fireEvent.click(dialog.getByRole('button', { name: 'Cancel' }))
  const keys = asked().map(({ query }) => ({ account: account.id, key: answerKey(query) }))
  await waitFor(() => expect(desk.argumentsOf('reports/cancel')).toEqual(keys))
})

it('offers the whole table only where rows are left out, and says what it takes', async () => {
  const few = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 12)))
  const { dialog, preview } = await prepare(few, '#/reports/script/browsers')
  expect(preview.getAllByRole('row')).toHaveLength(14)
  expect(dialog.queryByRole('checkbox', { name: /^Whole table/ })).toBeNull()
  cleanup()
  const many = new FakeDesk().answer('reports/ask', ({ query }) => good(answerFor(query, 120_000)))
  const more = await prepare(many, '#/reports/script/browsers')
  more.dialog.getByRole('checkbox', {
    name: /^Whole table: the first 5,000 of 120,000 rows, about \d+ pages more$/,
  })
})
