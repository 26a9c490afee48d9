import { describe, expect, it } from 'vitest'
import { addDays, day } from '../../../../src-shared/values/day.ts'
import { firstId } from '../../store/helpers.ts'
import { failing } from '../fake-service.ts'
import { worldWith } from './world.ts'

const account = firstId
const today = day('2026-11-20')

describe('a refusal', () => {
  const feedback = { pass: {}, fail: { instance: 'There is no such instance', start: ['Too', 'old'] } }

  it('is given to whoever fills in the form, beside its fields, and is not in the queue', async () => {
    const { ask, service, queue } = await worldWith()
    service.replies.push({ made: false, answer: { success: false, message: 'Not requested', feedback } })
    expect(await ask()).toEqual({
      as: 'refused',
      failure: {
        kind: 'bad-request',
        message: 'The service does not take this request.',
        said: 'Not requested',
      },
      fields: { instance: 'There is no such instance', start: 'Too old' },
    })
    expect(await queue()).toEqual([])
  })

  it('says with the message what its feedback names beside the form’s fields', async () => {
    const { ask, service } = await worldWith()
    const fail = {
      account: 'Blocked until Monday',
      0: 'Ask your manager',
      'filters[0][value]': 'Too short',
      'filters[1].column': ['Not', 'here'],
    }
    service.replies.push({
      made: false,
      answer: { success: false, message: 'Not requested', feedback: { pass: {}, fail } },
    })
    expect(await ask()).toMatchObject({
      as: 'refused',
      failure: { said: 'Not requested. Ask your manager. account: Blocked until Monday' },
      fields: { filters: 'Too short Not here' },
    })
  })

  it('that says nothing is a refusal all the same', async () => {
    const { ask, service, stuck } = await worldWith()
    service.replies.push({
      made: false,
      answer: { success: false, message: '', feedback: { pass: {}, fail: {} } },
    })
    expect(await ask()).toMatchObject({ as: 'refused', failure: { kind: 'bad-request' }, fields: {} })
    // Whoever filled in the form has read it.
    expect(stuck).toEqual([])
  })

  it('reads which fields a 400 names', async () => {
    const { ask, service } = await worldWith()
    const said = 'The report was not requested. standard: At least one. end: The end is later. It is so'
    service.replies.push({ made: false, failure: failing('bad-request', said) })
    expect(await ask()).toMatchObject({
      as: 'refused',
      failure: { kind: 'bad-request', said },
      fields: { standard: 'At least one', end: 'The end is later. It is so' },
    })
  })

  it('of one that had waited stands in the queue, until the person sends it again or drops it', async () => {
    const { ask, asking, service, queue, idOf, relist, stuck } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A' })
    service.limits = { ...service.limits, minutes_available: 9 }
    service.replies.push({ made: false, failure: failing('no-right') })
    await relist()
    expect(await queue()).toEqual(['A: refused'])
    const told = { account, request: await idOf('A'), name: 'A', state: { as: 'refused' } }
    expect(stuck).toMatchObject([told])
    expect(await asking.stuck()).toEqual(stuck)
    await relist()
    expect(stuck).toHaveLength(1)
    expect(service.requests).toHaveLength(1)
    await asking.sendAgain({ account, request: await idOf('A') })
    await asking.atRest()
    expect(service.requests).toHaveLength(2)
    expect(await queue()).toEqual([])
  })

  it('of one whose days have grown too old while it waited is the desk’s own', async () => {
    const { ask, asking, service, queue, pass } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A', start: addDays(today, -90) })
    service.limits = { ...service.limits, minutes_available: 9 }
    await pass(86_400_000)
    expect(service.requests).toEqual([])
    expect(await queue()).toEqual(['A: refused'])
    const { requests } = await asking.queue({ account })
    expect(requests[0]?.state).toMatchObject({ failure: { kind: 'invalid', field: 'start' } })
  })
})
