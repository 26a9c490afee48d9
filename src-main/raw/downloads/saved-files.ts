import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskFailure } from '../../../src-shared/desk/desk-failure.ts'
import type { Entry, Shelf } from './shelf.ts'

const fileOf = ({ kept: { folder, file } }: Entry) => join(folder, file)

/** Whether the service keeps the report no longer. */
export const hasExpired = ({ kept: { expires } }: Entry, now: number): boolean =>
  Date.parse(expires ?? '') <= now

async function isFile(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
}

/** Looks for the files that were saved. One that has gone and cannot be fetched again is off the list. */
export async function lookForFiles(shelf: Shelf, now: number): Promise<void> {
  for (const entry of shelf.entries) {
    if (entry.kept.state.as !== 'saved') continue
    const missing = !(await isFile(fileOf(entry)))
    if (missing !== entry.missing) {
      entry.missing = missing
      shelf.tell(entry)
    }
    if (missing && hasExpired(entry, now)) await shelf.remove(entry).catch(() => undefined)
  }
}

/** Where the file of a saved download lies; null where it does not (any more). */
export async function savedFile(entry: Entry): Promise<string | null> {
  const path = fileOf(entry)
  return entry.kept.part === null && (await isFile(path)) ? path : null
}

export const fileIsAway = (): DeskFailure =>
  new DeskFailure({
    kind: 'disk',
    message:
      'The file is not there: it was moved, renamed or removed. It can be fetched again until it expires.',
  })

export const expired = (): DeskFailure =>
  new DeskFailure({
    kind: 'not-found',
    message: 'This report has expired: the service no longer keeps it, so it cannot be fetched again.',
  })
