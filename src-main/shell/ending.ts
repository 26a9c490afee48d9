import type { App } from 'electron'
import { closeInTurn } from '../lib/closing.ts'

/**
 * What cannot be closed by then is left as it is: an app that does not end is worse. What one leaves of it is the log's,
 * which says so. In milliseconds.
 */
const limits = { each: 7500, all: 8000 }

/** Closes what has to be closed, one after the other, before the app ends. */
export function endTogether(
  app: Pick<App, 'once' | 'exit'>,
  closers: readonly (() => Promise<void>)[],
  log: (words: string, error: unknown) => void,
): void {
  app.once('will-quit', (event) => {
    event.preventDefault()
    const failed = (error: unknown) => {
      log('Closing failed', error)
    }
    void closeInTurn(closers, limits, failed).then(() => {
      app.exit()
    })
  })
}
