import { expect, describe, it } from 'vitest'
import type { TableReport } from '#shared/reports/answer.ts'
import { WholeRows } from '#renderer/stores/rows.svelte.ts'
import type { TableQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { plainReport, tableQueryAt } from '#shared/views/address.ts'
import { FakeDesk, account, good } from '../helpers/fake-desk.ts'
import { answerFor } from '../helpers/figures.ts'

const COUNT = 100_000
const list = tableQueryAt({ ...plainReport, dimension: 'referrers', whole: true }, day('2026-11-20'))

function answered(query: TableQuery): TableReport {
  const answer = answerFor({ ...query, page: 1 })
  if (answer.kind !== 'table') throw new Error('Not a table')
  const { figures } = answer
  return { ...answer, figures: { ...figures, query: { ...figures.query, results: COUNT } } }
}

/** A list of 100,000 rows of which the first thousand are there. */
function begun() {
  const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
    if (query.kind !== 'table') throw new Error('Not a table')
    return good(answered(query))
  })
  const rows = new WholeRows(desk.bridge, account.id, () => undefined)
  rows.begin(answered(list))
  const pages = () =>
    desk.argumentsOf('reports/ask').map(({ query }) => (query.kind === 'table' ? query.page : 0))
  /** Whatever is asked for has come. */
  const come = async () => {
    for (let before = -1; before !== pages().length; await Promise.resolve()) {
      before = pages().length
      for (let turn = 0; turn < 20; turn += 1) await Promise.resolve()
    }
  }
  return { rows, pages, come }
}

describe('the rows of a whole list', () => {
  it('are asked for where the scrolling leads, in either direction', async () => {
    const { rows, pages, come } = begun()
    rows.want(400, 430)
    await come()
    expect(pages()).toEqual([2, 3])
    rows.want(40_300, 40_330)
    await come()
    rows.want(39_900, 39_930)
    await come()
    expect(pages()).toEqual([2, 3, 41, 40, 39, 38])
  })

  it('are not asked for beyond what is looked at by whoever reads, or jumps', async () => {
    const { rows, pages, come } = begun()
    for (const first of [0, 5, 10, 15]) rows.want(first, first + 30)
    rows.want(50_500, 50_530)
    await come()
    expect(pages()).toEqual([51])
  })

  it('are drawn again when they come where one looks, not when they come for later', async () => {
    const { rows, come } = begun()
    rows.want(400, 430)
    const { version } = rows
    await come()
    expect([rows.version, rows.row(1000)]).toEqual([version, expect.anything()])
    rows.want(50_500, 50_530)
    await come()
    expect(rows.version).toBe(version + 1)
  })

  it('are not asked for beyond the ends of the list', async () => {
    const { rows, pages, come } = begun()
    rows.want(COUNT - 900, COUNT - 870)
    rows.want(COUNT - 500, COUNT - 470)
    await come()
    expect(pages()).toEqual([100])
    rows.want(1200, 1230)
    rows.want(300, 330)
    await come()
    expect(pages()).toEqual([100, 2])
  })
})

it('a block of another moment than the list shows that the list is another one, though it has as many rows', async () => {
  let fetchedAt = answered(list).provenance.fetchedAt
  const desk = new FakeDesk().answer('reports/ask', ({ query }) => {
    if (query.kind !== 'table') throw new Error('Not a table')
    const answer = answered(query)
    return good({ ...answer, provenance: { ...answer.provenance, fetchedAt } })
  })
  let outdated = 0
  const rows = new WholeRows(desk.bridge, account.id, () => (outdated += 1))
  rows.begin(answered(list))
  const look = async (first: number) => {
    rows.want(first, first + 30)
    for (let turn = 0; turn < 40; turn += 1) await Promise.resolve()
  }
  await look(2_000)
  expect(outdated).toBe(0)
  fetchedAt = (fetchedAt + 60_000) as Instant
  await look(50_000)
  expect(outdated).toBeGreaterThan(0)
})
