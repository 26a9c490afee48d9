import { describe, expect, it } from 'vitest'
import type { RawReport } from '#shared/api/answers.ts'
import { dimensionEntry, dimensionNames, offers, families, familyNames } from '#shared/api/dimensions.ts'
import { rawStandardColumns } from '#shared/api/raw-columns.ts'
import type { RawType } from '#shared/api/raw-columns.ts'
import { checkDraft } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { draftFrom, draftOfView, typeOfView } from '#shared/raw/prefill.ts'
import { day, addDays } from '#shared/values/day.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'
import { plainOverview, plainReport, readAddress, writeAddress } from '#shared/views/address.ts'
import type { RawAddress, ReportAddress } from '#shared/views/view-address.ts'

describe('asking again', () => {
  const rules = { today: day('2026-11-20'), additional: 10 }

  const record: RawReport = {
    ...{ id: 'r1' as RawReportId, name: 'Weekly', type: 'Request', status: 'Ready', unknown: {} },
    ...{
      requested: null,
      created: null,
      failed: null,
      timed_out: null,
      cancelled: null,
      expires: null,
      alerted: null,
    },
    ...{
      start: day('2026-11-09'),
      end: day('2026-11-15'),
      instance_id: '101' as InstanceId,
      instance_name: 'Acme',
    },
    ...{ send_email: true, file_name: null, file_size: null, rows: null, processing_minutes: null },
    columns: { standard: ['source', 'exid'], additional: [1, 3] },
    filters: [
      { column: 'result', value: 'drops' },
      { column: 'exid', operator: 'not_empty', value: 'left over' },
      { column: '3', operator: 'equals', value: 'a' },
    ],
  }

  it('makes the very same draft, but for an email', () => {
    const { draft, left } = draftFrom(record, rules)
    expect(left).toEqual(['Email is off this time. Traffic Desk notifies you.'])
    expect(draftFrom({ ...record, send_email: false }, rules)).toEqual({ draft, left: [] })
    expect(draft).toEqual({
      ...{
        type: 'request',
        instance: '101',
        start: '2026-11-09',
        end: '2026-11-15',
        name: 'Weekly',
        email: false,
      },
      standard: ['source', 'exid'],
      additional: [1, 3],
      filters: [
        { column: 'result', operator: null, value: 'drops' },
        { column: 'exid', operator: 'not_empty', value: '' },
        { column: '3', operator: 'equals', value: 'a' },
      ],
    })
    expect(checkDraft(draft, rules).kind).toBe('order')
  })

  it('leaves out what is not offered, and says so', () => {
    const { draft, left } = draftFrom(
      {
        ...record,
        columns: { standard: ['source', 'source', 'page', 'shoe_size'], additional: [2, 2, 11] },
        filters: [
          { column: 'source', operator: 'like', value: 'a' },
          { column: 'shoe_size', operator: 'equals', value: '9' },
          { column: '2', operator: 'equals', value: 'b' },
          { column: '2', operator: 'contains', value: 'c' },
        ],
      },
      rules,
    )
    expect(draft.standard).toEqual(['source'])
    expect(draft.additional).toEqual([2])
    expect(draft.filters).toEqual([{ column: '2', operator: 'equals', value: 'b' }])
    expect(checkDraft(draft, rules).kind).toBe('order')
    expect(left).toHaveLength(2)
    for (const words of ['Page', 'Shoe size', 'Additional 11', 'the filter on Source'])
      expect(left[1]).toContain(words)
  })

  it('copes with a record that says next to nothing', () => {
    const { draft, left } = draftFrom(
      {
        ...record,
        ...{ type: 'Session', start: null, end: null, instance_id: null, filters: null, send_email: null },
        columns: { standard: [], additional: null },
      },
      rules,
    )
    expect(draft).toMatchObject({
      instance: null,
      start: rules.today,
      end: rules.today,
      standard: [],
      email: false,
    })
    expect(left).toHaveLength(2)
  })
})

