import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  overviewQueryAt,
  plainCases,
  plainOverview,
  plainRaw,
  plainReport,
  readAddress,
  readWholeAddress,
  tableQueryAt,
  writeAddress,
} from '#shared/views/address.ts'
import { chartKinds } from '#shared/views/view-address.ts'
import type { RawAddress, ReportAddress, RowsAddress, ViewAddress } from '#shared/views/view-address.ts'
import type { Period, ComparedWith } from '#shared/views/period.ts'
import { comparisonNames, presetNames } from '#shared/views/period.ts'
import type { CaseId } from '#shared/cases/case.ts'
import type { RawRequestId, RawTemplateId } from '#shared/raw/requests.ts'
import { rawListColumns } from '#shared/raw/list.ts'
import { groupings } from '#shared/archives/rows.ts'
import type { CellTest, GroupSort } from '#shared/archives/rows.ts'
import type { RowsFileId } from '#shared/archives/rows-file.ts'
import type { Instant } from '#shared/values/ids.ts'
import { dimensionEntry, dimensionNames, offers, familyNames } from '#shared/api/dimensions.ts'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { checkProperty } from '#test/helpers/properties.ts'

const today = day('2026-11-20')

/** Whole characters only: half of one cannot be written into an address. */
const text = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })
const label = fc.option(text)

const custom = fc
  .tuple(fc.integer({ min: 0, max: 4000 }), fc.integer({ min: 0, max: 400 }))
  .map(([from, length]) => {
    const start = addDays(day('2020-01-01'), from)
    return { kind: 'custom' as const, range: { start, end: addDays(start, length) } }
  })

const period: fc.Arbitrary<Period> = fc.oneof(
  fc.constantFrom(...presetNames).map((preset): Period => ({ kind: 'preset', preset })),
  custom,
)

const compare: fc.Arbitrary<ComparedWith> = fc.oneof(
  fc.constantFrom(...comparisonNames).map((preset): ComparedWith => ({ kind: 'preset', preset })),
  custom,
)

const shared = {
  period,
  compare,
  instance: fc.option(text.map((id) => id as InstanceId)),
  source: label,
  campaign: label,
}

const report: fc.Arbitrary<ReportAddress> = fc
  .constantFrom(
    ...familyNames.flatMap((family) => dimensionNames.map((dimension) => ({ family, dimension }))),
  )
  .filter(({ family, dimension }) => offers(family, dimension))
  .chain(({ family, dimension }) =>
    fc.record({
      kind: fc.constant('reports' as const),
      family: fc.constant(family),
      dimension: fc.constant(dimension),
      ...shared,
      filters: fc
        .subarray(Object.keys(dimensionEntry(dimension).filters))
        .chain((names) => fc.tuple(...names.map((name) => fc.tuple(fc.constant(name), text))))
        .map((pairs): Record<string, string> => Object.fromEntries(pairs)),
      rates: fc.boolean(),
      rules: fc.boolean(),
      search: label,
      startsWith: fc.boolean(),
      sort: fc.array(
        fc.record({ header: text, direction: fc.constantFrom('asc' as const, 'desc' as const) }),
        { maxLength: 3 },
      ),
      page: fc.integer({ min: 1, max: 1e9 }),
      limit: fc.integer({ min: 1, max: 1000 }),
      whole: fc.boolean(),
      without: fc.uniqueArray(text, { minLength: 1, maxLength: 3 }),
      chart: fc.option(
        fc.record({
          kind: fc.constantFrom(...chartKinds),
          measures: fc.uniqueArray(text, { maxLength: 4 }),
        }),
      ),
    }),
  )
  // All rows come in pages of their own.
  .map((one) => (one.whole ? { ...one, page: 1, limit: 1000 } : one))

const raw: fc.Arbitrary<RawAddress> = fc.record({
  kind: fc.constant('raw' as const),
  search: fc.oneof(fc.constant(''), text),
  startsWith: fc.boolean(),
  sort: fc.uniqueArray(
    fc.record({
      column: fc.constantFrom(...rawListColumns),
      direction: fc.constantFrom('asc' as const, 'desc' as const),
    }),
    { maxLength: 3, selector: ({ column }) => column },
  ),
  page: fc.integer({ min: 1, max: 1e9 }),
  limit: fc.integer({ min: 20, max: 1000 }),
  report: fc.option(text.map((id) => id as RawReportId)),
  form: fc.option(
    fc.oneof(
      fc.constant({ kind: 'nothing' as const }),
      text.map((id) => ({ kind: 'report' as const, report: id as RawReportId })),
      text.map((id) => ({ kind: 'template' as const, template: id as RawTemplateId })),
      text.map((id) => ({ kind: 'request' as const, request: id as RawRequestId })),
    ),
  ),
})

