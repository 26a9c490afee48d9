import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { companions, storeForOwner } from './open-file.ts'

/** Gives a whole, closed file its name, in place of what had it, at once; it has that after a power cut, too. */
export function placeFile(made: string, file: string): void {
  storeForOwner(made)
  syncFile(made)
  // The log of the file before would be taken for this one's.
  for (const companion of companions.slice(1)) rmSync(file + companion, { force: true })
  renameSync(made, file)
  syncFolder(dirname(file))
}

/** Waits until what was written into a file outlives a power cut. */
export function syncFile(path: string): void {
  const descriptor = openSync(path, 'r+')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** A moment as part of a file's name, in UTC: such names stand in the order of their moments. */
export const momentInName = (moment: number): string =>
  new Date(moment).toISOString().replaceAll(/[:.]/g, '-')

/** The moment that `momentInName` wrote, in milliseconds; undefined where it wrote none. */
export function momentFromName(name: string): number | undefined {
  const found = /(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\d)(?:-(\d{3})Z)?/.exec(name)
  if (!found) return undefined
  const [, hour, minutes, seconds, rest = '000'] = found
  const moment = Date.parse(`${hour}:${minutes}:${seconds}.${rest}Z`)
  return Number.isNaN(moment) ? undefined : moment
}

/**
 * Puts a file out of the way, with the time in its name, so that nothing of it is lost.
 * @param why it goes: part of the name
 * @returns the path it has now; null where there is none
 */
export function setAside(file: string, now: number, why: 'damaged' | 'replaced' = 'damaged'): string | null {
  if (!companions.some((companion) => existsSync(file + companion))) return null
  const named = (count: number) =>
    file.replace(/\.sqlite$/, `.${why}-${momentInName(now)}${count > 1 ? `-${count}` : ''}.sqlite`)
  let count = 1
  while (existsSync(named(count))) count += 1
  for (const companion of companions) {
    if (existsSync(file + companion)) renameSync(file + companion, named(count) + companion)
  }
  return named(count)
}
