import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './folders.ts'

/** A folder of downloads of one's own, and what the app is told so that it finds it, as the system does. */
export function ownDownloads(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const config = temporaryFolder('downloads')
  const folder = join(config, 'Downloads')
  mkdirSync(folder)
  writeFileSync(join(config, 'user-dirs.dirs'), `XDG_DOWNLOAD_DIR="${folder}"\n`)
  return { folder, env: { XDG_CONFIG_HOME: config } }
}