const moment = fc.option(fc.integer({ min: -1e12, max: 4e12 }).map((at) => at as Instant))

const cellTest: fc.Arbitrary<CellTest> = fc.oneof(
  fc.record({
    kind: fc.constantFrom('is' as const, 'contains' as const, 'begins-with' as const),
    value: text,
  }),
  fc.record({
    kind: fc.constantFrom('one-of' as const, 'click-id' as const),
    values: fc.array(text, { minLength: 1, maxLength: 5 }),
  }),
  fc.record({
    kind: fc.constantFrom('more-than' as const, 'less-than' as const),
    value: fc.constantFrom('100', '-0.5', '12345678901234567890.5'),
  }),
  fc.constant({ kind: 'empty' as const }),
  fc.constant({ kind: 'once' as const }),
  fc.record({
    kind: fc.constant('in-network' as const),
    networks: fc.subarray(['198.51.100.0/24', '2001:db8::/32', '192.0.2.7', ''], { minLength: 1 }),
  }),
  fc.record({ kind: fc.constant('between' as const), from: moment, to: moment }),
)

const direction = fc.constantFrom('asc' as const, 'desc' as const)

const groupSort: fc.Arbitrary<GroupSort> = fc.record({
  by: fc.oneof(
    fc.constantFrom('rows' as const, 'bad' as const, 'bad-share' as const).map((kind) => ({ kind })),
    text.map((result) => ({ kind: 'result' as const, result })),
    fc.constantFrom(0 as const, 1 as const, 2 as const).map((place) => ({ kind: 'key' as const, place })),
  ),
  direction,
})

const rows: fc.Arbitrary<RowsAddress> = fc.record({
  kind: fc.constant('rows' as const),
  files: fc.uniqueArray(
    fc.tuple(fc.constantFrom('report', 'file'), text).map(([kind, id]) => `${kind}-${id}` as RowsFileId),
    { maxLength: 3 },
  ),
  conditions: fc.array(
    fc
      .record({ column: text, out: fc.boolean(), test: cellTest })
      .map((each) => (each.test.kind === 'once' ? { ...each, column: '' } : each)),
    { maxLength: 4 },
  ),
  sort: fc.uniqueArray(fc.record({ column: text, direction }), {
    maxLength: 3,
    selector: ({ column }) => column,
  }),
  groups: fc.array(fc.record({ column: text, by: fc.constantFrom(...groupings) }), {
    maxLength: 3,
  }),
  groupSort,
  groupSearch: fc.oneof(fc.constant(''), text),
  bars: fc.constantFrom('day' as const, 'hour' as const),
  search: fc.oneof(fc.constant(''), text),
  recount: fc.boolean(),
  clusters: fc.boolean(),
})

const address: fc.Arbitrary<ViewAddress> = fc.oneof(
  rows,
  report,
  fc.record({
    kind: fc.constant('overview' as const),
    movers: fc.constantFrom(...dimensionNames),
    ...shared,
  }),
  fc.record({
    kind: fc.constant('overview' as const),
    movers: fc.constantFrom(...dimensionNames),
    chart: fc.constantFrom('stacked' as const, 'share' as const, 'lines' as const),
    ...shared,
  }),
  fc.record({ kind: fc.constant('accounts' as const), period, compare }),
  raw,
  fc.uuid().map((id) => ({ kind: 'cases' as const, id: id as CaseId })),
  fc.record({ kind: fc.constant('cases' as const), id: fc.constant(null), search: text }),
  fc.record({ kind: fc.constant('cases' as const), id: fc.constant(null) }),
  fc.constantFrom('downloads', 'settings', 'connect').map((view) => ({ kind: view }) as ViewAddress),
)

