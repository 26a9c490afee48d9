import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import { outcomeOf, outcomeOfFailure } from '#main/raw/requests/sending.ts'
import { rawCalls } from '#shared/bridge/calls/archives.ts'
import { checkDraft, argumentsOf } from '#shared/raw/draft.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { brokenRules, noDrafts, rightDraft } from '../helpers/raw-rules.ts'
import { firstId } from '../src-main/database/helpers.ts'
import { refusalOf } from '../src-main/saved-views/helpers.ts'
import { asFilledIn, tirelessForAll } from '../src-main/raw/requests/tireless-sandbox.ts'
import { harnessWith } from '../src-main/raw/requests/harness.ts'

const account = firstId
const today = day('2026-11-20')
const rules = brokenRules(today)

describe('the main process', () => {
  it.each(rules)(
    'refuses a draft unless $rule, keeps nothing and asks nobody',
    async ({ changes, field }) => {
      const { ask, service, queue } = await harnessWith()
      expect(await refusalOf(ask({ ...rightDraft(today), ...changes }))).toMatchObject({
        kind: 'invalid',
        field,
      })
      expect(service.paths).toEqual([])
      expect(await queue()).toEqual([])
    },
  )

  it.each(rules)('refuses a template unless $rule', async ({ rule, changes, field }) => {
    const { asking } = await harnessWith()
    const { start, end, ...draft } = { ...rightDraft(today), ...changes }
    // Its days are those of its period, and its instance may be left open.
    if (field === 'instance' || start !== rightDraft(today).start || end !== today) return
    const saved = asking.saveTemplate({
      account,
      template: null,
      entry: { name: rule, draft, period: 'last-week', save: false },
    })
    expect(await refusalOf(saved)).toMatchObject({ kind: 'invalid', field })
  })

  it('takes as many additional columns as the setting says', async () => {
    const few = await harnessWith({ additionalColumns: 2 })
    expect(await refusalOf(few.ask({ additional: [3] }))).toMatchObject({ field: 'additional' })
    expect(await few.ask({ additional: [1, 2] })).toMatchObject({ kind: 'report' })
    const many = await harnessWith({ additionalColumns: 40 })
    expect(await many.ask({ additional: [11, 40] })).toMatchObject({ kind: 'report' })
    expect(await refusalOf(many.ask({ additional: [41] }))).toMatchObject({ field: 'additional' })
  })
})

describe('the bridge', () => {
  const { argument } = rawCalls['raw/request']
  const letsIn = (draft: object) => v.safeParse(argument, { account, draft, template: null }).success

  it('lets in what a form can hold, right or wrong', () => {
    expect(letsIn(rightDraft(today))).toBe(true)
    const tooLong = ['a name fits into the field', 'a value fits into the field']
    for (const { rule, changes } of rules)
      expect([rule, letsIn({ ...rightDraft(today), ...changes })]).toEqual([rule, !tooLong.includes(rule)])
  })

  it.each(noDrafts)('refuses a draft unless %s', (_, changes) => {
    expect(letsIn({ ...rightDraft(today), ...changes })).toBe(false)
  })
})

describe('the sandbox, asked without the desk’s own check', () => {
  const service = tirelessForAll()

  /** As it is filled in, right or wrong. */
  async function asked({ type, start, end, standard, additional, filters, ...draft }: RawDraft) {
    try {
      const { answer } = await service.client.call('raw/request', {
        ...{ type, start, end, standard, additional, send_email: false },
        instance: draft.instance ?? ('0' as InstanceId),
        filters: filters.map(asFilledIn),
      })
      return outcomeOf(answer)
    } catch (error) {
      return outcomeOfFailure(error)
    }
  }

  it('takes what is right', async () => {
    expect(await asked(rightDraft(today, service.instance))).toMatchObject({ kind: 'report' })
  })

  it.each(['json', 'form'] as const)('is asked the same in a body of %s', async (bodyEncoding) => {
    await service.running.behave({ bodies: bodyEncoding })
    const draft: RawDraft = {
      ...{ type: 'request', instance: service.instance, start: today, end: today },
      ...{ name: 'a+b %20é & c', email: true },
      ...{ standard: ['source', 'exid'], additional: [10, 1] },
      filters: [
        { column: 'result', operator: null, value: 'drops' },
        { column: 'exid', operator: 'not_empty', value: '' },
        { column: '10', operator: 'contains', value: '50% [1]=é+' },
      ],
    }
    const checked = checkDraft(draft, { today, additional: 10 })
    if (checked.kind === 'troubles') throw new Error(JSON.stringify(checked.troubles))
    const wanted = argumentsOf(checked.order)
    const other = service.running.client({ bodyEncoding })
    const { answer } = await other.call('raw/request', wanted)
    if (answer.id === null) throw new Error(answer.message)
    const { answer: record } = await other.call('raw/report', { raw: answer.id })
    expect(record).toMatchObject({
      ...{ type: 'Request', name: draft.name, start: today, end: today, instance_id: service.instance },
      ...{ columns: { standard: draft.standard, additional: draft.additional }, send_email: true },
      filters: wanted.filters,
    })
    await service.running.behave({ bodies: 'both' })
  })

  it.each(rules.filter(({ own }) => !own))(
    'refuses a draft unless $rule, and names the field',
    async ({ rule, changes, field }) => {
      const outcome = await asked({ ...rightDraft(today, service.instance), ...changes })
      if (outcome.kind !== 'refused' || outcome.refusal.kind !== 'request') throw new Error(outcome.kind)
      // Of two days that do not follow each other, it blames the first.
      const named = rule === 'end does not lie before start' ? 'start' : field
      expect(Object.keys(outcome.refusal.fields)).toEqual([named])
    },
  )
})
