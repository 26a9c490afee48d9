import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { startEngine } from '#main/reports/engine/report-engine.ts'
import type { Engine } from '#main/reports/engine/report-engine.ts'
import { threadChannel } from '#main/workers/rpc-client.ts'
import type { Channel } from '#main/workers/rpc.ts'
import { appThread } from '#test/helpers/app-threads.ts'
import { utilityChildChannel } from '#test/helpers/utility-channel.ts'

/** Begins the engine in a thread: without Electron there are no utility processes. */
export const engineChannel = (history: string): Channel =>
  threadChannel(appThread('engine'), { argv: ['figures', history, `${history}-work`], name: 'engine' })

/** Begins it in a process, which can be killed whatever it is doing: a thread that is ended in native code ends us all. */
export const engineChildChannel = (history: string): Channel =>
  utilityChildChannel(appThread('engine'), 'figures', history, `${history}-work`)

/** A running engine over a history folder of its own, which is gone with it. */
export function engineForAll(): {
  readonly engine: Engine
  readonly history: string
  readonly end: () => Promise<void>
} {
  const folder = mkdtempSync(join(tmpdir(), 'traffic-desk-engine-'))
  // A profile may lie in folders whose names could be taken for columns.
  const named = ['kind=zz', 'label=zz', 'label_id=zz', 'folded=zz', 'day=2020-01-01', 'good=7', 'suspect=7']
  const history = join(folder, ...named, 'history')
  const engine = startEngine({ open: () => engineChannel(history), idle: 600_000 })
  return {
    engine,
    history,
    end: async () => {
      await engine.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The same, for one test. */
export function engineForTest(): { readonly engine: Engine; readonly history: string } {
  const made = engineForAll()
  onTestFinished(made.end)
  return made
}
