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
