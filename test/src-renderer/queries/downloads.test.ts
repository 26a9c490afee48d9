import { QueryObserver } from '@tanstack/svelte-query'
import { describe, expect, it } from 'vitest'
import type { CallOutcome } from '#shared/bridge/calls.ts'
import { createQueryClient } from '#renderer/queries/client.ts'
import { downloadList, moveDownload } from '#renderer/queries/downloads.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { FakeDesk, account, failed, good, pending } from '../helpers/fake-desk.ts'
import { bytes, download } from '../helpers/raw-reports.ts'

const waiting = (number: number) => download(number, account.id, { kind: 'waiting' })
const running = (number: number, done: number) =>
  download(number, account.id, { kind: 'running', ...bytes(done), speed: null })
const nothing = { changed: [], removed: [], reordered: false }

/** The list, as somebody looks at it. */
async function opened({ bridge }: FakeDesk) {
  const queries = createQueryClient(bridge)
  const observer = new QueryObserver(queries, downloadList(bridge))
  const look = () => observer.subscribe(() => undefined)
  const stop = look()
  await new Promise((settle) => setTimeout(settle))
  const list = () => observer.getCurrentResult().data
  return { app: { bridge, queries }, stop, look, list, names: () => list()?.map(({ name }) => name) }
}

describe('downloads', () => {
  it('follow what is told of them: changed in place, new ones at the end, removed ones gone', async () => {
    const desk = new FakeDesk().answer('downloads/list', () => good([waiting(1), waiting(2)]))
    const { list, names } = await opened(desk)
    desk.emit('downloads/changed', {
      ...nothing,
      changed: [running(2, 5), waiting(3)],
      removed: [waiting(1).id],
    })
    expect(names()).toEqual(['Report 2', 'Report 3'])
    expect(list()?.[0]?.state).toEqual({ kind: 'running', ...bytes(5), speed: null })
  })

  it('are asked for anew where something is told while they are read', async () => {
    const slow = pending<CallOutcome<'downloads/list'>>()
    const desk = new FakeDesk().answer('downloads/list', () => slow.promise)
    const { list, names } = await opened(desk)
    desk.emit('downloads/changed', { ...nothing, changed: [waiting(1)] })
    expect(list()).toBeUndefined()
    slow.resolve(good([waiting(1)]))
    await eventually(() => expect(desk.argumentsOf('downloads/list')).toHaveLength(2))
    expect(names()).toEqual(['Report 1'])
  })

  it('are read anew where they stand in another order, also once nobody has looked meanwhile', async () => {
    const lists = [
      [waiting(1), waiting(2)],
      [waiting(2), waiting(1)],
    ]
    const desk = new FakeDesk().answer('downloads/list', () => good(lists.shift() ?? []))
    const { app, names, stop, look } = await opened(desk)
    stop()
    desk.emit('downloads/changed', { ...nothing, reordered: true })
    desk.emit('downloads/changed', { ...nothing, changed: [running(2, 5)] })
    expect(app.queries.getQueryState(['downloads'])?.isInvalidated).toBe(true)
    look()
    await eventually(() => expect(names()).toEqual(['Report 2', 'Report 1']))
  })

  it('stand in the new order at once, and as they were where that is refused', async () => {
    const desk = new FakeDesk()
      .answer('downloads/list', () => good([waiting(1), running(2, 0), waiting(3)]))
      .answer('downloads/order', () => failed('disk'))
    const { app, names } = await opened(desk)
    const done = moveDownload(app, { id: waiting(3).id, by: -2 })
    expect(names()).toEqual(['Report 3', 'Report 1', 'Report 2'])
    expect((await done)?.kind).toBe('disk')
    expect(names()).toEqual(['Report 1', 'Report 2', 'Report 3'])
    expect(desk.argumentsOf('downloads/order')).toEqual([{ downloads: [waiting(3).id, waiting(1).id] }])
  })
})
