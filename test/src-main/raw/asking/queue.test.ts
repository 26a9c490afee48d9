import { describe, expect, it } from 'vitest'
import { NeverSent } from '../../../../src-main/service/service-failure.ts'
import type { Store } from '../../../../src-main/store/store.ts'
import { DeskFailure } from '../../../../src-shared/desk/desk-failure.ts'
import type { RawRequestId } from '../../../../src-shared/raw/asking.ts'
import type { RawDraft } from '../../../../src-shared/raw/draft.ts'
import { addDays, day } from '../../../../src-shared/values/day.ts'
import { firstId, localStore } from '../../store/helpers.ts'
import { refusalOf } from '../../views/helpers.ts'
import { draft, failing, sentAs, worldWith } from './world.ts'
import type { World } from './world.ts'

const account = firstId
const today = day('2026-11-20')

describe('asking', () => {
  it('sends a request at once, says no to the email unless asked, and gives the report', async () => {
    const { ask, service, queue } = await worldWith()
    expect(await ask()).toEqual({ as: 'report', report: 'r1' })
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
    const { ask } = await worldWith({ zone: 'Pacific/Auckland' })
    expect(await ask({ end: addDays(today, 1) })).toMatchObject({ as: 'report' })
  })

  it('refuses what the account has gone for', async () => {
    const { ask, accounts } = await worldWith()
    accounts.length = 0
    expect(await refusalOf(ask())).toMatchObject({ kind: 'invalid' })
  })
})

describe('the limits', () => {
  it('let one request after the other go, in the person’s order, as there is room', async () => {
    const { ask, asking, service, queue, idOf, relist } = await worldWith()
    service.limits = { ...service.limits, api_concurrent: 1 }
    expect(await ask({ name: 'A' })).toMatchObject({ as: 'report' })
    expect(await ask({ name: 'B' })).toMatchObject({ as: 'queued' })
    await ask({ name: 'C' })
    await ask({ name: 'D' })
    expect(await queue()).toEqual(['B: concurrent', 'C: concurrent', 'D: concurrent'])
    await asking.orderQueue({ account, requests: [await idOf('D'), await idOf('B')] })
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
    const { ask, service, queue, pass } = await worldWith()
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
    const { ask, service } = await worldWith()
    service.limits = { ...service.limits, api_concurrent: 1 }
    service.make(sentAs(), { status: 'Withdrawn' })
    expect(await ask()).toMatchObject({ as: 'report' })
  })

  const limitAnswer = (words: string) => ({
    made: false,
    answer: { success: false, message: words, feedback: { pass: {}, fail: { processing: words } } },
  })

  it('put a request back that the service has no room for, and the others behind it', async () => {
    const { ask, service, queue, pass } = await worldWith()
    service.replies.push(limitAnswer('Reports in progress at one time: 1. Wait for one to finish'))
    expect(await ask({ name: 'A' })).toMatchObject({ as: 'queued' })
    await ask({ name: 'B' })
    expect(await queue()).toEqual(['A: concurrent', 'B: concurrent'])
    expect(service.requests).toHaveLength(1)
    await pass(61_000)
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'A', 'B'])
    expect(await queue()).toEqual([])
  })

  it('put a request back that takes more minutes than are left, and let smaller ones pass', async () => {
    const { ask, service, queue, relist } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 3 }
    const words = 'The report takes 5 processing minutes, and 3 are left today'
    service.replies.push({ made: false, failure: failing('bad-request', `${words}. processing: ${words}`) })
    await ask({ name: 'A' })
    expect(await ask({ name: 'B' })).toMatchObject({ as: 'report' })
    expect(await queue()).toEqual(['A: minutes'])
    await relist()
    expect(service.requests).toHaveLength(2)
    service.limits = { ...service.limits, minutes_available: 360 }
    await relist()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'B', 'A'])
  })
})

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
    const { ask, service } = await worldWith()
    service.replies.push({
      made: false,
      answer: { success: false, message: '', feedback: { pass: {}, fail: {} } },
    })
    expect(await ask()).toMatchObject({ as: 'refused', failure: { kind: 'bad-request' }, fields: {} })
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
    const { ask, asking, service, queue, idOf, relist } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask({ name: 'A' })
    service.limits = { ...service.limits, minutes_available: 9 }
    service.replies.push({ made: false, failure: failing('no-right') })
    await relist()
    expect(await queue()).toEqual(['A: refused'])
    await relist()
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

