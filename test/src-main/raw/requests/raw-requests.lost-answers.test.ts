import { describe, expect, it } from 'vitest'
import type { RawDraft } from '#shared/raw/draft.ts'
import { day } from '#shared/values/day.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { failing } from '../fake-service.ts'
import { sentAs } from './drafts.ts'
import { harnessWith } from './harness.ts'

const account = firstId
const today = day('2026-11-20')

describe('a lost answer', () => {
  const lost = (made: boolean) => ({ made, failure: failing('offline') })

  it('is made good by the list: the report is found, and nothing is sent again', async () => {
    const { ask, service, queue } = await harnessWith()
    service.replies.push(lost(true))
    expect(await ask()).toEqual({ kind: 'report', report: 'r1' })
    expect(service.requests).toHaveLength(1)
    expect(await queue()).toEqual([])
  })

  it.each(['timed-out', 'malformed', 'server-trouble', 'cancelled', 'internal'] as const)(
    'is one that ends as %s, too',
    async (kind) => {
      const { ask, service } = await harnessWith()
      service.replies.push({ made: true, failure: failing(kind) })
      expect(await ask({ name: '' })).toEqual({ kind: 'report', report: 'r1' })
    },
  )

  it.each([
    ['success without an id', { success: true, id: null }],
    ['an id without success', { success: false }],
  ])('is one that says %s, too', async (_, answer) => {
    const { ask, service } = await harnessWith()
    service.replies.push({ made: true, answer })
    expect(await ask()).toEqual({ kind: 'report', report: 'r1' })
  })

  it('is unclear after two lists without the report, and then the person decides', async () => {
    const { ask, asking, service, queue, idOf, pass, relist, stuck } = await harnessWith()
    service.replies.push(lost(false))
    expect(await ask()).toMatchObject({ kind: 'queued' })
    expect(await queue()).toEqual(['Weekly: looking'])
    await relist()
    expect(await queue()).toEqual(['Weekly: looking'])
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
    await pass(86_400_000)
    await relist()
    expect(service.requests).toHaveLength(1)
    expect(stuck).toMatchObject([{ account, name: 'Weekly', state: { kind: 'unclear' } }])
    await asking.sendAgain({ account, request: await idOf('Weekly') })
    await asking.atRest()
    expect(service.requests).toHaveLength(2)
    expect(await queue()).toEqual([])
  })

  it('is looked for when it is unclear, too, and before it is sent again', async () => {
    const { ask, asking, service, queue, idOf, pass } = await harnessWith()
    service.unlisted.add('r1')
    service.replies.push(lost(true))
    await ask()
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
    service.unlisted.clear()
    await asking.sendAgain({ account, request: await idOf('Weekly') })
    await asking.atRest()
    expect(service.requests).toHaveLength(1)
    expect(await queue()).toEqual([])
  })

  it('is found by what the report holds, and never among those that were there before', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.make(sentAs())
    service.replies.push(lost(false))
    await ask()
    const others: readonly Partial<RawDraft>[] = [
      { name: 'Other' },
      { start: today },
      { standard: ['source'] },
      { additional: [1] },
      { filters: [{ column: 'result', operator: 'equals', value: 'bad' }] },
    ]
    for (const other of others) service.make(sentAs(other))
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
  })

  it('belongs to one request alone, of two that are the same', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.replies.push(lost(true), lost(false))
    expect(await ask()).toMatchObject({ kind: 'report' })
    await ask()
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
  })

  it('is looked for until the list can be had', async () => {
    const { ask, service, queue, pass, asking } = await harnessWith()
    service.replies.push(lost(true))
    await service.refresh()
    service.listFailure = failing('offline')
    expect(await ask()).toMatchObject({ kind: 'queued' })
    await pass(600_000)
    expect(await queue()).toEqual(['Weekly: looking'])
    service.listFailure = null
    service.recordFailure = failing('timed-out')
    asking.retryNow()
    await asking.atRest()
    expect(await queue()).toEqual(['Weekly: looking'])
    service.recordFailure = null
    await pass(600_000)
    expect(await queue()).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  it('is not given up, nor sent again, while lists do not tell of every report', async () => {
    const { ask, service, queue, pass, relist } = await harnessWith()
    service.complete = false
    service.replies.push(lost(false))
    await ask({ name: 'A' })
    service.replies.push({ made: true, failure: failing('refused-token') })
    service.unlisted.add('r1')
    await ask({ name: 'B' })
    await pass(600_000)
    expect(await queue()).toEqual(['A: looking', 'B: token'])
    expect(service.requests).toHaveLength(2)
    service.complete = true
    service.unlisted.clear()
    await relist()
    await pass(11_000)
    expect(await queue()).toEqual(['A: unclear'])
    expect(service.requests).toHaveLength(2)
  })

  it('is unclear where the token is never given a list', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.listFailure = failing('no-right')
    expect(await ask({ name: 'A' })).toMatchObject({ kind: 'report' })
    service.replies.push(lost(true))
    await ask({ name: 'B' })
    await pass(11_000)
    expect(await queue()).toEqual(['B: unclear'])
  })
})
