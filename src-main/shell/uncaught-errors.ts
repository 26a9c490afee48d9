import type { App, Dialog } from 'electron'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
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

/** A start, which ends with the first window, or without one and with the app. */
export class Start {
  readonly #end: (error: unknown) => Promise<void>
  #stage: 'going-on' | 'shown' | 'failed' = 'going-on'

  /** @param end ends the app where there never was a window to go on with */
  constructor(end: (error: unknown) => Promise<void>) {
    this.#end = end
  }

  get stage(): 'going-on' | 'shown' | 'failed' {
    return this.#stage
  }

  shown(): void {
    this.#stage = 'shown'
  }

  /** For the first failure alone: what fails while the app ends follows from it. */
  readonly giveUp = (error: unknown): void => {
    if (this.#stage !== 'going-on') return
    this.#stage = 'failed'
    void this.#end(error)
  }
}

/** For how long a browser that is getting ready is waited for: before that no dialog can be shown on Linux. In milliseconds. */
const readyAfter = 10_000

/**
 * Who started the app from a menu sees no standard error: they are told in a dialog, which needs nothing of what failed.
 * Where the browser does not get ready either, the app ends without it.
 */
export async function endWithWords(
  app: Pick<App, 'whenReady' | 'exit'>,
  dialog: Pick<Dialog, 'showErrorBox'>,
  error: unknown,
  clock: Pick<Clock, 'wait'> = systemClock,
): Promise<void> {
  const why = error instanceof Error ? error.message : 'unknown'
  process.stderr.write(`Traffic Desk could not start: ${why}\n`)
  if (hasScreen()) {
    const ready = withTimeout({ milliseconds: readyAfter, clock }, () => app.whenReady())
    await ready.catch(() => undefined)
    dialog.showErrorBox('Traffic Desk could not start', `${why}\n\nThe saved data is safe.`)
  }
  app.exit(1)
}

/** Without one Chromium never gets ready on Linux. */
function hasScreen(): boolean {
  if (process.platform !== 'linux') return true
  return [process.env['DISPLAY'], process.env['WAYLAND_DISPLAY']].some(Boolean)
}