describe('an address', () => {
  it('is read back as it was written', () => {
    checkProperty(
      'addresses',
      fc.property(address, (one) => {
        expect(readAddress(writeAddress(one))).toEqual(one)
      }),
    )
  })

  it('is understood whole as it was written', () => {
    checkProperty(
      'addresses understood',
      fc.property(address, (one) => {
        expect(readWholeAddress(writeAddress(one)).passedOver).toEqual([])
      }),
    )
  })

  it('is never refused, whatever stands in it, and then leads to a question that can be asked', () => {
    checkProperty(
      'any address',
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webFragments(),
          fc.string().map((each) => `#/reports/${each}`),
          fc.string().map((each) => `#/rows/report-${each}?where=${each}`),
          fc.string().map((each) => `#/rows?where=keep:one-of:${each}&group=${each}`),
        ),
        (any) => {
          const read = readAddress(any)
          expect(readAddress(writeAddress(read))).toEqual(read)
          if (read.kind === 'reports') expect(tableQueryAt(read, today).kind).toBe('table')
        },
      ),
    )
  })

  it('leaves defaults out', () => {
    expect(writeAddress(plainOverview)).toBe('#/overview')
    expect(writeAddress(plainReport)).toBe('#/reports/script/sessions')
  })

  it('of a chart that was drawn before rates were opens the same chart', () => {
    for (const kind of ['lines', 'stacked', 'share', 'top']) {
      const read = readAddress(`#/reports/script/browsers?chart=${kind}&measure=Mobile`)
      expect(read).toMatchObject({ chart: { kind, measures: ['Mobile'] } })
    }
    expect(readAddress('#/overview?chart=rate')).toEqual(plainOverview)
  })

  it('takes days in the form of the service too', () => {
    expect(readAddress('#/overview?start=20261101&end=20261103')).toMatchObject({
      period: { kind: 'custom', range: { start: '2026-11-01', end: '2026-11-03' } },
    })
  })

  it.each([
    ['a day that is none', '#/overview?start=2026-02-30&end=2026-03-01'],
    ['an end before its start', '#/overview?start=2026-03-02&end=2026-03-01'],
    ['an unknown preset', '#/overview?period=always'],
    ['no view', ''],
    ['an unknown view', '#/nonsense'],
  ])('with %s shows the usual days', (_, given) => {
    expect(readAddress(given)).toEqual(plainOverview)
  })

  it('of a table that the family does not offer leads to the usual one', () => {
    expect(readAddress('#/reports/direct/referrers')).toMatchObject({
      family: 'direct',
      dimension: 'sessions',
    })
  })

  it('of a raw report leads to its details', () => {
    expect(readAddress('#/raw?report=a%2Fb%20c')).toEqual({ ...plainRaw, report: 'a/b c' })
    expect(writeAddress(plainRaw)).toBe('#/raw')
  })

  it.each([
    ['rows', 'limit=19'],
    ['rows', 'limit=1001'],
    ['page', 'page=0'],
    ['sort', 'sort=desc:id&sort=up:name'],
    ['form', 'form=report:'],
    ['form', 'form=elsewhere'],
  ])('of raw reports leaves %s at the usual where it says %s', (_, search) => {
    expect(readAddress(`#/raw?${search}`)).toEqual(plainRaw)
  })

  it('of raw reports takes each column once and three at most', () => {
    const sort = 'sort=asc:name&sort=desc:name&sort=asc:type&sort=asc:status&sort=asc:expires'
    expect(readAddress(`#/raw?${sort}`)).toMatchObject({
      sort: [{ column: 'name' }, { column: 'type' }, { column: 'status' }],
    })
  })

  it('of a case that none can be leads to the list of all', () => {
    expect(readAddress('#/cases/..%2F..')).toEqual(plainCases)
    expect(readAddress(`#/cases?search=${'x'.repeat(2000)}`)).toEqual(plainCases)
    expect(writeAddress(plainCases)).toBe('#/cases')
  })

  it('asks for the chart in the overview only', () => {
    expect(overviewQueryAt(plainOverview, 'direct', today)).toMatchObject({ kind: 'overview', chart: true })
    expect(tableQueryAt(plainReport, today)).toMatchObject({
      chart: false,
      range: { start: '2026-11-13', end: '2026-11-19' },
    })
  })
})

