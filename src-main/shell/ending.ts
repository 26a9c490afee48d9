import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import type { App, Dialog } from 'electron'
import { systemClock, withTimeout } from '#main/lib/async.ts'
import type { Clock } from '#main/lib/async.ts'
import { closeInTurn } from '#main/lib/module.ts'
import type { Log } from './log.ts'
import type { TrayLife } from './tray-life.ts'
import type { RunningApp, AppWindows } from './window.ts'

/**
 * Excludes memory from core dumps on Linux: the main process holds the token while it is in use, and other processes hold
 * figures. A dump still shows where threads stopped.
 *
 * Child processes inherit the setting. Two Chromium helpers start before any code of the app, so they are changed too. Must run
 * first, and takes 0.2 ms.
 * @param files path of `/proc`; tests use another folder
 */
export function emptyCoreDumps(platform: NodeJS.Platform, pid: number, files = '/proc'): void {
  if (platform !== 'linux') return
  try {
    writeFileSync(`${files}/${pid}/coredump_filter`, '0')
  } catch {
    // A process that refuses the change is not dumped, or the kernel writes no dumps.
  }
  for (const child of childrenOf(pid, files)) emptyCoreDumps(platform, child, files)
}

/**
 * Disables core dumps of a process on Linux. Even without memory, a dump contains the processor's registers, which may hold the
 * text copied last. In the main process that text may be the token.
 *
 * The limit is 1 byte: no dump is that small, and with 0 the kernel would pipe the dump to a program instead. Node.js cannot
 * set limits, so `prlimit` does. Without `prlimit`, dumps still contain no memory. Only the soft limit is set, so that programs
 * which the app opens can raise it.
 */
export function refuseCoreDumps(platform: NodeJS.Platform, pid: number): void {
  if (platform !== 'linux') return
  const limiting = spawn('/usr/bin/prlimit', ['--core=1:', '--pid', String(pid)], { stdio: 'ignore' })
  limiting.on('error', () => undefined)
  limiting.unref()
}

/** Returns the child processes; empty if the kernel does not list them. */
function childrenOf(pid: number, files: string): readonly number[] {
  try {
    const named = readFileSync(`${files}/${pid}/task/${pid}/children`, 'utf8').trim()
    return named === '' ? [] : named.split(' ').map(Number)
  } catch {
    return []
  }
}

type Process = {
  on(event: 'uncaughtException' | 'unhandledRejection', listener: (error: unknown) => void): unknown
}

/** Ignores errors of stdout and stderr, whose reader may have exited. */
export function outliveReaders({ stdout, stderr }: Pick<NodeJS.Process, 'stdout' | 'stderr'>): void {
  for (const stream of [stdout, stderr]) stream.on('error', () => undefined)
}

/**
 * Logs uncaught errors. After the start the app continues: the store has its own thread, and one failed connection must not
 * close the window.
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

/** State of the app's start, which either succeeds or ends the app. */
export class Start {
  readonly #end: (error: unknown) => Promise<void>
  #stage: 'going-on' | 'shown' | 'failed' = 'going-on'

  /** @param end ends the app after a failed start */
  constructor(end: (error: unknown) => Promise<void>) {
    this.#end = end
  }

  get stage(): 'going-on' | 'shown' | 'failed' {
    return this.#stage
  }

  shown(): void {
    this.#stage = 'shown'
  }

  /** Handles only the first failure; later failures are consequences. */
  readonly giveUp = (error: unknown): void => {
    if (this.#stage !== 'going-on') return
    this.#stage = 'failed'
    void this.#end(error)
  }
}

/** Maximum wait (ms) until the browser is ready. Before that, Linux cannot show dialogs. */
const readyAfter = 10_000

/**
 * Reports a failed start on stderr, and in a dialog for users who started the app from a menu. Exits without the dialog if the
 * browser does not get ready.
 */
export async function endWithWords(
  app: Pick<App, 'whenReady' | 'exit'>,
  dialog: Pick<Dialog, 'showErrorBox'>,
  error: unknown,
  clock: Clock = systemClock,
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

/** On Linux, Chromium never gets ready without a display. */
function hasScreen(): boolean {
  if (process.platform !== 'linux') return true
  return [process.env['DISPLAY'], process.env['WAYLAND_DISPLAY']].some(Boolean)
}

/**
 * Time limits for one closer and for all, in ms; an app that does not exit is worse than an incomplete close. The difference
 * leaves time to write the log.
 */
const limits = { one: 7500, all: 8000 }

/** Runs the closers in turn before the app exits. */
export function closeThenExit(
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
 * Quits the app after its last window, unless it continues in the tray. Waits for pending settings: one that removes the tray
 * icon would leave an app without any window or icon.
 */
export function endWithLastWindow(
  app: Pick<App, 'on' | 'quit'>,
  desk: RunningApp,
  windows: AppWindows,
  tray: TrayLife,
): void {
  // Settings are written in order, so an empty change waits for all earlier ones.
  const stored = async () => await desk.handlers['settings/write']({})
  app.on('window-all-closed', () => {
    void closeInTurn([stored], limits, () => undefined).then(() => {
      // Without an account there is no background work.
      if (!windows.anyOpen && !(desk.hasAccounts && tray.goesOn())) app.quit()
    })
  })
}
