import { BroadcastChannel } from 'node:worker_threads'
import { startCoverage } from './coverage.ts'

/** Counts in a thread, and says what it entered whenever it is asked, under the thread's name. */
export async function countAs(name: string): Promise<void> {
  const coverage = await startCoverage()
  const channel = new BroadcastChannel('modules entered')
  channel.unref()
  channel.onmessage = (event) => {
    const { data } = event as { data: unknown }
    if (data !== name) return
    void coverage.entered().then((entered) => channel.postMessage({ name, entered }))
  }
}
