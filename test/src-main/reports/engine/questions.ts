import fc from 'fast-check'
import { createEvents } from '#main/sandbox/events/events.ts'
import { eventRecords } from '#test/src-main/sandbox/events/event-records.ts'
import type { EventRecord } from '#test/src-main/sandbox/events/event-records.ts'
import { plainTable } from '#shared/reports/query.ts'
import type { OverviewQuery, TableQuery } from '#shared/reports/query.ts'
import { dimensionEntry, serviceDimensions, headersOf, offers, familyNames } from '#shared/api/dimensions.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { DayRange } from '#shared/values/day.ts'

export const today = day('2026-11-20')
/** Queries lie within so many days, the last of them today. */
const daysBack = 20

const first = addDays(today, 1 - daysBack)

/** The events of those days, from which filters and searches take what they look for. */
const records = [...eventRecords(createEvents(7, today))].filter((record) => record.day >= first)

const tables = familyNames.flatMap((family) =>
  serviceDimensions.filter((each) => offers(family, each)).map((dimension) => ({ family, dimension })),
)

/** The member of a record that names a table's rows. */
function memberOf(dimension: TableQuery['dimension']): keyof EventRecord {
  const [name] = Object.keys(dimensionEntry(dimension).filters)
  return (name ?? 'instance') as keyof EventRecord
}

/** What a table is about, and in how many days at once it is kept. */
type Subject = { readonly query: TableQuery; readonly daysAtOnce: 1 | 2 }

const recentIn = (family: TableQuery['family']) => records.filter((record) => record.family === family)
const recent = { direct: recentIn('direct'), script: recentIn('script') } as const
const events = {
  direct: fc.constantFrom(...recent.direct),
  script: fc.constantFrom(...recent.script),
} as const

/** Some of these, in one case of three. */
const seldom = <T>(names: readonly T[]): fc.Arbitrary<readonly T[]> =>
  fc.tuple(fc.nat({ max: 2 }), fc.subarray([...names])).map(([how, some]) => (how === 0 ? some : []))

const commonFilters = ['instance', 'source', 'campaign'] as const

/** Filters of a real event, some of them without their parents. */
export const subject: fc.Arbitrary<Subject> = fc.constantFrom(...tables).chain(({ family, dimension }) => {
  const names = Object.keys(dimensionEntry(dimension).filters)
  return fc
    .record({
      event: events[family],
      own: seldom(names),
      common: seldom(commonFilters),
      rules: fc.boolean(),
      daysAtOnce: fc.constantFrom(1 as const, 1 as const, 2 as const),
    })
    .map(({ event, own, common, rules, daysAtOnce }): Subject => {
      const value = (name: string) => String(event[name as keyof EventRecord] ?? '(undefined)')
      return {
        query: {
          ...plainTable,
          family,
          dimension,
          range: { start: first, end: today },
          filters: Object.fromEntries(own.map((name) => [name, value(name)])),
          instance: common.includes('instance') ? event.instance : null,
          source: common.includes('source') ? event.source : null,
          campaign: common.includes('campaign') ? event.campaign : null,
          rules,
        },
        daysAtOnce,
      }
    })
})

/** A run of days within those, cut into the pieces in which it is kept. */
const days = (daysAtOnce: 1 | 2): fc.Arbitrary<readonly DayRange[]> => {
  const places = daysBack / daysAtOnce
  return fc
    .record({ from: fc.nat({ max: places - 1 }), pieces: fc.integer({ min: 1, max: 14 / daysAtOnce }) })
    .map(({ from, pieces }) =>
      Array.from({ length: Math.min(pieces, places - from) }, (_, piece) => {
        const start = addDays(first, (from + piece) * daysAtOnce)
        return { start, end: addDays(start, daysAtOnce - 1) }
      }),
    )
}

/** A part of a label that occurs, in whichever case; or what occurs nowhere, or is awkward. */
function searchIn({ family, dimension }: TableQuery): fc.Arbitrary<string | null> {
  const member = memberOf(dimension)
  const part = fc
    .tuple(events[family], fc.nat(), fc.integer({ min: 1, max: 6 }), fc.nat({ max: 2 }))
    .map(([event, from, length, letters]) => {
      const label = String(event[member] ?? '(undefined)')
      const points = [...label]
      const begin = from % 3 === 0 ? 0 : from % points.length
      const text = points.slice(begin, begin + length).join('')
      return letters === 0 ? text.toUpperCase() : letters === 1 ? text.toLowerCase() : text
    })
  const odd = fc.constantFrom('(', '%', '+', 'ß', 'İ', 'é', '文', '/', 'nowhere at all', ' ')
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: part },
    { weight: 1, arbitrary: odd },
  )
}

/** Up to three keys; often the last column first, the only one that has nulls. */
const sortIn = ({ family, dimension }: TableQuery) => {
  const headers = headersOf(family, dimension)
  const [last = ''] = headers.slice(-1)
  return fc
    .tuple(fc.boolean(), fc.shuffledSubarray(headers, { minLength: 0, maxLength: 3 }))
    .map(([odd, some]) => (odd ? [...new Set([last, ...some])].slice(0, 3) : some))
    .chain((sorted) =>
      fc.tuple(
        ...sorted.map((header) =>
          fc.record({ header: fc.constant(header), direction: fc.constantFrom('asc', 'desc') }),
        ),
      ),
    )
}

/** A question about a subject: a query, and the pieces in which its days are kept. */
export const questionAbout = ({ query, daysAtOnce }: Subject) =>
  fc
    .record({
      pieces: days(daysAtOnce),
      search: searchIn(query),
      startsWith: fc.boolean(),
      sort: sortIn(query),
      rates: fc.boolean(),
      chart: fc.boolean(),
      page: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 4 }), fc.constant(500)),
      limit: fc.constantFrom(1, 3, 7, 20, 20, 50, 1000),
    })
    .map(({ pieces, sort, ...rest }) => ({
      pieces,
      query: {
        ...query,
        ...rest,
        sort: sort as TableQuery['sort'],
        range: { start: pieces[0]?.start ?? first, end: pieces.at(-1)?.end ?? today },
      },
    }))

/** A question about an overview, and the pieces in which its days are kept. */
export const overviewQuestion = fc
  .record({
    family: fc.constantFrom(...familyNames),
    chart: fc.boolean(),
    common: seldom(commonFilters),
    daysAtOnce: fc.constantFrom(1 as const, 1 as const, 2 as const),
  })
  .chain(({ family, chart, common, daysAtOnce }) =>
    fc
      .record({ event: fc.constantFrom(...recent[family].slice(0, 4)), pieces: days(daysAtOnce) })
      .map(({ event, pieces }) => {
        const query: OverviewQuery = {
          kind: 'overview',
          family,
          range: { start: pieces[0]?.start ?? first, end: pieces.at(-1)?.end ?? today },
          instance: common.includes('instance') ? event.instance : null,
          source: common.includes('source') ? event.source : null,
          campaign: common.includes('campaign') ? event.campaign : null,
          chart,
        }
        return { query, pieces }
      }),
  )
