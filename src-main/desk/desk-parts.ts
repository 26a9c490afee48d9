import type { Notice } from '../../src-shared/desk/state.ts'
import type { Notify } from '../bridge/events.ts'
import type { Line } from '../lib/rpc.ts'
import type { DeskShell } from '../shell/desk-shell.ts'
import type { Desktop } from '../shell/desktop/desktop.ts'
import type { Log } from '../shell/log.ts'

/** What the desk is made of: the machine around it, and the files of its threads and processes. */
export type DeskParts = {
  /** The profile folder, and what is the matter with it. */
  readonly folder: string
  readonly trouble: Notice | null
  readonly version: string
  /** What the app runs on, in words. */
  readonly runtime: string
  readonly logFile: string
  /** Whether a window is about to open, which waits for what is kept. */
  readonly windowFirst: boolean
  /** Files of the threads. */
  readonly storeWorker: string
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
  readonly notify: Notify
  readonly log: Log
}
