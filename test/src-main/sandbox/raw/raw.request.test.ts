import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ArgumentsFor } from '#shared/api/endpoints.ts'
import { addDays } from '#shared/values/day.ts'
import { today } from './fake-rows.ts'
import { limited, order, startTestRaw } from './harness.ts'
import type { TestRaw } from './harness.ts'

let desk: TestRaw
beforeEach(async () => {
  desk = await startTestRaw()
})
afterEach(() => desk.close())

type Change = Partial<ArgumentsFor<'raw/request'>>

const wrong: readonly (readonly [string, Change, string])[] = [
  ['a capitalised type', { type: 'Response' }, 'type'],
  ['an unknown type', { type: 'script' }, 'type'],
  ['an unknown instance', { instance: '999' }, 'instance'],
  ['a start 91 days ago', { start: addDays(today, -91) }, 'start'],
  ['an end after today', { end: addDays(today, 1) }, 'end'],
  ['an end before the start', { start: today, end: addDays(today, -1) }, 'end'],
  ['no standard column', { standard: [] }, 'standard'],
  ['a column of another type', { standard: ['source', 'exid'] }, 'standard'],
  ['a column twice', { standard: ['source', 'source'] }, 'standard'],
  ['an additional column 0', { additional: [0] }, 'additional'],
  ['an additional column 11', { additional: [1, 11] }, 'additional'],
  ['an additional column twice', { additional: [3, 3] }, 'additional'],
  [
    'a filter on a column not selected',
    { filters: [{ column: 'page', operator: 'equals', value: 'x' }] },
    'filters',
  ],
]

const right: readonly (readonly [string, Change])[] = [
  ['a start 90 days ago', { start: addDays(today, -90) }],
  ['today alone', { start: today, end: today }],
  ['all additional columns', { additional: [10, 1, 2, 3, 4, 5, 6, 7, 8, 9] }],
  ['empty lists', { additional: [], filters: [] }],
]

describe('raw/request', () => {
  it.each(wrong)('refuses %s and names the parameter', async (_, change, field) => {
    const answer = await desk.ask('raw/request', { ...order, ...change })
    expect(answer).toMatchObject({ success: false, message: 'The report was not requested' })
    expect(Object.keys(answer.feedback.fail)).toEqual([field])
    expect(answer.feedback.pass).toEqual({})
    expect(answer).not.toHaveProperty('id')
  })

  it.each(right)('takes %s', async (_, change) => {
    expect(await desk.ask('raw/request', { ...order, ...change })).toMatchObject({ success: true })
  })

  it('names everything that is wrong at once', async () => {
    const answer = await desk.ask('raw/request', { ...order, type: 'x', instance: 'y', standard: [] })
    expect(Object.keys(answer.feedback.fail).sort()).toEqual(['instance', 'standard', 'type'])
  })

  it('knows no instance beyond the rights of the token', async () => {
    const answer = await desk.ask('raw/request', { ...order, instance: '103' }, limited)
    expect(answer.feedback.fail).toHaveProperty('instance')
    expect(await desk.ask('raw/request', { ...order, instance: '102' }, limited)).toMatchObject({
      success: true,
    })
  })

  it('answers a 400 in words where the behaviour says so', async () => {
    const strict = await startTestRaw({ raw: { refusals: 'bad-request' } })
    await expect(strict.ask('raw/request', { ...order, standard: [] })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('standard: At least one'),
    })
    await strict.close()
  })

  it('keeps a name that is given, and makes one up otherwise', async () => {
    const first = await desk.finished({ name: ' Ours / 50% ' })
    const second = await desk.finished()
    expect(await desk.ask('raw/report', { raw: first })).toMatchObject({ name: 'Ours / 50%' })
    expect((await desk.ask('raw/report', { raw: second })).name).toContain('Response')
  })

  it('gives the same ids for the same seed, and others for another', async () => {
    const same = await startTestRaw()
    const other = await startTestRaw({ seed: 8 })
    const ids = await Promise.all([desk, same, other].map((each) => each.finished()))
    expect(ids[1]).toBe(ids[0])
    expect(ids[2]).not.toBe(ids[0])
    await Promise.all([same.close(), other.close()])
  })
})
