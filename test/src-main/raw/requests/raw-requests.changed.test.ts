import { describe, expect, it } from 'vitest'
import type { Store } from '#main/database/open-store.ts'
import type { RawRequestId } from '#shared/raw/requests.ts'
import type { RawDraft } from '#shared/raw/draft.ts'
import { firstId, localStore } from '#test/src-main/database/helpers.ts'
import { refusalOf } from '#test/src-main/saved-views/helpers.ts'
import { failing } from '../fake-service.ts'
import { draft } from './drafts.ts'
import { harnessWith } from './harness.ts'
import type { Harness } from './harness.ts'

const account = firstId

describe('a request that waits, changed', () => {
  const change = (harness: Harness, request: RawRequestId, changes: Partial<RawDraft>) =>
    harness.asking.request({
      account,
      draft: { ...draft, ...changes },
      template: null,
      replaces: request,
    })
  const full = { minutes_total: 360, api_concurrent: 1, dashboard_concurrent: 2, minutes_available: 0 }

  it('keeps its place, and there is one of it', async () => {
    const harness = await harnessWith()
    const { ask, service, queue, idOf, relist } = harness
    service.limits = full
    await ask({ name: 'A' })
    await ask({ name: 'B' })
    expect(await change(harness, await idOf('A'), { name: 'C', standard: ['page'] })).toMatchObject({
      kind: 'queued',
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
    const harness = await harnessWith()
    const { ask, service, queue, idOf, relist, asking } = harness
    service.limits = full
    await ask({ name: 'A' })
    const request = await idOf('A')
    service.limits = { ...full, minutes_available: 9 }
    let open = () => {}
    service.gate = new Promise<void>((resolve) => (open = resolve))
    const listed = relist()
    while (service.requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(await refusalOf(change(harness, request, { name: 'C' }))).toMatchObject({ field: 'request' })
    open()
    await listed
    expect(await refusalOf(change(harness, request, { name: 'C' }))).toMatchObject({ kind: 'invalid' })
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['A'])
    expect(await queue()).toEqual([])
  })

  it('is not lost where what it became is wrong, or refused', async () => {
    const harness = await harnessWith()
    const { ask, service, queue, idOf, asking, pass } = harness
    service.replies.push({ made: false, failure: failing('offline') })
    await ask({ name: 'A' })
    await pass(11_000)
    const request = await idOf('A')
    expect(await refusalOf(change(harness, request, { standard: [] }))).toMatchObject({ field: 'standard' })
    expect(await queue()).toEqual(['A: unclear'])
    service.replies.push({ made: false, failure: failing('bad-request', 'name: Not this one') })
    expect(await change(harness, request, { name: 'C' })).toMatchObject({
      kind: 'refused',
      fields: { name: 'Not this one' },
    })
    expect(await queue()).toEqual(['C: refused'])
    expect(await change(harness, request, { name: 'D' })).toMatchObject({ kind: 'report' })
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['A', 'C', 'D'])
    expect(await queue()).toEqual([])
  })

  it('while it is about to leave goes as what it is by then', async () => {
    const stored = localStore()
    let request: RawRequestId | null = null
    const store: Store = {
      ...stored,
      run: (name, argument) => {
        const id = request
        if (name !== 'raw-requests/sending' || id === null) return stored.run(name, argument)
        request = null
        // Between the list and the sending.
        const changed = { account, id, draft: { ...draft, name: 'B' }, template: null }
        return stored.run('raw-requests/change', changed).then(() => stored.run(name, argument))
      },
    }
    const { ask, asking, service, idOf, relist } = await harnessWith({ store })
    service.limits = full
    await ask({ name: 'A' })
    request = await idOf('A')
    service.limits = { ...full, minutes_available: 9 }
    await relist()
    await asking.atRest()
    expect(service.requests.map(({ name }) => name)).toEqual(['B'])
  })
})
