import { describe, expect, it } from 'vitest'
import { NeverSent } from '#main/api/network-failure.ts'
import { DeskFailure } from '#shared/api/failure.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { failing } from '../fake-service.ts'
import { sentAs } from './drafts.ts'
import { harnessWith } from './harness.ts'

const account = firstId

describe('the limits', () => {
  it('let one request after the other go, in the person’s order, as there is room', async () => {
    const { ask, asking, service, queue, idOf, relist } = await harnessWith()
    service.limits = { ...service.limits, api_concurrent: 1 }
    expect(await ask({ name: 'A' })).toMatchObject({ kind: 'report' })
    expect(await ask({ name: 'B' })).toMatchObject({ kind: 'queued' })
    await ask({ name: 'C' })
    await ask({ name: 'D' })
    expect(await queue()).toEqual(['B: concurrent', 'C: concurrent', 'D: concurrent'])
    await asking.order({ account, requests: [await idOf('D'), await idOf('B')] })
    await asking.dropRequest({ account, request: await idOf('C') })
    await asking.atRest()
    expect(await queue()).toEqual(['D: concurrent', 'B: concurrent'])
    service.finish()
    await relist()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'D'])
    service.finish()
    await relist()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'D', 'B'])
    expect((await asking.queue({ account })).limits).toMatchObject({ api_concurrent: 1 })
  })

  it('hold everything back while no minutes are left, until a new day brings some', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A' })
    expect(await queue()).toEqual(['A: minutes'])
    await pass(3 * 3_600_000)
    expect(service.requests).toEqual([])
    service.limits = { ...service.limits, minutes_available: 360 }
    await pass(9 * 3_600_000)
    expect(service.requests).toHaveLength(1)
    expect(await queue()).toEqual([])
  })

  it('are not held to be reached by a label that nobody knows', async () => {
    const { ask, service } = await harnessWith()
    service.limits = { ...service.limits, api_concurrent: 1 }
    service.make(sentAs(), { status: 'Withdrawn' })
    expect(await ask()).toMatchObject({ kind: 'report' })
  })

  const limitAnswer = (words: string) => ({
    made: false,
    answer: { success: false, message: words, feedback: { pass: {}, fail: { processing: words } } },
  })

  it('put a request back that the service has no room for, and the others behind it', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.replies.push(limitAnswer('Reports in progress at one time: 1. Wait for one to finish'))
    expect(await ask({ name: 'A' })).toMatchObject({ kind: 'queued' })
    await ask({ name: 'B' })
    expect(await queue()).toEqual(['A: concurrent', 'B: concurrent'])
    expect(service.requests).toHaveLength(1)
    await pass(61_000)
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'A', 'B'])
    expect(await queue()).toEqual([])
  })

  it('put a request back that takes more minutes than are left, and let smaller ones pass', async () => {
    const { ask, service, queue, relist } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 3 }
    const words = 'The report takes 5 processing minutes, and 3 are left today'
    service.replies.push({ made: false, failure: failing('bad-request', `${words}. processing: ${words}`) })
    await ask({ name: 'A' })
    expect(await ask({ name: 'B' })).toMatchObject({ kind: 'report' })
    expect(await queue()).toEqual(['A: minutes'])
    await relist()
    expect(service.requests).toHaveLength(2)
    service.limits = { ...service.limits, minutes_available: 360 }
    await relist()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'B', 'A'])
  })
})

describe('a request that never left', () => {
  it('goes when the connection is back', async () => {
    const { ask, asking, service, queue } = await harnessWith()
    service.replies.push({ made: false, failure: new NeverSent({ kind: 'offline', message: 'Away.' }) })
    expect(await ask()).toMatchObject({ kind: 'queued' })
    expect(await queue()).toEqual(['Weekly: connection'])
    asking.retryNow()
    await asking.atRest()
    expect(await queue()).toEqual([])
    expect(service.requests).toHaveLength(2)
  })

  it('is not sent at all while the list cannot be had', async () => {
    const { ask, service, queue, pass } = await harnessWith()
    service.listFailure = failing('offline')
    await ask()
    expect(service.requests).toEqual([])
    expect(await queue()).toEqual(['Weekly: connection'])
    service.listFailure = null
    await pass(121_000)
    expect(await queue()).toEqual([])
  })

  it.each(['the list', 'the request', 'the keychain'])(
    'waits for a token that %s is refused for',
    async (where) => {
      const { ask, service, queue, tell, asking, connecting, pass } = await harnessWith()
      if (where === 'the list') service.listFailure = failing('refused-token')
      if (where === 'the request') service.replies.push({ made: false, failure: failing('refused-token') })
      if (where === 'the keychain')
        connecting.failure = new DeskFailure({ kind: 'no-token', message: 'Enter the token.' })
      await ask()
      expect(await queue()).toEqual(['Weekly: token'])
      service.listFailure = connecting.failure = null
      const sent = service.requests.length
      await pass(3_000_000)
      expect(service.requests).toHaveLength(sent)
      tell({ kind: 'account/renewed', account })
      await asking.atRest()
      expect(await queue()).toEqual([])
    },
  )
})
