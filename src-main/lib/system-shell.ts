import type { DeskSettings } from '#shared/app/settings.ts'

/** Functions of the desktop environment. */
export type SystemShell = {
  readonly copy: (text: string) => void
  /** @param title purpose of the folder; defaults to downloads */
  readonly chooseFolder: (title?: string) => Promise<string | null>
  readonly chooseViewsFile: () => Promise<string | null>
  /** A PNG or JPEG, judged by its extension. */
  readonly choosePicture: () => Promise<string | null>
  readonly chooseBackup: () => Promise<string | null>
  /** Quits the app as the user would, and restarts it. */
  readonly restart: () => void
  /** Licences of bundled software, as plain text. @throws if the file is missing */
  readonly notices: () => Promise<{ readonly text: string }>
  /** CycloneDX list of bundled software. @throws if the file is missing */
  readonly partsList: () => Promise<string>
  /** Archives and tables of raw rows; empty if the user cancelled. */
  readonly chooseTables: () => Promise<readonly string[]>
  readonly downloads: () => string
  readonly showFile: (path: string) => void
  /** Opens a file with the default program. Returns the error message, or an empty string. */
  readonly openFile: (path: string) => Promise<string>
  /** Opens the mail program with a new mail without recipient. @throws DeskFailure if none opens */
  readonly mail: (mail: { readonly subject: string; readonly text: string }) => Promise<void>
  /** Prints an address (src-shared/exports/paper.ts) to a PDF. */
  readonly print: (address: string, signal: AbortSignal) => Promise<Uint8Array>
  /** Applies theme, start at login and tray. @throws DeskFailure if the system refuses */
  readonly apply: (settings: DeskSettings) => Promise<void>
}
