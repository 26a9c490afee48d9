import { describe, expect, it } from 'vitest'
import { draftFrom } from '#shared/raw/ask-again.ts'
import { checkDraft } from '#shared/raw/check-draft.ts'
import type { RawReport } from '#shared/api/answers.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId, RawReportId } from '#shared/values/ids.ts'

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

describe('asking again', () => {
  it('makes the very same draft, but for an email', () => {
    const { draft, left } = draftFrom(record, rules)
    expect(left).toEqual(['No email this time, unless you ask for it: Traffic Desk tells you.'])
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
    for (const words of ['Page', 'Shoe size', 'Additional 11', 'the filter of Source'])
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