/** Every parameter of a view that has values which mean nothing. */
const parameters = {
  overview: [
    'period',
    'start',
    'end',
    'compare',
    'compare-start',
    'compare-end',
    'movers',
    'moved',
    'least',
    'chart',
  ],
  accounts: ['period', 'start', 'end', 'compare', 'compare-start', 'compare-end'],
  'reports/script/browsers': [
    ...['period', 'start', 'end', 'compare', 'compare-start', 'compare-end'],
    ...['rates', 'rules', 'startswith', 'sort', 'where', 'rows', 'page', 'limit', 'chart', 'measure'],
  ],
  raw: ['startswith', 'sort', 'page', 'limit', 'form'],
  'rows/report-R1': ['where', 'sort', 'group', 'order', 'bars', 'recount', 'clusters'],
  help: ['topic'],
  settings: ['period'],
}

describe('what is not understood of an address', () => {
  const passedOver = (text: string) => readWholeAddress(text).passedOver

  it.each(
    Object.entries(parameters).flatMap(([view, names]) => names.map((name) => [`#/${view}?${name}=`, name])),
  )('is the value of %s', (before, name) => {
    expect(passedOver(`${before}nonsense`)).toEqual([`${name}=nonsense`])
  })

  it.each([
    [
      'a parameter that the view does not have',
      '#/overview?browser=Chrome&sourc=a',
      ['browser=Chrome', 'sourc=a'],
    ],
    [
      'days as a range of one parameter',
      '#/accounts?period=2026-11-10..2026-11-21',
      ['period=2026-11-10..2026-11-21'],
    ],
    ['a first day without a last one', '#/overview?start=2026-11-10', ['start=2026-11-10']],
    [
      'a last day before the first',
      '#/overview?start=2026-11-10&end=2026-11-09',
      ['start=2026-11-10', 'end=2026-11-09'],
    ],
    ['a period beside days', '#/overview?period=today&start=2026-11-09&end=2026-11-10', ['period=today']],
    ['a second value', '#/overview?source=a&source=b', ['source=b']],
    ['a text that is too long', `#/raw?search=${'x'.repeat(1001)}`, [`search=${'x'.repeat(1001)}`]],
    [
      'more keys than a sort has',
      '#/raw?sort=asc:name&sort=asc:type&sort=asc:status&sort=asc:expires',
      ['sort=asc:expires'],
    ],
    ['a column that is sorted by already', '#/raw?sort=asc:name&sort=desc:name', ['sort=desc:name']],
    ['measures without a chart', '#/reports/script/browsers?measure=Bad', ['measure=Bad']],
    ['a page of a table that is shown whole', '#/reports/script/browsers?rows=all&page=2', ['page=2']],
    ['a column that is none', '#/raw?sort=desc:id&sort=asc:name', ['sort=desc:id']],
    ['a search beside a case', '#/cases/5f0f3a3e-0c8c-4c53-9a51-8d5d4f0d9a01?search=a', ['search=a']],
    ['a case that none can be', '#/cases/..%2F..', ['..%2F..']],
    ['an unknown view', '#/report/script/browsers', ['report/script/browsers']],
    ['an unknown family', '#/reports/skript/browsers', ['skript']],
    ['an unknown table', '#/reports/script/browser/x', ['browser/x']],
    ['a table that the family does not offer', '#/reports/direct/referrers', ['referrers']],
    ['an unknown topic', '#/help/me', ['me']],
    ['a file of rows that is none', '#/rows/report-R1,nonsense,report-R2', ['nonsense']],
    [
      'a part of the view that a raw report begins with',
      '#/raw?form=view::%23%2Foverview%3Fperiod%3Dx',
      ['period=x'],
    ],
  ])('is %s', (_, text, parts) => {
    expect(passedOver(text)).toEqual(parts)
  })

  it.each([
    '',
    '#/',
    '#/reports',
    '#/help',
    '#/rows/',
    '#/overview?period=last-7-days&compare=none&source=&moved=rate&movers=sessions&chart=rate',
    '#/reports/script/browsers?page=1&limit=20&startswith=0&rates=0&search=',
    '#/reports/script/browsers?rows=all&page=1&limit=1000',
    '#/overview?start=20261101&end=20261103',
    '#/rows?bars=day&order=desc:rows&recount=0',
  ])('is nothing of %s, which says what is usual', (text) => {
    expect(passedOver(text)).toEqual([])
  })

  it('leaves the rest of the address as it is', () => {
    expect(writeAddress(readAddress('#/reports/skript/browsers?period=yesterday&page=x&x=y'))).toBe(
      '#/reports/script/browsers?period=yesterday',
    )
    expect(readAddress('#/rows/report-R1,nonsense,report-R2')).toMatchObject({
      files: ['report-R1', 'report-R2'],
    })
  })
})
