import { describe, expect, it } from 'vitest'
import { checkDraft } from '#shared/raw/check-draft.ts'
import { argumentsOf } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'

const today = day('2026-11-20')
const draft: RawDraft = {
  ...{ type: 'request', instance: '101' as InstanceId, start: today, end: today, name: '', email: false },
  ...{ standard: ['exid', 'source'], additional: [], filters: [] },
}

function sent(changes: Partial<RawDraft>) {
  const checked = checkDraft({ ...draft, ...changes }, { today, additional: 10 })
  if (checked.kind === 'troubles') throw new Error(JSON.stringify(checked.troubles))
  return argumentsOf(checked.order)
}

describe('what raw/request is sent', () => {
  it('is what is required alone, and that no email is wanted', () => {
    expect(sent({})).toEqual({
      ...{ type: 'request', instance: '101', start: today, end: today, standard: ['exid', 'source'] },
      send_email: false,
    })
  })

  it('is the rest where it is given; values and operators only where they mean something', () => {
    const filters: RawDraft['filters'] = [
      { column: 'result', operator: null, value: 'drops' },
      { column: 'exid', operator: 'empty', value: '' },
      { column: '2', operator: 'contains', value: 'a' },
    ]
    expect(sent({ name: ' Ours ', additional: [2, 1], email: true, filters })).toMatchObject({
      name: 'Ours',
      additional: [2, 1],
      send_email: true,
      filters: [
        { column: 'result', value: 'drops' },
        { column: 'exid', operator: 'empty' },
        { column: '2', operator: 'contains', value: 'a' },
      ],
    })
    const members = sent({ additional: [2], filters }).filters?.map((each) => Object.keys(each))
    expect(members).toEqual([
      ['column', 'value'],
      ['column', 'operator'],
      ['column', 'operator', 'value'],
    ])
  })
})
