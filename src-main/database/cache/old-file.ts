import { join } from 'node:path'
import { lookAt } from '../sqlite/look.ts'

/** The one file in which version 0.1.0 kept everything. Its figures belong to accounts; an account's id is its owner's. */
export const oldFile = (folder: string): string => join(folder, 'desk.sqlite')

/** Whether such a file is there. */
export function isOld(folder: string): boolean {
  try {
    const look = lookAt(oldFile(folder))
    return look.kind === 'database' && look.version === 8
  } catch {
    return false
  }
}
