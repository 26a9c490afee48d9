import { copyFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './helpers.ts'
import { fixtures } from './taken-over.ts'

export const fixture = readFileSync(join(fixtures, 'desk.sqlite'))

/** A folder with a copy of that profile. */
export function oldProfile(folder: string = temporaryFolder()): string {
  copyFileSync(join(fixtures, 'desk.sqlite'), join(folder, 'desk.sqlite'))
  return folder
}
