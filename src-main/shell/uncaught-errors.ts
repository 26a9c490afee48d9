import type { App, Dialog } from 'electron'
import type { Log } from './log.ts'

/** The part of `process` that is used. */
type Process = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

/** Whoever read what the app says may have ended: that is no reason to end as well. */
export function outliveReaders({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
}

/**
 * Writes down what nobody caught. Once there is a window the app goes on: the store lives in a thread of its own, so what is
 * kept is not in danger, and an error of one connection must not close the window somebody is reading in.
 *
 * @param giveUp ends the app where there never was a window to go on with
 */
export function logUncaughtErrors(process: Process, log: Log, giveUp: (error: unknown) => void): void {
  process.on('uncaughtException', (error) => {
    log('main', 'An error was not caught', error)
    giveUp(error)
  })
  process.on('unhandledRejection', (error) => {
    log('main', 'A failure was not handled', error)
  })
}

/** Who started the app from a menu sees no standard error: they are told in a dialog, which works without anything else. */
export function endWithWords(
  app: Pick<App, 'isReady' | 'exit'>,
  dialog: Pick<Dialog, 'showErrorBox'>,
  error: unknown,
): void {
  const why = error instanceof Error ? error.message : 'unknown'
  process.stderr.write(`Traffic Desk could not start: ${why}\n`)
  const isSeen =
    process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY'])
  if (isSeen && app.isReady())
    dialog.showErrorBox('Traffic Desk could not start', `${why}\n\nThe saved data is safe.`)
  app.exit(1)
}
