import { screen, within } from '@testing-library/svelte'
import { expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { doubtOfPage } from '#main/reports/sync/one-table.ts'
import type { ReportAnswer } from '#shared/reports/answer.ts'
import type { ReportQuery } from '#shared/reports/query.ts'
import { browsersAnswer } from '#test/helpers/answers.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { answerFor, freshly } from '#test/src-renderer/helpers/figures.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

const notice = '<br />\n<b>Deprecated</b>: strlen() in <b>/srv/{app}.php</b> on line <b>7</b><br />\n'

/** A desk whose service answers tables of browsers with a text. */
const answering = (text: string) =>
  new FakeDesk().answer('reports/ask', ({ query }) => good(answerFrom(text, query)))

function answerFrom(text: string, query: ReportQuery): ReportAnswer {
  if (query.kind !== 'table') return answerFor(query)
  const figures = decodeAnswer('script/browsers', text)
  const provenance = { ...freshly, doubt: doubtOfPage(query, figures) }
  return { kind: 'table', ratesBy: 'nobody', query, figures, provenance }
}

async function labels(): Promise<readonly (string | undefined)[]> {
  const table = await screen.findByRole('grid', { name: 'Script by browser' })
  return within(table)
    .getAllByRole('rowheader')
    .map(({ textContent }) => textContent?.trim())
}

const address = '#/reports/script/browsers'
const doubted = () => screen.queryByRole('group', { name: 'Does not add up' })?.textContent.trim()

it('shows a table before whose answer text stands, and has nothing to say of it', async () => {
  show(answering(notice + JSON.stringify(browsersAnswer)), address)
  expect(await labels()).toEqual(expect.arrayContaining(['Chrome + more', '(undefined)']))
  expect(doubted()).toBeUndefined()
})

it('shows all other rows of a table beside one that cannot be read, and says so', async () => {
  const { table, query } = browsersAnswer
  const rows = [...table.rows, ['Edge', 1, 2, 3, 4, 5, 6, 7, 8]]
  const answer = { ...browsersAnswer, table: { ...table, rows }, query: { ...query, results: 3 } }
  show(answering(JSON.stringify(answer)), address)
  expect(await labels()).toEqual(expect.arrayContaining(['Chrome + more', '(undefined)']))
  expect(doubted()).toMatch(
    /^Does not add up:\s+the service sent rows that can't be read, and they are left out\./,
  )
})

it('does not know a count that is an object, and says that it is in no sum', async () => {
  const { table } = browsersAnswer
  const [first = [], second = []] = table.rows
  const rows = [first, [...second.slice(0, 5), { odd: 1 }, ...second.slice(6)]]
  show(answering(JSON.stringify({ ...browsersAnswer, table: { ...table, rows } })), address)
  expect(await labels()).toEqual(expect.arrayContaining(['Chrome + more', '(undefined)']))
  expect(doubted()).toMatch(/some counts are not numbers and are left out of sums/)
})
