import type { Page } from 'playwright-core'

/** Everything that a window's scripts still hold, after what they let go of was collected. */
export async function heapOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const chunks: Buffer[] = []
  session.on('HeapProfiler.addHeapSnapshotChunk', ({ chunk }) => chunks.push(Buffer.from(chunk)))
  await session.send('HeapProfiler.enable')
  await session.send('HeapProfiler.collectGarbage')
  await session.send('HeapProfiler.takeHeapSnapshot', { reportProgress: false })
  await session.detach()
  return Buffer.concat(chunks)
}
