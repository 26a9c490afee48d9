declare module 'electron-installer-debian' {
  /** What this project uses of the installer, which has no types of its own. */
  export class Installer {
    constructor(options: Readonly<Record<string, unknown>>)
    defaults: Record<string, unknown>
    options: { readonly packagePaths: readonly string[] }
    generateDefaults(): Promise<Record<string, unknown>>
    generateOptions(): unknown
    createStagingDir(): Promise<void>
    createContents(): Promise<void>
    createPackage(): Promise<void>
    movePackage(): Promise<void>
  }
}
