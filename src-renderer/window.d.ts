import type { DeskBridge } from '../src-shared/bridge/calls.ts'

declare global {
  interface Window {
    /** Put there by the preload script: the only way out of this window. */
    readonly desk: DeskBridge
  }
}
