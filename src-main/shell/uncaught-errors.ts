import type { Log } from './log.ts'

/** The part of `process` that is used. */
type Process = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
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
