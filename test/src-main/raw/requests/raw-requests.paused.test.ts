import { describe, expect, it } from 'vitest'
import { ServiceFailure } from '#main/api/network-failure.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { harnessWith } from './harness.ts'

const account = firstId
const none = { minutes_total: 360, api_concurrent: null, dashboard_concurrent: 2, minutes_available: 0 }
const plenty = { ...none, minutes_available: 360 }
const lost = new ServiceFailure({ kind: 'offline', message: 'The answer is lost.' })

describe('while all is paused', () => {
  it('what a person asks for is sent, and nothing else that waits', async () => {
    const { ask, asking, service, queue, pass } = await harnessWith()
    service.limits = none
    await ask({ name: 'A' })
    await ask({ name: 'B' })
    asking.pause(true)
    expect(await queue()).toEqual(['A: pause', 'B: pause'])
    service.limits = plenty
    await pass(120_000)
    expect(await ask({ name: 'C' })).toMatchObject({ kind: 'report' })
    await pass(120_000)
    expect(service.requests.map(({ name }) => name)).toEqual(['C'])
    expect(await queue()).toEqual(['A: pause', 'B: pause'])
    asking.pause(false)
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['C', 'A', 'B'])
  })

  it('what a person sends again is sent, and nothing else that waits', async () => {
    const { ask, asking, service, queue, idOf, pass, relist } = await harnessWith()
    service.replies.push({ made: false, failure: lost })
    await ask({ name: 'Lost' })
    await pass(11_000)
    service.limits = none
    await relist()
    await ask({ name: 'A' })
    expect(await queue()).toEqual(['Lost: unclear', 'A: minutes'])
    asking.pause(true)
    service.limits = plenty
    await pass(120_000)
    await asking.sendAgain({ account, request: await idOf('Lost') })
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['Lost', 'Lost'])
    expect(await queue()).toEqual(['A: pause'])
  })

  it('what waits goes no further, where the pause begins between two of them', async () => {
    const { ask, asking, service, queue, relist } = await harnessWith()
    service.limits = none
    await ask({ name: 'A' })
    await ask({ name: 'B' })
    service.limits = plenty
    let open = () => {}
    service.gate = new Promise<void>((resolve) => (open = resolve))
    const listed = relist()
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    asking.pause(true)
    open()
    await listed
    expect(service.requests.map(({ name }) => name)).toEqual(['A'])
    expect(await queue()).toEqual(['B: pause'])
  })

  it('what waits says so at once, and no longer once it goes on', async () => {
    const { ask, asking, service, queue, events } = await harnessWith()
    service.limits = none
    await ask({ name: 'A' })
    const before = events.length
    asking.pause(true)
    expect(events.length).toBe(before + 1)
    expect(await queue()).toEqual(['A: pause'])
    asking.pause(false)
    expect(events.length).toBeGreaterThan(before + 1)
    await asking.atRest()
    expect(await queue()).toEqual(['A: minutes'])
  })

  it('what a person asks for by hand waits for what it lacks, not for the end of the pause', async () => {
    const { ask, asking, service, queue } = await harnessWith()
    service.limits = none
    asking.pause(true)
    await ask({ name: 'A' })
    expect(await queue()).toEqual(['A: minutes'])
  })
})
