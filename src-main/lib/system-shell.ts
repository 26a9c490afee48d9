import type { DeskSettings } from '#shared/app/settings.ts'

/** What the desk asks of the machine around it. */
export type SystemShell = {
  /** Puts text into the clipboard. */
  readonly copy: (text: string) => void
  /** @param title what the folder is for; downloads where left out */
  readonly chooseFolder: (title?: string) => Promise<string | null>
  readonly chooseViewsFile: () => Promise<string | null>
  /** A PNG or JPEG, as its name says. */
  readonly choosePicture: () => Promise<string | null>
  readonly chooseBackup: () => Promise<string | null>
  /** Ends the app as a person does, and starts it again. */
  readonly restart: () => void
  /** The licences of what the app is built with, as plain text. @throws where they did not come with it */
  readonly notices: () => Promise<{ readonly text: string }>
  /** The list of those parts for programs (CycloneDX). @throws as above */
  readonly partsList: () => Promise<string>
  /** Archives and tables of raw rows; none where the person thought better of it. */
  readonly chooseTables: () => Promise<readonly string[]>
  /** The system's folder of downloads. */
  readonly downloads: () => string
  readonly showFile: (path: string) => void
  /** Opens a file with the program that the system has for it; what is wrong in words, or nothing. */
  readonly openFile: (path: string) => Promise<string>
  /** What is at an address for printing (src-shared/exports/paper.ts), drawn on pages: a PDF. */
  readonly print: (address: string, signal: AbortSignal) => Promise<Uint8Array>
  /** Theme, start at login, tray. @throws DeskFailure where the machine refuses */
  readonly apply: (settings: DeskSettings) => Promise<void>
}
