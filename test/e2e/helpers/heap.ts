import type { Page } from 'playwright-core'

/** How many nodes the documents of a window hold, those that are in none any more and are not let go of included. */
export async function nodesOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  await session.send('HeapProfiler.collectGarbage')
  const { nodes } = await session.send('Memory.getDOMCounters')
  await session.detach()
  return nodes
}

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
