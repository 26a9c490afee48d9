import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { once } from 'node:events'
import { expect, it, onTestFinished } from 'vitest'
import { openFile } from '#main/database/sqlite/open-file.ts'
import { withBusyRetry, troubleOf } from '#main/database/sqlite/database.ts'
import { stateSchema } from '#main/database/state/schema.ts'

/** Holds a file for so long, in a thread: the opening blocks its own. */
const holder = `
  import { parentPort, workerData } from 'node:worker_threads'
  import Database from ${JSON.stringify(import.meta.resolve('better-sqlite3'))}
  const handle = new Database(workerData.file)
  handle.exec('BEGIN EXCLUSIVE')
  parentPort.postMessage('held')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.milliseconds)
  handle.exec('ROLLBACK')
  handle.close()`

it('a file that somebody else holds for a while is opened all the same', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-busy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'state.sqlite')
  openFile({ file, schema: stateSchema }).close()
  const script = new URL(`data:text/javascript,${encodeURIComponent(holder)}`)
  // Longer than SQLite itself waits.
  const thread = new Worker(script, { workerData: { file, milliseconds: 7000 } })
  onTestFinished(async () => void (await thread.terminate()))
  await once(thread, 'message')
  const open = openFile({ file, schema: stateSchema })
  expect(open.opening).toEqual({ kind: 'ready' })
  open.close()
}, 60_000)

// No other system says so of a file: it stands in for Windows, where another program shares a file with nobody.
it('a file that Windows says is held is tried anew, and is no mistake of ours', () => {
  const held = Object.assign(new Error('EBUSY: resource busy or locked, open'), { code: 'EBUSY' })
  let times = 0
  const work = () => {
    times += 1
    if (times < 3) throw held
    return times
  }
  expect(withBusyRetry(work)).toBe(3)
  expect(troubleOf(held)).toBe('disk')
})
