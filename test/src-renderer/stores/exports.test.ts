import { describe, expect, it } from 'vitest'
import { createQueryClient } from '#renderer/queries/client.ts'
import { ShownExports } from '#renderer/stores/exports.svelte.ts'
import type { Job, JobId } from '#shared/app/jobs.ts'
import type { AccountId } from '#shared/values/ids.ts'
import { FakeDesk } from '../helpers/fake-desk.ts'
import { Hands } from '../helpers/hands.ts'

const states = {
  running: { kind: 'running', done: 1, total: 2, unit: 'rows' },
  done: { kind: 'done', file: 'Script.csv', rows: 2 },
  failed: { kind: 'failed', failure: { kind: 'disk', message: 'The disk is full.' } },
} as const satisfies Record<string, Job['state']>

async function opened() {
  const [hands, desk] = [new Hands(), new FakeDesk()]
  const ended: string[] = []
  const app = { bridge: desk.bridge, queries: createQueryClient(desk.bridge) }
  const exports = new ShownExports(app, hands, ({ id }) => ended.push(id))
  const settle = () => new Promise((done) => setTimeout(done))
  await settle()
  const tell = async (id: string, as: keyof typeof states) => {
    const job = { id: id as JobId, account: 'a' as AccountId, title: `Export ${id}`, state: states[as] }
    desk.emit('jobs/changed', { job: { ...job, kind: 'export', subject: null, endedAt: null, seen: false } })
    await settle()
  }
  const ids = (max = 3) => exports.newest(max).map(({ id }) => String(id))
  return { hands, desk, ended, exports, tell, ids }
}

describe('exports', () => {
  it('that went well go by themselves after ten seconds, and are told of once', async () => {
    const { hands, desk, ended, tell, ids } = await opened()
    await tell('a', 'running')
    await tell('a', 'done')
    hands.move(9_999)
    expect(ids()).toEqual(['a'])
    hands.move(1)
    expect(ids()).toEqual([])
    expect(desk.argumentsOf('jobs/seen')).toEqual([{ id: 'a' }])
    expect(desk.argumentsOf('jobs/dismiss')).toEqual([])
    expect(ended).toEqual(['a'])
  })

  it('that run or failed stay until somebody takes them away', async () => {
    const { hands, tell, ids, exports } = await opened()
    await tell('a', 'running')
    await tell('b', 'failed')
    hands.move(600_000)
    expect(ids()).toEqual(['a', 'b'])
    exports.dismiss('b' as JobId)
    expect(ids()).toEqual(['a'])
  })

  it('stay while they are looked at, and while a dialog hides them', async () => {
    const { hands, tell, ids, exports } = await opened()
    await tell('a', 'done')
    exports.hold('looked-at', true)
    exports.hold('hidden', true)
    exports.hold('looked-at', false)
    hands.move(600_000)
    expect(ids()).toEqual(['a'])
    exports.hold('hidden', false)
    hands.move(10_000)
    expect(ids()).toEqual([])
  })

  it('are the newest, and those that ask for something before the others', async () => {
    const { tell, ids } = await opened()
    for (const id of ['a', 'b', 'c', 'd']) await tell(id, 'done')
    expect(ids()).toEqual(['b', 'c', 'd'])
    await tell('a', 'failed')
    expect(ids()).toEqual(['a', 'c', 'd'])
    for (const id of ['e', 'f', 'g']) await tell(id, 'running')
    expect(ids()).toEqual(['e', 'f', 'g'])
    expect(ids(1)).toEqual(['g'])
  })
})
