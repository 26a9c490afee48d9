import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { RawReport } from '#shared/api/answers.ts'
import { runningSandbox } from '#test/helpers/running-sandbox.ts'
import type { RunningSandbox } from '#test/helpers/running-sandbox.ts'
import { downloadsFrom, readyReport } from './helpers.ts'
import type { DownloadsChanges, TestDownloads } from './helpers.ts'

/** A sandbox with a report that is ready: there as soon as tests run. */
export type Ready = {
  readonly running: RunningSandbox
  readonly record: RawReport
  /** Its archive, as the sandbox hands it out. */
  readonly bytes: Buffer
  /** Downloads from this sandbox into a folder of their own. */
  readonly desk: (changes?: DownloadsChanges) => Promise<TestDownloads>
}

/** Begins such a sandbox for all tests of a file; each of them finds it without faults. */
export function readyForAll(): Ready {
  let running: RunningSandbox
  let record: RawReport
  let bytes: Buffer
  beforeAll(async () => {
    running = await runningSandbox()
    ;({ record, bytes } = await readyReport(running, 'Everything'))
  }, 60_000)
  afterAll(() => running.close())
  beforeEach(() => running.control('DELETE', '/faults'))
  return {
    get running() {
      return running
    },
    get record() {
      return record
    },
    get bytes() {
      return bytes
    },
    desk: (changes) => downloadsFrom(running.client(), running.sandbox.address, changes),
  }
}
