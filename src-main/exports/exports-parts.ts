import type { AccountStore } from '#main/accounts/account-store.ts'
import type { Reports } from '#main/reports/figures.ts'
import type { Clock } from '#main/lib/async.ts'
import type { AppEvents } from '#main/lib/app-events.ts'
import type { OpenWriter } from './writing-thread.ts'

/** What exports need of the others. */
export type ExportsParts = {
  readonly accounts: Pick<AccountStore, 'account' | 'standingOf'>
  readonly reports: Pick<Reports, 'ask' | 'before' | 'paired' | 'snapshot' | 'cancel' | 'confirm'>
  readonly events: AppEvents
  readonly clock: Clock
  /** Begins the thread that writes a file (writing-thread.ts). */
  readonly openWriter: OpenWriter
  /** A folder of the profile for what is soon gone again. */
  readonly work: string
  /** The folder of downloads, as it is set at this moment. */
  readonly downloads: () => Promise<string>
  /** Puts text into the system's clipboard. */
  readonly copy: (text: string) => void
  /** What is at an address for printing (src-shared/views/print-address.ts), drawn on pages: a PDF. */
  readonly print: (address: string, signal: AbortSignal) => Promise<Uint8Array>
  /** Shows a file in the system's file manager. */
  readonly showFile: (path: string) => void
  /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
  readonly openFile: (path: string) => Promise<string>
}
