import { expect, it } from 'vitest'
import { engineClient } from '#main/analytics/engine-client.ts'
import { eventsTo } from '#test/helpers/app-events.ts'

/** A process that never answers, and may go by itself. */
function silentLine() {
  const ends: ((error: unknown) => void)[] = []
  const line = {
    post: () => undefined,
    onMessage: () => undefined,
    onEnd: (listener: (error: unknown) => void) => void ends.push(listener),
    hold: () => undefined,
    kill: () => undefined,
  }
  return { line, die: () => ends.forEach((end) => end(new Error('died'))) }
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