describe('a lost answer', () => {
  const lost = (made: boolean) => ({ made, failure: failing('offline') })

  it('is made good by the list: the report is found, and nothing is sent again', async () => {
    const { ask, service, queue } = await worldWith()
    service.replies.push(lost(true))
    expect(await ask()).toEqual({ as: 'report', report: 'r1' })
    expect(service.requests).toHaveLength(1)
    expect(await queue()).toEqual([])
  })

  it.each(['timed-out', 'malformed', 'server-trouble', 'cancelled', 'internal'] as const)(
    'is one that ends as %s, too',
    async (kind) => {
      const { ask, service } = await worldWith()
      service.replies.push({ made: true, failure: failing(kind) })
      expect(await ask({ name: '' })).toEqual({ as: 'report', report: 'r1' })
    },
  )

  it.each([
    ['success without an id', { success: true, id: null }],
    ['an id without success', { success: false }],
  ])('is one that says %s, too', async (_, answer) => {
    const { ask, service } = await worldWith()
    service.replies.push({ made: true, answer })
    expect(await ask()).toEqual({ as: 'report', report: 'r1' })
  })

  it('is unclear after two lists without the report, and then the person decides', async () => {
    const { ask, asking, service, queue, idOf, pass, relist } = await worldWith()
    service.replies.push(lost(false))
    expect(await ask()).toMatchObject({ as: 'queued' })
    expect(await queue()).toEqual(['Weekly: looking'])
    await relist()
    expect(await queue()).toEqual(['Weekly: looking'])
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
    await pass(86_400_000)
    await relist()
    expect(service.requests).toHaveLength(1)
    await asking.sendAgain({ account, request: await idOf('Weekly') })
    await asking.atRest()
    expect(service.requests).toHaveLength(2)
    expect(await queue()).toEqual([])
  })

  it('is looked for when it is unclear, too, and before it is sent again', async () => {
    const { ask, asking, service, queue, idOf, pass } = await worldWith()
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
    const { ask, service, queue, pass } = await worldWith()
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
    const { ask, service, queue, pass } = await worldWith()
    service.replies.push(lost(true), lost(false))
    expect(await ask()).toMatchObject({ as: 'report' })
    await ask()
    await pass(11_000)
    expect(await queue()).toEqual(['Weekly: unclear'])
  })

  it('is looked for until the list can be had', async () => {
    const { ask, service, queue, pass, asking } = await worldWith()
    service.replies.push(lost(true))
    await service.refresh()
    service.listFailure = failing('offline')
    expect(await ask()).toMatchObject({ as: 'queued' })
    await pass(600_000)
    expect(await queue()).toEqual(['Weekly: looking'])
    service.listFailure = null
    service.recordFailure = failing('timed-out')
    asking.nudge()
    await asking.atRest()
    expect(await queue()).toEqual(['Weekly: looking'])
    service.recordFailure = null
    await pass(600_000)
    expect(await queue()).toEqual([])
    expect(service.requests).toHaveLength(1)
  })

  it('is not given up, nor sent again, while lists do not tell of every report', async () => {
    const { ask, service, queue, pass, relist } = await worldWith()
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
    const { ask, service, queue, pass } = await worldWith()
    service.listFailure = failing('no-right')
    expect(await ask({ name: 'A' })).toMatchObject({ as: 'report' })
    service.replies.push(lost(true))
    await ask({ name: 'B' })
    await pass(11_000)
    expect(await queue()).toEqual(['B: unclear'])
  })
})

describe('a request that waits, changed', () => {
  const change = (world: World, request: RawRequestId, changes: Partial<RawDraft>) =>
    world.asking.request({
      account,
      draft: { ...draft, ...changes },
      template: null,
      replaces: request,
    })
  const full = { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: 0 }

  it('keeps its place, and there is one of it', async () => {
    const world = await worldWith()
    const { ask, service, queue, idOf, relist } = world
    service.limits = full
    await ask({ name: 'A' })
    await ask({ name: 'B' })
    expect(await change(world, await idOf('A'), { name: 'C', standard: ['page'] })).toMatchObject({
      as: 'queued',
    })
    expect(await queue()).toEqual(['C: minutes', 'B: minutes'])
    service.limits = { ...full, api_concurrent: null, minutes_available: 9 }
    await relist()
    expect(service.requests.map((each) => [each.name, each.standard])).toEqual([
      ['C', ['page']],
      ['B', ['source', 'result']],
    ])
    expect(await queue()).toEqual([])
  })

  it('that has left meanwhile, or is being sent, is not asked for a second time', async () => {
    const world = await worldWith()
    const { ask, service, queue, idOf, relist, asking } = world
    service.limits = full
    await ask({ name: 'A' })
    const request = await idOf('A')
    service.limits = { ...full, minutes_available: 9 }
    let open = () => {}
    service.gate = new Promise<void>((resolve) => (open = resolve))
    const listed = relist()
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await refusalOf(change(world, request, { name: 'C' }))).toMatchObject({ field: 'request' })
    open()
    await listed
    expect(await refusalOf(change(world, request, { name: 'C' }))).toMatchObject({ kind: 'invalid' })
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['A'])
    expect(await queue()).toEqual([])
  })

  it('is not lost where what it became is wrong, or refused', async () => {
    const world = await worldWith()
    const { ask, service, queue, idOf, asking, pass } = world
    service.replies.push({ made: false, failure: failing('offline') })
    await ask({ name: 'A' })
    await pass(11_000)
    const request = await idOf('A')
    expect(await refusalOf(change(world, request, { standard: [] }))).toMatchObject({ field: 'standard' })
    expect(await queue()).toEqual(['A: unclear'])
    service.replies.push({ made: false, failure: failing('bad-request', 'name: Not this one') })
    expect(await change(world, request, { name: 'C' })).toMatchObject({
      as: 'refused',
      fields: { name: 'Not this one' },
    })
    expect(await queue()).toEqual(['C: refused'])
    expect(await change(world, request, { name: 'D' })).toMatchObject({ as: 'report' })
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'C', 'D'])
    expect(await queue()).toEqual([])
  })

  it('while it is about to leave goes as what it is by then', async () => {
    const kept = localStore()
    let request: RawRequestId | null = null
    const store: Store = {
      ...kept,
      run: (name, argument) => {
        const id = request
        if (name !== 'raw-requests/sending' || id === null) return kept.run(name, argument)
        request = null
        // Between the list and the sending.
        const changed = { account, id, draft: { ...draft, name: 'B' }, template: null }
        return kept.run('raw-requests/change', changed).then(() => kept.run(name, argument))
      },
    }
    const { ask, asking, service, idOf, relist } = await worldWith({ store })
    service.limits = full
    await ask({ name: 'A' })
    request = await idOf('A')
    service.limits = { ...full, minutes_available: 9 }
    await relist()
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['B'])
  })
})

