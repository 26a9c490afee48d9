import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { AppEvents } from '#main/lib/app-events.ts'
import { openStore } from '#main/database/open-store.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { firstId, temporaryFolder, workerFile } from '#test/src-main/database/helpers.ts'
import { ready, row } from '../fake-service.ts'
import { roomWith } from '../room.ts'

/** A store whose thread ends in the middle of the next so many operations of a name. */
function crashingStore() {
  const folder = temporaryFolder()
  const [worker, orders] = [join(folder, 'crashing.mjs'), join(folder, 'orders.json')]
  const order = (name: string, times: number) => {
    writeFileSync(orders, JSON.stringify({ name, times }))
  }
  order('', 0)
  writeFileSync(
    worker,
    `import { readFileSync, writeFileSync } from 'node:fs'
     import { parentPort } from 'node:worker_threads'
     parentPort.on('message', ({ name }) => {
       const order = JSON.parse(readFileSync(${JSON.stringify(orders)}, 'utf8'))
       if (name !== order.name || order.times === 0) return
       writeFileSync(${JSON.stringify(orders)}, JSON.stringify({ name, times: order.times - 1 }))
       process.exit(7)
     })
     await import(${JSON.stringify(workerFile.href)})`,
  )
  const ended = vi.fn<() => void>()
  const events = new AppEvents()
  events.on('worker/ended', ended)
  const store = openStore({ folder, worker, events })
  onTestFinished(store.close)
  return { store, order, ended }
}

it.each([
  ['as a list is saved', 'raw-reports/keep', 1],
  ['again as it is looked what there is to wait for', 'raw-reports/known', 2],
])('the store’s thread ends %s, and the list is watched on', async (_, name, times) => {
  const { store, order, ended } = crashingStore()
  const { room, service, clock, shown } = await roomWith({ store })
  service.put(row('a'))
  room.start()
  await eventually(() => expect(clock.waiting()).toEqual([5_000]))
  order(name, times)
  await clock.move(5_000)
  await eventually(() => expect(ended).toHaveBeenCalledTimes(times))
  await eventually(() => expect(clock.waiting()).toHaveLength(1))
  expect(room.lastFailure(firstId)).toMatchObject({ kind: 'internal' })
  service.change('a', ready)
  await clock.move(clock.waiting()[0] ?? 0)
  await eventually(() => expect(shown).toEqual(['ready a']))
  expect(room.lastFailure(firstId)).toBeNull()
  await room.stop()
})
