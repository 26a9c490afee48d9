import type { Notice } from '#shared/app/state.ts'
import type { Notify } from '#main/bridge/events.ts'
import type { Handlers } from '#main/lib/module.ts'
import type { Line } from '#main/workers/rpc.ts'
import type { Lock } from '#main/lock/lock.ts'
import type { Archives } from '#main/archives/archives.ts'
import type { DeskShell } from '#main/lib/desk-shell.ts'
import type { Desktop } from '#main/shell/desktop/desktop.ts'
import type { Place } from '#main/shell/announcing.ts'
import type { Log } from '#main/shell/log.ts'
import type { UpdatesParts } from '#main/updates/updates-parts.ts'
import type { TrayFacts } from '#main/shell/tray.ts'

/** What the desk is made of: the machine around it, and the files of its threads and processes. */
export type DeskParts = {
  /** The profile folder, and what is the matter with it. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly version: string
  /** What the app runs on, in words. */
  readonly runtime: string
  /** Of which commit it was made; null where nobody knows. */
  readonly commit: () => string | null
  readonly logFile: string
  /** Whether a window is about to open, which waits for what is kept. */
  readonly windowFirst: boolean
  /** Files of the threads. */
  readonly storeWorker: string
  readonly backupWorker: string
  readonly answerWorker: string
  readonly sampleWorker: string
  readonly exportWorker: string
  readonly archiveWorker: string
  /** Begins the engine's process, given its folders: where history lies, and for what does not fit into memory. */
  readonly openEngine: (folders: readonly [history: string, temporary: string]) => Line
  /** Begins the rows' process, given where rows lie, and the folder for what does not fit into memory. */
  readonly openRows: (folders: readonly [rows: string, temporary: string]) => Line
  readonly desktop: Pick<Desktop, 'notifier' | 'followNotifications'>
  /** Shows the window at an address. */
  readonly show: (address: string) => void
  /** What the tray shows has changed. */
  readonly changed: () => void
  readonly shell: DeskShell
  readonly resolveProxy: (url: string) => Promise<string>
  /** Where updates come from, and what runs here. */
  readonly updates: Pick<UpdatesParts, 'source' | 'here'>
  /** For how many seconds nobody has given any input to the machine. */
  readonly idle: () => number
  /** Runs something after so many milliseconds; the result calls it off. */
  readonly after: (milliseconds: number, run: () => void) => () => void
  /** The window was locked or opened; it holds by then. */
  readonly lockChanged: () => void
  readonly notify: Notify
  readonly log: Log
}

export type Desk = {
  readonly handlers: Handlers
  readonly lock: Lock
  /** Names files that were dropped on a window, by their paths. */
  readonly dropped: Archives['dropped']
  readonly showNotice: (notice: Notice) => void
  /** A window opens, at an address or where it was: what it shows first is asked while it gets ready. */
  readonly prepare: (address: string | null) => void
  /** Begins what goes on by itself: keeping pinned views, watching and saving raw reports. Once is enough. */
  readonly begin: () => void
  /** The machine woke up: what waits goes on. */
  readonly wake: () => void
  /** Does nothing by itself for the time being, or begins to again. */
  readonly pause: (paused: boolean) => void
  /** Opens a place, at its account. */
  readonly open: (place: Place) => void
  readonly hasAccounts: () => boolean
  /** How many requests a view takes that a link leads to. */
  readonly requestsOfLink: (address: string) => Promise<number>
  readonly trayFacts: () => Promise<Omit<TrayFacts, 'now' | 'paused'>>
  /** Whether a window is open: without one, nobody waits for the service to come back. */
  readonly setWatching: (watching: boolean) => void
  readonly close: () => Promise<void>
}
