import { expect, it } from 'vitest'
import type { ArchivesContext } from '#main/archives/archives-context.ts'
import { recount } from '#main/archives/recounting.ts'
import type { RowsEntry } from '#main/analytics/rows-layout.ts'
import { recountReasonWords } from '#shared/texts/archives.ts'
import { daysOf, day, dayAt } from '#shared/values/day.ts'
import type { OverviewQuery } from '#shared/reports/query.ts'
import type { Instant } from '#shared/values/ids.ts'
import { account } from './open-rows.ts'

const range = { start: day('2026-11-10'), end: day('2026-11-11') }
/** Suspect requests, the first late in the evening of a day of Berlin: the next day in UTC has not begun. */
const moments = [
  '2026-11-09T23:30:00Z',
  '2026-11-10T12:00:00Z',
  '2026-11-10T23:30:00Z',
  '2026-11-11T12:00:00Z',
]

/** What a report's rows come to beside tables that count these moments by days of a zone. */
async function recounted(
  zoneOfService: string,
  zone: string,
  {
    unreadable = 0,
    days: more = [] as { day: string; result: string; rows: number }[],
    filters = [] as object[],
  } = {},
) {
  const countOf = (each: string, of: string) =>
    moments.filter((at) => dayAt(Date.parse(at), of) === each).length
  const entry = { report: 'r', type: 'direct', unreadable, readAt: Date.UTC(2026, 10, 20) as Instant }
  const trend = ({ query }: { query: OverviewQuery }) => {
    const days = daysOf(query.range)
    const values = days.map((each) => countOf(each, zoneOfService))
    const series = [
      { header: 'Suspect', values },
      { header: 'Non-Suspect', values: days.map(() => 0) },
    ]
    return Promise.resolve({ chart: { days, series }, provenance: { missing: [], restated: null } })
  }
  const record = { ...range, instance_id: '7', filters, created: '2026-11-20T00:00:00Z' }
  const rawReports = { report: () => Promise.resolve({ report: record }) }
  // The report holds what the service takes for these days.
  const held = moments.filter((at) => daysOf(range).includes(dayAt(Date.parse(at), zoneOfService)))
  const days = [...new Set(held.map((at) => dayAt(Date.parse(at), zone)))].map((each) => ({
    ...{ day: each as string, result: 'suspect' },
    rows: held.filter((at) => dayAt(Date.parse(at), zone) === each).length,
  }))
  const asked = { account: account.id, entry: entry as unknown as RowsEntry, days: [...days, ...more], zone }
  const context = { raw: { reports: rawReports }, reports: { trend } }
  return await recount(asked, context as unknown as ArchivesContext)
}

it('agrees where rows and tables begin their days alike', async () => {
  expect(await recounted('UTC', 'UTC')).toMatchObject({ outcome: 'agrees', reasons: [] })
  expect(await recounted('Europe/Berlin', 'Europe/Berlin')).toMatchObject({ outcome: 'agrees', reasons: [] })
})

it('names the zone where the service begins its days elsewhere', async () => {
  const found = await recounted('Europe/Berlin', 'UTC')
  expect(found.outcome).toBe('differs')
  expect(found.reasons).toEqual(['outside', 'zone'])
  expect(recountReasonWords('zone', 'America/New_York')).toContain('by America/New_York days')
  // Differences that cancel out over the days, though no row lies outside of them.
  const within = await recounted('UTC', 'Europe/Berlin')
  expect([within.outcome, within.reasons.includes('zone')]).toEqual(['differs', true])
})

it('says what else keeps rows from being what the tables count', async () => {
  const untimed = { days: [{ day: '', result: 'suspect', rows: 2 }] }
  const more = { days: [{ day: '2026-11-10', result: 'suspect', rows: 1 }] }
  expect((await recounted('UTC', 'UTC', { days: [...untimed.days, ...more.days] })).reasons).toEqual([
    'untimed',
  ])
  const filters = [{ column: 'country', operator: 'equals', value: 'DE' }]
  expect((await recounted('UTC', 'UTC', { ...more, unreadable: 3, filters })).reasons).toEqual([
    'filtered',
    'unreadable',
  ])
})
