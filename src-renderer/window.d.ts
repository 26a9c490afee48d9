import type { DeskBridge } from '#shared/bridge/calls.ts'
import type { PrintOutcome } from '#shared/exports/paper.ts'

declare global {
  interface Window {
    /** Put there by the preload script: the only way out of this window. */
    readonly desk: DeskBridge
    /** Only where the window draws a report for printing: what the main process waits for (shell/print.ts). */
    printed?: Promise<PrintOutcome>
  }
}
