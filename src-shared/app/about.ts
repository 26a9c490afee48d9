/** What Help says of the app itself. */
export type About = {
  readonly version: string
  /** Of which commit of the sources it was made, `+` at the end where they were changed since; null where nobody knows. */
  readonly commit: string | null
  /** What it runs on: "Electron 45.1.0, Chromium 150.0, Node 24.2.0". */
  readonly runtime: string
  /** "Linux 6.8.0, x64". */
  readonly system: string
  /** What a problem report holds, as plain text. */
  readonly problemReport: string
}
