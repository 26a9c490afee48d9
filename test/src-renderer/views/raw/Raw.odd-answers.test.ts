import { screen, within } from '@testing-library/svelte'
import { beforeAll, describe, expect, it } from 'vitest'
import { decodeAnswer } from '#main/api/decode/answer.ts'
import { outcomeOf } from '#main/raw/requests/sending.ts'
import { lifeOf } from '#shared/raw/list.ts'
import type { RawListAnswer } from '#shared/raw/list.ts'
import { rawDoneAnswer, rawRow, rawTableAnswer } from '#test/helpers/answers.ts'
import { FakeDesk, good } from '#test/src-renderer/helpers/fake-desk.ts'
import { listOf, listed } from '#test/src-renderer/helpers/raw-reports.ts'
import { open, send } from '#test/src-renderer/helpers/raw-form.ts'
import { show } from '#test/src-renderer/helpers/show.ts'

beforeAll(() => import('#renderer/views/raw/Raw.svelte'))

const notice = '<br />\n<b>Deprecated</b>: strlen() in <b>/srv/app.php</b> on line <b>7</b><br />\n'

/** A list as the service writes it, as the desk shows it. */
function listFrom(text: string): RawListAnswer {
  const { rows, unreadable } = decodeAnswer('raw/table', text)
  const reports = rows.map((row) => ({ ...listed(row.id, row), life: lifeOf(row) }))
  return { ...listOf(reports), ...(unreadable !== undefined && { unreadable }) }
}

const never = '0000-00-00 00:00:00'
const ready = { ...rawRow, created: '2026-11-20T10:05:00+01:00', status: 'Ready' }
const textOf = (rows: readonly unknown[]) =>
  JSON.stringify({
    ...rawTableAnswer,
    table: { rows },
    query: { ...rawTableAnswer.query, results: rows.length },
  })

const states = async () => {
  const table = await screen.findByRole('table', { name: 'Raw reports' })
  return within(table)
    .getAllByRole('row')
    .slice(1)
    .map((row) => [
      within(row).getByRole('link').textContent?.trim(),
      /^(?:In progress|Ready|Failed|Timed out|Cancelled)/.exec(
        within(row).getAllByRole('cell')[3]?.textContent?.trim() ?? '',
      )?.[0],
    ])
}

describe('the list of raw reports', () => {
  it.each([never, '-0001-11-30T00:00:00+00:00', '0', 0, '1970-01-01T00:00:00+00:00'])(
    'has all of them where one has moments that are %j',
    async (zero) => {
      const odd = { ...ready, id: 'odd', name: 'Odd', failed: zero, timed_out: zero, cancelled: zero }
      const rows = [
        { ...rawRow, id: 'new', name: 'New', failed: zero, created: zero },
        odd,
        { ...ready, id: 'r3', name: 'Third' },
        { ...rawRow, id: 'r4', name: 'Fourth', failed: '2026-11-20T10:05:00+01:00' },
      ]
      show(
        new FakeDesk().answer('raw/list', () => good(listFrom(notice + textOf(rows)))),
        '#/raw',
      )
      expect(await states()).toEqual([
        ['New', 'In progress'],
        ['Odd', 'Ready'],
        ['Third', 'Ready'],
        ['Fourth', 'Failed'],
      ])
    },
  )

  it('says how many of them cannot be read, and shows the others', async () => {
    const rows = [
      { ...ready, name: 'First' },
      null,
      { ...ready, id: null },
      { ...ready, id: 'r4', name: 'Last' },
    ]
    show(
      new FakeDesk().answer('raw/list', () => good(listFrom(textOf(rows)))),
      '#/raw',
    )
    expect((await states()).map(([name]) => name)).toEqual(['First', 'Last'])
    screen.getByText("The service's list has 2 reports that can't be read. They are not shown.")
  })
})

describe('a request before whose answer text stands', () => {
  const text = notice + JSON.stringify({ ...rawDoneAnswer, message: 'Report+requested', id: 'r-9' })

  it('is one that was taken', async () => {
    const outcome = outcomeOf(decodeAnswer('raw/request', text))
    if (outcome.kind !== 'report') throw new Error('It was taken for no report')
    const desk = new FakeDesk().answer('raw/request', () => good(outcome))
    await open(desk)
    await send()
    expect(outcome).toEqual({ kind: 'report', report: 'r-9' })
    expect(screen.queryByText(/rejected/)).toBeNull()
  })
})
