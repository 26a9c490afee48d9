import { expect, it, onTestFinished, vi } from 'vitest'
import type { Channel } from '#main/workers/rpc.ts'
import { eventually } from '#test/helpers/eventually.ts'
import { appOver, askForRows, folderWithAccount } from './helpers.ts'

/** A process that answers nothing, and ends never. */
const silent: Channel = {
  post: () => undefined,
  onMessage: () => undefined,
  onEnd: () => undefined,
  hold: () => undefined,
  kill: () => undefined,
}

const broken: Channel = {
  ...silent,
  post: () => {
    throw new Error('broken')
  },
}

/** The app ends by then, whatever is closed. */
const withinSeconds = 8

it.each([
  ['fails', broken, 'broken'],
  ['hangs', silent, 'It took too long.'],
])('closes the store, last, where a step before it %s', async (_, channel, words) => {
  const logged: unknown[] = []
  const log = (_part: string, said: string, error?: unknown) => {
    if (said === 'Closing failed') logged.push(error)
  }
  const openRows = vi.fn(() => channel)
  const app = appOver(await folderWithAccount(), { openRows, log })
  const { handlers } = app
  await handlers['desk/state'](undefined)
  void askForRows(app).catch(() => undefined)
  await eventually(() => expect(openRows).toHaveBeenCalledOnce())
  await handlers['desk/remember-view']({ view: '#/reports' })
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const closed = app.close()
  await vi.advanceTimersByTimeAsync(withinSeconds * 1000)
  await closed
  expect(logged.map((error) => (error instanceof Error ? error.message : error))).toEqual([words])
  await expect(handlers['desk/remember-view']({ view: '#/overview' })).rejects.toMatchObject({
    failure: { message: 'Traffic Desk is closing.' },
  })
})
