import { notYet } from '../../src-shared/desk/not-yet.ts'
import type { DeskSettings } from '../../src-shared/desk/settings.ts'

/** What the desk asks of the machine around it. */
export type DeskShell = {
  /** Puts text into the clipboard. */
  readonly copy: (text: string) => void
  readonly chooseFolder: () => Promise<string | null>
  readonly chooseViewsFile: () => Promise<string | null>
  /** The system's folder of downloads. */
  readonly downloads: () => string
  readonly showFile: (path: string) => void
  readonly openFile: (path: string) => Promise<string>
  /** The view at an address drawn on pages, as a PDF. */
  readonly print: (address: string) => Promise<Uint8Array>
  /** Theme, start at login, tray. @throws DeskFailure where the machine refuses */
  readonly apply: (settings: DeskSettings) => Promise<void>
}

export function createDeskShell(): DeskShell {
  return {
    copy: () => undefined,
    chooseFolder: notYet,
    chooseViewsFile: notYet,
    downloads: () => '',
    showFile: () => undefined,
    openFile: notYet,
    print: notYet,
    apply: () => Promise.resolve(),
  }
}
