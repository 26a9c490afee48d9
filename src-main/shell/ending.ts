import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { App, Dialog } from 'electron'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { closeInTurn } from '#main/lib/module.ts'
import type { Log } from './log.ts'
import type { TrayLife } from './tray-life.ts'
import type { RunningApp, Windows } from './window.ts'

/**
 * Keeps memory out of the files that Linux writes of programs that crash: the main process holds the token while it is in use, the
 * others hold figures. Such a file is still written where a person or a system asks for it; it tells where threads stood,
 * and has no page of memory in it.
 *
 * What a process starts goes by the same. Two helpers of Chromium, which all pages' processes come from, have begun before
 * any code of ours runs: they are told too. Has to happen before anything else, and takes 0.2 ms.
 *
 * @param files Linux's own files about processes; another place in tests
 */
export function emptyCoreDumps(platform: NodeJS.Platform, pid: number, files = '/proc'): void {
  if (platform !== 'linux') return
  try {
    writeFileSync(`${files}/${pid}/coredump_filter`, '0')
  } catch {
    // A process that may not be told writes no such file either, or the kernel writes none of anybody.
  }
  for (const child of childrenOf(pid, files)) emptyCoreDumps(platform, child, files)
}

/**
 * Has Linux write no such file of a process at all: even without memory, the file holds the processor's registers, and they may
 * still hold the text that was copied last. In the main process, that may be the token.
 *
 * The limit is 1 byte. No file is that small; and it is the only limit by which the kernel does not hand the dump to a program
 * instead, as 0 would. Node cannot set limits, so the system's `prlimit` does. Where it is missing or refuses, such a file
 * still has no memory in it. It is the soft limit: this person's programs can raise it again, those that the app opens too.
 */
export function refuseCoreDumps(platform: NodeJS.Platform, pid: number): void {
  if (platform !== 'linux') return
  const limiting = spawn('/usr/bin/prlimit', ['--core=1:', '--pid', String(pid)], { stdio: 'ignore' })
  limiting.on('error', () => undefined)
  limiting.unref()
}

/** What a process has started so far; nothing where the kernel does not say. */
function childrenOf(pid: number, files: string): readonly number[] {
  try {
    const named = readFileSync(`${files}/${pid}/task/${pid}/children`, 'utf8').trim()
    return named === '' ? [] : named.split(' ').map(Number)
  } catch {
    return []
  }
}

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

/**
 * What cannot be closed by then is left as it is: an app that does not end is worse. What one leaves of it is the log's,
 * which says so. In milliseconds.
 */
const limits = { one: 7500, all: 8000 }

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

/**
 * Ends the app with its last window, unless it goes on in the tray. A setting that is still on its way is waited for: one
 * that takes the icon away once there is no window would leave an app that nobody can see or end.
 */
export function endWithLastWindow(
  app: Pick<App, 'on' | 'quit'>,
  desk: Pick<RunningApp, 'handlers' | 'hasAccounts'>,
  windows: Pick<Windows, 'anyOpen'>,
  tray: Pick<TrayLife, 'goesOn'>,
): void {
  // A change of nothing comes after all changes before it.
  const stored = async () => await desk.handlers['settings/write']({})
  app.on('window-all-closed', () => {
    void closeInTurn([stored], limits, () => undefined).then(() => {
      // Without an account there is nothing to watch.
      if (!windows.anyOpen && !(desk.hasAccounts && tray.goesOn())) app.quit()
    })
  })
}
