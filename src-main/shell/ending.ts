import type { App } from 'electron'
import { closeInTurn } from '#main/lib/closing.ts'

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

export type LastWindowParts = {
  /** Resolves once what was being changed is kept. */
  readonly settled: () => Promise<unknown>
  readonly isOpen: () => boolean
  /** Whether the app goes on without a window. */
  readonly goesOn: () => boolean
}

/**
 * Ends the app with its last window, unless it goes on in the tray. A setting that is still on its way is waited for: one
 * that takes the icon away once there is no window would leave an app that nobody can see or end.
 */
export function endWithLastWindow(
  app: Pick<App, 'on' | 'quit'>,
  { settled, isOpen, goesOn }: LastWindowParts,
): void {
  app.on('window-all-closed', () => {
    void closeInTurn([settled], limits, () => undefined).then(() => {
      if (!isOpen() && !goesOn()) app.quit()
    })
  })
}
