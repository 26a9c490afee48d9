import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './helpers.ts'
import { fixtures } from './expected-profile.ts'

/** A folder with a copy of the profile that the version before left. */
export function oldProfile(folder: string = temporaryFolder()): string {
  cpSync(join(fixtures, 'profile'), folder, { recursive: true })
  return folder
}
