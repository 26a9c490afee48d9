import type { Page } from 'playwright-core'

/** Drops files of this computer on the window, as a file manager does. */
export async function dropOn(page: Page, ...files: readonly string[]): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...files], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: 300, y: 300, data })
  }
  await session.detach()
}
