import { expect, it } from 'vitest'
import { comparedFact } from '#main/exports/facts.ts'
import { overviewSheet } from '#main/exports/overview-sheet.ts'
import type { TableReader } from '#main/exports/table-reader.ts'
import type { Provenance } from '#shared/reports/answer.ts'
import type { OverviewQuery, ReportQuery } from '#shared/reports/query.ts'
import { day } from '#shared/values/day.ts'
import type { Instant } from '#shared/values/ids.ts'
import { soundFigures } from '#test/helpers/known-figures.ts'
import { fake } from '#test/helpers/fake.ts'

const range = { start: day('2026-11-17'), end: day('2026-11-20') }
const before = { start: day('2026-11-10'), end: day('2026-11-13') }
const query: OverviewQuery = {
  ...{ kind: 'overview', family: 'direct', range, chart: true },
  ...{ instance: null, source: null, campaign: null },
}
const noon = Date.parse('2026-11-20T12:00:00Z')

type Read = Parameters<typeof overviewSheet>[0]['read']

/** Reads overviews of these totals. */
const reading = (of: (query: ReportQuery) => Partial<Provenance> & { readonly suspect: number }): Read =>
  ((asked: ReportQuery) => {
    const { suspect, ...known } = of(asked)
    return Promise.resolve({
      ...{ kind: 'overview', query: asked, figures: { total: { suspect, nonsuspect: 100 }, chart: null } },
      provenance: { ...soundFigures, ...known },
    })
  }) as Read

/** The Overview at noon, whose days that are over were fetched so many minutes before. */
async function sheetWith(minutes: number) {
  const periods = {
    kind: 'periods',
    leftOut: [range.end, before.end],
    now: { ...range, end: day('2026-11-19') },
    before: { ...before, end: day('2026-11-12') },
  } as const
  const read = reading(({ range: { end } }) => {
    const isShown = end === range.end
    const fetchedAt = (noon - (isShown ? 0 : minutes) * 60_000) as Instant
    return { suspect: isShown ? 40 : 30, fetchedAt }
  })
  const { rows, facts } = await overviewSheet(
    fake<TableReader>('reader', {
      read,
      periods: () => periods,
      paired: () => Promise.reject(new Error('Not expected')),
      zone: 'UTC',
    }),
    { name: 'Kestrel Media', dayZone: 'UTC' },
    { kind: 'overview', queries: [query], before, format: 'csv' } as Parameters<typeof overviewSheet>[2],
  )
  const suspect = rows.find(({ label }) => label.kind === 'text' && label.text.endsWith('Suspect'))
  return { change: suspect?.cells.slice(2), said: facts.compared && comparedFact(facts.compared) }
}

it('has changes of figures that were fetched with those beside them', async () => {
  const { change, said } = await sheetWith(0.5)
  expect(change?.[0]).toBe(30)
  expect(said).toContain('Compares 2026-11-17 to 2026-11-19')
})

it('has no changes of figures of another moment than the counts beside them, and says so', async () => {
  const { change, said } = await sheetWith(4)
  expect(change?.every((cell) => cell === null)).toBe(true)
  expect(said).toContain('the figures to compare are from another time than those shown')
})

it('has no changes of days that are stored while it is read, and those that are there once nothing comes', async () => {
  const sheetOf = async (changes: number) => {
    let stored = 0
    const read = reading(() => ({
      ...{ suspect: 40 + stored, fetchedAt: (noon + stored) as Instant, missing: [range.start] },
    }))
    // Newer figures come in the moment in which the pairs are read.
    const paired = () => {
      if (stored < changes) stored += 1
      return Promise.resolve({
        ...{ compared: { days: 2, total: 3 }, fetchedAt: noon as Instant, doubt: null },
        sides: {
          now: { total: { suspect: 40 + stored, nonsuspect: 100 } },
          before: { total: { suspect: 30, nonsuspect: 100 } },
        },
      })
    }
    const periods = { kind: 'periods', leftOut: [], now: range, before } as const
    const { rows } = await overviewSheet(
      fake<TableReader>('reader', { read, periods: () => periods, paired, zone: 'UTC' }),
      { name: 'Kestrel Media', dayZone: 'UTC' },
      { kind: 'overview', queries: [query], before, format: 'csv' } as Parameters<typeof overviewSheet>[2],
    )
    return rows
      .find(({ label }) => label.kind === 'text' && label.text.endsWith('Suspect'))
      ?.cells.slice(0, 4)
  }
  // Count, rate, count before, change.
  expect(await sheetOf(1)).toEqual([41, expect.closeTo((41 * 100) / 141, 12), 30, 11])
  expect((await sheetOf(Infinity))?.slice(2)).toEqual([null, null])
})
