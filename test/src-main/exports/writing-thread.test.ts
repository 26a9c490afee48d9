import { expect, it } from 'vitest'
import { startWriting, writersThread } from '#main/exports/writing-thread.ts'

/** A thread that takes every step and answers none, as one does whose disk is slow or away. */
const silent = new URL(
  `data:text/javascript,${encodeURIComponent("import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => {})")}`,
)

it('waits a minute for a step, and longer for the last one: some systems carry all of a file to a share then', async () => {
  const cancelling = new AbortController()
  const waited: number[] = []
  const wait = (milliseconds: number) => {
    waited.push(milliseconds)
    return milliseconds <= 60_000 ? Promise.resolve() : new Promise<void>(() => undefined)
  }
  const timeoutMs = { signal: cancelling.signal, clock: { now: Date.now, wait } }
  const thread = startWriting(
    writersThread(silent),
    { kind: 'table', path: '/media/share/file.csv', format: 'csv', csv: 'comma', charts: false },
    timeoutMs,
  )
  await expect(thread.rows([])).rejects.toThrow("The folder /media/share doesn't respond.")
  const finishing = thread.finish()
  cancelling.abort()
  await expect(finishing).rejects.toMatchObject({ failure: { kind: 'cancelled' } })
  expect(waited).toEqual([60_000, 3_600_000])
  await thread.stop()
})