describe('a request that never left', () => {
  it('goes when the connection is back', async () => {
    const { ask, asking, service, queue } = await worldWith()
    service.replies.push({ made: false, failure: new NeverSent({ kind: 'offline', message: 'Away.' }) })
    expect(await ask()).toMatchObject({ as: 'queued' })
    expect(await queue()).toEqual(['Weekly: connection'])
    asking.nudge()
    await asking.atRest()
    expect(await queue()).toEqual([])
    expect(service.requests).toHaveLength(2)
  })

  it('is not sent at all while the list cannot be had', async () => {
    const { ask, service, queue, pass } = await worldWith()
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
      const { ask, service, queue, tell, asking, connecting, pass } = await worldWith()
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
      tell({ kind: 'renewed', account })
      await asking.atRest()
      expect(await queue()).toEqual([])
    },
  )
})

describe('the queue', () => {
  it('is there after a restart, and goes on', async () => {
    const first = await worldWith()
    first.service.limits = { ...first.service.limits, minutes_available: 0 }
    await first.ask({ name: 'A' })
    await first.ask({ name: 'B' })
    await first.asking.close()
    first.service.limits = { ...first.service.limits, minutes_available: 9 }
    first.clock.move(120_000)
    const second = await worldWith(first)
    expect(second.service.requests.map(({ name }) => name)).toEqual(['A', 'B'])
    expect(await second.queue()).toEqual([])
  })

  it('looks for a request that was being sent when the app ended', async () => {
    const first = await worldWith()
    const never = new Promise<void>(() => undefined)
    first.service.gate = never
    void first.ask()
    while (first.service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await first.queue()).toEqual(['Weekly: sending'])
    const dropped = first.asking.dropRequest({ account, request: await first.idOf('Weekly') })
    expect(await refusalOf(dropped)).toMatchObject({ kind: 'invalid' })
    first.service.gate = null
    const second = await worldWith(first)
    expect(await second.queue()).toEqual([])
    expect(second.service.requests).toHaveLength(1)
  })

  it('sends one request at a time', async () => {
    const { ask, asking, service, queue } = await worldWith()
    let open = () => {}
    service.gate = new Promise<void>((resolve) => (open = resolve))
    const asked = [ask({ name: 'A' }), ask({ name: 'B' })]
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await queue()).toEqual(['A: sending', 'B: turn'])
    open()
    expect(await Promise.all(asked)).toEqual([
      { as: 'report', report: 'r1' },
      { as: 'report', report: 'r2' },
    ])
    await asking.atRest()
  })

  it('has a person wait no longer than they have patience', async () => {
    const { ask, service, clock } = await worldWith()
    service.gate = new Promise<void>(() => undefined)
    const asked = ask()
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    clock.move(16_000)
    expect(await asked).toMatchObject({ as: 'queued' })
  })

  it('refuses to send again what waits, and to drop what is not there', async () => {
    const { ask, asking, service, idOf } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask()
    const request = await idOf('Weekly')
    expect(await refusalOf(asking.sendAgain({ account, request }))).toMatchObject({ kind: 'invalid' })
    await asking.dropRequest({ account, request })
    expect(await refusalOf(asking.dropRequest({ account, request }))).toMatchObject({ kind: 'invalid' })
  })

  it('remembers the sets of columns that were asked for, by type, each once and the last one first', async () => {
    const { ask, asking } = await worldWith()
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
    const { ask, store, service, tell, accounts, asking } = await worldWith()
    service.limits = { ...service.limits, minutes_available: 0 }
    await ask()
    accounts.length = 0
    await store.run('accounts/remove', account)
    tell({ kind: 'removed', account })
    await asking.atRest()
    expect(await store.run('raw-requests/open', account)).toEqual([])
  })

  it('tells of every change', async () => {
    const { ask, events } = await worldWith()
    await ask()
    expect(events.length).toBeGreaterThanOrEqual(3)
    expect(new Set(events)).toEqual(new Set([account]))
  })
})
