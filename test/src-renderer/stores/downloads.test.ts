import { describe, expect, it } from 'vitest'
import { Downloads } from '#renderer/stores/downloads.svelte.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { FakeDesk, account, failed, good, pending } from '../helpers/fake-desk.ts'
import { download } from '../helpers/raw-reports.ts'
import type { CallOutcome } from '#shared/bridge/calls.ts'

const waiting = (number: number) => download(number, account.id, { kind: 'waiting' })
const running = (number: number, got: number) =>
  download(number, account.id, { kind: 'running', got, speed: null })
const nothing = { changed: [], removed: [], reordered: false }

async function opened(desk: FakeDesk): Promise<Downloads> {
  const downloads = new Downloads(desk.bridge)
  downloads.again()
  await Promise.resolve()
  await new Promise((settle) => setTimeout(settle))
  return downloads
}

const names = (downloads: Downloads) => downloads.list.map(({ name }) => name)

describe('downloads', () => {
  it('follow what is told of them: changed in place, new ones at the end, removed ones gone', async () => {
    const desk = new FakeDesk().answer('downloads/list', () => good([waiting(1), waiting(2)]))
    const downloads = await opened(desk)
    desk.emit('downloads/changed', {
      ...nothing,
      changed: [running(2, 5), waiting(3)],
      removed: [waiting(1).id],
    })
    expect(names(downloads)).toEqual(['Report 2', 'Report 3'])
    expect(downloads.list[0]?.state).toEqual({ kind: 'running', got: 5, speed: null })
  })

  it('are asked for anew where something is told while they are read', async () => {
    const slow = pending<CallOutcome<'downloads/list'>>()
    const desk = new FakeDesk().answer('downloads/list', () => slow.promise)
    const downloads = await opened(desk)
    desk.emit('downloads/changed', { ...nothing, changed: [waiting(1)] })
    expect(downloads.known).toBe(false)
    slow.resolve(good([waiting(1)]))
    await eventually(() => expect(desk.argumentsOf('downloads/list')).toHaveLength(2))
    expect(names(downloads)).toEqual(['Report 1'])
  })

  it('stand in the new order at once, and as they were where that is refused', async () => {
    const desk = new FakeDesk()
      .answer('downloads/list', () => good([waiting(1), running(2, 0), waiting(3)]))
      .answer('downloads/order', () => failed('disk'))
    const downloads = await opened(desk)
    const done = downloads.move(waiting(3).id, -2)
    expect(names(downloads)).toEqual(['Report 3', 'Report 1', 'Report 2'])
    expect((await done)?.kind).toBe('disk')
    expect(names(downloads)).toEqual(['Report 1', 'Report 2', 'Report 3'])
    expect(desk.argumentsOf('downloads/order')).toEqual([{ downloads: [waiting(3).id, waiting(1).id] }])
  })
})
