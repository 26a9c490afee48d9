import { expect, it, onTestFinished } from 'vitest'
import { CompactingAtRest } from '#main/reports/sync/compacting-at-rest.ts'
import { HandClock, settled } from '../clock.ts'

const second = 1000
const hour = 3_600 * second

function atRest() {
  const clock = new HandClock('2026-11-20T12:00:00Z')
  const begun: AbortSignal[] = []
  const ways: { compact: () => Promise<void> } = { compact: async () => undefined }
  const compacting = new CompactingAtRest({
    clock,
    compact: async (signal) => {
      begun.push(signal)
      await ways.compact()
    },
  })
  onTestFinished(() => compacting.close())
  return { clock, begun, ways, compacting }
}

/** Work that ends when the test says so. */
function held() {
  let end = () => {}
  const work = new Promise<void>((resolve) => (end = resolve))
  return { compact: () => work, end: () => end() }
}

it('compacts when nothing is asked for half a minute after syncing', async () => {
  const { clock, begun, compacting } = atRest()
  await clock.move(hour)
  compacting.disturbed()
  await clock.move(hour)
  expect(begun).toHaveLength(0)
  compacting.syncEnded()
  await clock.move(20 * second)
  compacting.disturbed()
  await clock.move(29 * second)
  expect(begun).toHaveLength(0)
  await clock.move(1 * second)
  expect(begun).toHaveLength(1)
})

it('compacts at most once an hour', async () => {
  const { clock, begun, compacting } = atRest()
  compacting.syncEnded()
  await clock.move(30 * second)
  for (let round = 0; round < 5; round += 1) {
    compacting.syncEnded()
    await clock.move(60 * second)
  }
  expect(begun).toHaveLength(1)
  await clock.move(hour)
  expect(begun).toHaveLength(2)
})

it('is given up as soon as something is asked for, and goes on at the next quiet moment', async () => {
  const { clock, begun, ways, compacting } = atRest()
  const first = held()
  ways.compact = first.compact
  compacting.syncEnded()
  await clock.move(30 * second)
  compacting.disturbed()
  expect(begun[0]?.aborted).toBe(true)
  await clock.move(60 * second)
  // The one before has not ended yet.
  expect(begun).toHaveLength(1)
  first.end()
  await settled()
  expect(begun).toHaveLength(2)
  expect(begun[1]?.aborted).toBe(false)
})

it('is waited for at the end, and does not begin any more', async () => {
  const { clock, begun, ways, compacting } = atRest()
  const { compact, end } = held()
  ways.compact = compact
  compacting.syncEnded()
  await clock.move(30 * second)
  let closed = false
  const closing = compacting.close().then(() => (closed = true))
  await settled()
  expect([closed, begun[0]?.aborted]).toEqual([false, true])
  end()
  await closing
  compacting.syncEnded()
  await clock.move(2 * hour)
  expect(begun).toHaveLength(1)
})

it('goes on an hour later where the disk refused', async () => {
  const { clock, begun, ways, compacting } = atRest()
  ways.compact = () => Promise.reject(new Error('The disk is full'))
  compacting.syncEnded()
  await clock.move(30 * second)
  compacting.syncEnded()
  await clock.move(hour)
  expect(begun).toHaveLength(2)
})
