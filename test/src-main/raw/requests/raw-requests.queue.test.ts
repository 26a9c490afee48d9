import { describe, expect, it } from 'vitest'
import { addDays, day } from '#shared/values/day.ts'
import type { InstanceId } from '#shared/values/ids.ts'
import { firstId } from '#test/src-main/database/helpers.ts'
import { refusalOf } from '#test/src-main/saved-views/helpers.ts'
import { draft } from './drafts.ts'
import { harnessWith } from './harness.ts'

const account = firstId
const today = day('2026-11-20')

describe('asking', () => {
  it('sends a request at once, says no to the email unless asked, and gives the report', async () => {
    const { ask, service, queue } = await harnessWith()
    expect(await ask()).toEqual({ kind: 'report', report: 'r1' })
    expect(service.requests).toEqual([
      {
        type: 'response',
        instance: '101',
        start: '2026-11-14',
        end: '2026-11-20',
        standard: ['source', 'result'],
        name: 'Weekly',
        send_email: false,
      },
    ])
    expect(await queue()).toEqual([])
    expect(service.watched).toEqual([
      { account, report: 'r1', name: 'Weekly', type: 'Response', instance: '' },
    ])
  })

  it('takes days of the account’s zone: tomorrow in UTC is today in Auckland', async () => {
    const { ask } = await harnessWith({ zone: 'Pacific/Auckland' })
    expect(await ask({ end: addDays(today, 1) })).toMatchObject({ kind: 'report' })
  })

  it('refuses what the account has gone for', async () => {
    const { ask, accounts } = await harnessWith()
    accounts.length = 0
    expect(await refusalOf(ask())).toMatchObject({ kind: 'invalid' })
  })
})

describe('asking for several instances', () => {
  const drafts = ['101', '102', '103'].map((id) => ({
    ...draft,
    instance: id as InstanceId,
    name: `Weekly, ${id}`,
  }))

  it('sends a request for each, once, one at a time as the service allows', async () => {
    const { asking, service, queue, clock } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await asking.requestAll({ account, drafts, template: null })
    await asking.atRest()
    expect(service.requests).toEqual([])
    expect(await queue()).toHaveLength(3)
    service.limits = { ...service.limits, minutes_available: 9 }
    clock.move(120_000)
    asking.retryNow()
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['Weekly, 101', 'Weekly, 102', 'Weekly, 103'])
    asking.retryNow()
    await asking.atRest()
    expect([service.requests.length, await queue()]).toEqual([3, []])
  })

  it('sends none where one of them breaks a rule', async () => {
    const { asking, service, queue } = await harnessWith()
    const wrong = drafts.map((each, place) => (place === 2 ? { ...each, standard: [] } : each))
    expect(await refusalOf(asking.requestAll({ account, drafts: wrong, template: null }))).toMatchObject({
      kind: 'invalid',
    })
    await asking.atRest()
    expect([service.requests, await queue()]).toEqual([[], []])
  })
})

describe('the queue', () => {
  it('is there after a restart, and goes on', async () => {
    const first = await harnessWith()
    first.service.limits = { ...first.service.limits, minutes_available: 0 }
    await first.ask({ name: 'A' })
    await first.ask({ name: 'B' })
    await first.asking.stop()
    first.service.limits = { ...first.service.limits, minutes_available: 9 }
    first.clock.move(120_000)
    const second = await harnessWith(first)
    expect(second.service.requests.map(({ name }) => name)).toEqual(['A', 'B'])
    expect(await second.queue()).toEqual([])
  })

  it('looks for a request that was being sent when the app ended', async () => {
    const first = await harnessWith()
    const never = new Promise<void>(() => undefined)
    first.service.gate = never
    void first.ask()
    while (first.service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await first.queue()).toEqual(['Weekly: sending'])
    const dropped = first.asking.dropRequest({ account, request: await first.idOf('Weekly') })
    expect(await refusalOf(dropped)).toMatchObject({ kind: 'invalid' })
    first.service.gate = null
    const second = await harnessWith(first)
    expect(await second.queue()).toEqual([])
    expect(second.service.requests).toHaveLength(1)
  })

  it('sends one request at a time', async () => {
    const { ask, asking, service, queue } = await harnessWith()
    let open = () => {}
    service.gate = new Promise<void>((resolve) => (open = resolve))
    const asked = [ask({ name: 'A' }), ask({ name: 'B' })]
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await queue()).toEqual(['A: sending', 'B: turn'])
    open()
    expect(await Promise.all(asked)).toEqual([
      { kind: 'report', report: 'r1' },
      { kind: 'report', report: 'r2' },
    ])
    await asking.atRest()
  })

  it('has a person wait no longer than they have patience', async () => {
    const { ask, service, clock } = await harnessWith()
    service.gate = new Promise<void>(() => undefined)
    const asked = ask()
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    clock.move(16_000)
    expect(await asked).toMatchObject({ kind: 'queued' })
  })

  it('refuses to send again what waits, and to drop what is not there', async () => {
    const { ask, asking, service, idOf } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask()
    const request = await idOf('Weekly')
    expect(await refusalOf(asking.sendAgain({ account, request }))).toMatchObject({ kind: 'invalid' })
    await asking.dropRequest({ account, request })
    expect(await refusalOf(asking.dropRequest({ account, request }))).toMatchObject({ kind: 'invalid' })
  })

  it('remembers the sets of columns that were asked for, by type, each once and the last one first', async () => {
    const { ask, asking } = await harnessWith()
    await ask({ standard: ['country', 'city'], name: '' })
    await ask({ standard: ['page'], additional: [2] })
    await ask({ type: 'request', standard: ['exid'] })
    await ask({ standard: ['city', 'country'], name: 'Cities' })
    expect(await asking.lastColumns({ account })).toEqual({
      request: [{ standard: ['exid'], additional: [], name: 'Weekly' }],
      response: [
        { standard: ['city', 'country'], additional: [], name: 'Cities' },
        { standard: ['page'], additional: [2], name: 'Weekly' },
      ],
    })
    for (const column of ['source', 'result', 'network', 'browser_name', 'os_name', 'page'])
      await ask({ standard: [column] })
    expect((await asking.lastColumns({ account })).response?.map(({ standard }) => standard)).toEqual([
      ...[['page'], ['os_name'], ['browser_name'], ['network'], ['result']],
    ])
  })

  it('goes with its account', async () => {
    const { ask, store, service, tell, accounts, asking } = await harnessWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask()
    accounts.length = 0
    await store.run('accounts/remove', account)
    tell({ kind: 'account/removed', account, dataScopes: [] })
    await asking.atRest()
    expect(await store.run('raw-requests/open', account)).toEqual([])
  })

  it('tells of every change', async () => {
    const { ask, events } = await harnessWith()
    await ask()
    expect(events.length).toBeGreaterThanOrEqual(3)
    expect(new Set(events)).toEqual(new Set([account]))
  })
})
