import type { App } from 'electron'
import { withTimeout } from '../lib/waiting.ts'

/** What cannot be closed by then is left as it is: an app that does not end is worse. In milliseconds. */
const milliseconds = 8000

/** Closes what has to be closed, one after the other, before the app ends. */
export function endTogether(
  app: Pick<App, 'once' | 'exit'>,
  closers: readonly (() => Promise<void>)[],
  log: (words: string, error: unknown) => void,
): void {
  app.once('will-quit', (event) => {
    event.preventDefault()
    void withTimeout({ milliseconds }, () => closeAll(closers, log))
      .catch(() => undefined)
      .then(() => {
        app.exit()
      })
  })
}

async function closeAll(
  closers: readonly (() => Promise<void>)[],
  log: (words: string, error: unknown) => void,
): Promise<void> {
  for (const close of closers)
    await close().catch((error: unknown) => {
      log('Closing failed', error)
    })
}
