import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { PrintOutcome } from '#shared/exports/paper.ts'

declare global {
  interface Window {
    /** Set by the preload script. The window has no other access to the main process. */
    readonly desk: DeskBridge
    /** Set only while a report is rendered for print. The main process awaits it (shell/print.ts). */
    printed?: Promise<PrintOutcome>
  }
}
