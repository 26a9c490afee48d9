import { expect, it } from 'vitest'
import { engineClient } from '#main/analytics/engine-client.ts'
import { eventsTo } from '#test/helpers/app-events.ts'

/** A process that never answers, and may go by itself. */
function silentLine() {
  const ends: ((error: unknown) => void)[] = []
  const listeners: ((message: unknown) => void)[] = []
  const line = {
    post: () => undefined,
    onMessage: (listener: (message: unknown) => void) => void listeners.push(listener),
    onEnd: (listener: (error: unknown) => void) => void ends.push(listener),
    hold: () => undefined,
    kill: () => undefined,
  }
  const say = (event: unknown) => listeners.forEach((listener) => listener({ kind: 'event', event }))
  return { line, say, die: () => ends.forEach((end) => end(new Error('died'))) }
}

it('tells of an end of its process that came by itself, and of none that was wanted', async () => {
  const told: unknown[] = []
  const events = eventsTo((event) => told.push(event.kind === 'worker/ended' && event.worker))
  const { line, die } = silentLine()
  const engine = engineClient<{ readonly look: () => null }>('rows', 'Not read.', {
    open: () => line,
    events,
  })
  const begun = () => {
    const call = engine.call('look', undefined)
    call.catch(() => undefined)
    return new Promise((resolve) => setImmediate(resolve)).then(() => ({ call }))
  }
  const { call: killed } = await begun()
  void engine.kill()
  await expect(killed).rejects.toThrow('Not read.')
  expect(told).toEqual([])
  const { call: died } = await begun()
  die()
  await expect(died).rejects.toThrow('Not read.')
  expect(told).toEqual(['rows'])
})

it('passes on how far its process has read, and nothing else that this emits', async () => {
  const told: unknown[] = []
  const { line, say } = silentLine()
  const engine = engineClient<{ readonly look: () => null }>('rows', 'Not read.', {
    open: () => line,
    events: eventsTo((event) => told.push(event)),
  })
  const call = engine.call('look', undefined)
  call.catch(() => undefined)
  await new Promise((resolve) => setImmediate(resolve))
  const progress = { kind: 'rows/import-progress', reading: 'a', done: 1, total: null }
  const others = [null, 'lock/changed', { kind: 'account/removed', account: 'a' }, { ...progress, done: '1' }]
  for (const event of [...others, progress]) say(event)
  expect(told).toEqual([progress])
  void engine.kill()
})