describe('a raw report of a view', () => {
  const today = day('2026-11-20')
  const instance = '101' as InstanceId
  const rules = { today, additional: 10 }

  const base = (type: RawType, standard = rawStandardColumns[type]): RawDraft => ({
    ...{ type, instance: null, start: today, end: today, name: '', standard, additional: [] },
    ...{ filters: [], email: false },
  })

  const report = (more: Partial<ReportAddress>): ReportAddress => ({ ...plainReport, instance, ...more })

  const drafted = (view: ReportAddress, header: string | null = null, standard?: readonly string[]) => {
    const type = typeOfView(view, header)
    return draftOfView(view, header, base(type, standard ?? rawStandardColumns[type]), today)
  }

  it('has the days, the instance and the filters of the view', () => {
    const view = report({
      dimension: 'geography',
      period: { kind: 'preset', preset: 'yesterday' },
      source: 'northwind-news',
      filters: { country: 'Germany', region: 'Berlin' },
    })
    const { draft, left } = drafted(view)
    expect(left).toEqual([])
    expect(draft).toMatchObject({
      type: 'response',
      instance,
      start: '2026-11-19',
      end: '2026-11-19',
      filters: [
        { column: 'source', operator: 'equals', value: 'northwind-news' },
        { column: 'country', operator: 'equals', value: 'Germany' },
        { column: 'region', operator: 'equals', value: 'Berlin' },
      ],
    })
  })

  it('is limited to the count that it is asked for of, and has the columns that it is limited by', () => {
    const { draft } = drafted(report({ dimension: 'browsers', filters: { browser: 'Chrome' } }), 'Bad', [
      'remote_address',
    ])
    expect(draft.standard).toEqual(['remote_address', 'browser_name', 'result'])
    expect(draft.filters.at(-1)).toEqual({ column: 'result', operator: 'equals', value: 'bad' })
    const direct = drafted(report({ family: 'direct', dimension: 'browsers' }), 'Suspect').draft
    expect([direct.type, direct.filters[0]?.value]).toEqual(['direct', 'suspect'])
    const drops = draftOfView(plainOverview, 'Drops', base(typeOfView(plainOverview, 'Drops')), today).draft
    expect(drops.filters).toEqual([{ column: 'result', operator: null, value: 'drops' }])
  })

  it('searches the column that names the rows of the view', () => {
    const { draft } = drafted(report({ dimension: 'networks', search: 'tele' }))
    expect(draft.filters).toEqual([{ column: 'network', operator: 'contains', value: 'tele' }])
    const referrer = drafted(report({ dimension: 'referrers', filters: { host: 'a.example', path: '/b' } }))
    expect(referrer.draft.filters).toEqual([
      { column: 'referrer', operator: 'contains', value: 'a.example/b' },
    ])
  })

  it('says what it leaves out: days that are gone, and limits that raw rows do not have', () => {
    const range = { start: addDays(today, -200), end: addDays(today, -10) }
    const where = [{ header: 'Bad', is: 'at-least', value: 5 }] as const
    const { draft, left } = drafted(report({ period: { kind: 'custom', range }, where }))
    expect([draft.start, draft.end]).toEqual([addDays(today, -90), range.end])
    expect(left).toHaveLength(2)
    // A dimension of responses alone has no column in raw rows of requests.
    const drops = drafted(report({ dimension: 'referrers', filters: { host: 'a.example' } }), 'Drops')
    expect(drops.left.join(' ')).toContain('Referrer')
  })

  it('leaves out one row as the view does, and says so where that takes more than one filter', () => {
    const one = drafted(report({ dimension: 'browsers', without: ['text Chrome'] }))
    expect(one.draft.filters).toEqual([{ column: 'browser_name', operator: 'not_equals', value: 'Chrome' }])
    expect(one.left).toEqual([])
    const two = drafted(report({ dimension: 'browsers', without: ['text Chrome', 'text Edge'] }))
    expect(two.draft.filters).toEqual([])
    expect(two.left.join(' ')).toContain('stay in the raw rows')
  })

  it('is one that the service takes, whatever view and count it is of', () => {
    for (const family of familyNames) {
      for (const dimension of dimensionNames.filter((each) => offers(family, each))) {
        for (const header of [null, ...families[family].counts]) {
          const names = Object.keys(dimensionEntry(dimension).filters)
          const filters = Object.fromEntries(names.map((name) => [name, 'x']))
          const view = report({ family, dimension, filters, search: 'y', source: 'a', campaign: 'b' })
          const { draft } = drafted(view, header, rawStandardColumns[typeOfView(view, header)].slice(0, 1))
          expect(checkDraft(draft, rules)).toMatchObject({ kind: 'order' })
        }
      }
    }
  })

  it('is found again by the address of its form', () => {
    const view = writeAddress(report({ dimension: 'browsers', filters: { browser: 'Mozilla/5.0 %:&=' } }))
    for (const header of [null, 'Bad']) {
      const address = { ...readAddress('#/raw'), form: { kind: 'view', view, header } } as RawAddress
      expect(readAddress(writeAddress(address))).toEqual(address)
    }
  })
})
