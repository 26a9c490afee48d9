import { closeSync, fstatSync, fsyncSync, futimesSync, mkdirSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { FiguresInBackup } from '#shared/app/backup.ts'
import type { DataScopeId } from '#shared/values/ids.ts'
import { isHistoryPath } from './cache/stored-table.ts'
import type { HistoryPath } from './cache/stored-table.ts'
import { checksumIn, ownerIn } from '#main/reports/history/layout.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { databaseLength, headerSize } from './sqlite/look.ts'
import { syncFolder } from '#main/lib/sync-folder.ts'
import { refusal } from './state/moving.ts'
import { beginning } from './backup-figures.ts'
import { copyPart, portion, readPart, writeAll } from './file-parts.ts'

const fileLine = /^(\S+) (\d{1,15}) (\d{1,15})$/
const endLine = /^end (\d{1,9})$/
/** No line that is written here is as long. In bytes. */
const longestLine = 400
/** More files than any history has: each takes a place on the disk, whatever is in it. */
const maxFiles = 500_000

/** No desk's state comes near that. In bytes. */
const maxOfState = 1_000_000_000

/** Where the saved figures of a backup stand: behind its state. */
export type BackupTail = { readonly file: number; readonly at: number; readonly size: number }

/**
 * Copies the state out of a file that a person chose, to be checked.
 * @returns what stands behind it; `file` stays open
 * @throws DeskFailure where it cannot be a backup; errors of the file system
 */
export function copyState(source: string, to: string): BackupTail {
  const file = openSync(source, 'r')
  try {
    const found = fstatSync(file)
    const at = databaseLength(readPart(file, 0, headerSize), found.size)
    if (!found.isFile() || at > maxOfState) throw refusal('noBackup')
    const copy = openSync(to, 'wx', 0o600)
    try {
      let written = 0
      copyPart(file, 0, at, Buffer.allocUnsafe(portion), (part) => {
        written += writeAll(copy, part, written)
      })
    } finally {
      closeSync(copy)
    }
    return { file, at, size: found.size }
  } catch (error) {
    closeSync(file)
    throw hasCode(error, 'EISDIR') ? refusal('noBackup') : error
  }
}

/** Whether anything stands there that this version can read. @throws DeskFailure where something else does */
export function hasFigures({ file, at, size }: BackupTail): boolean {
  if (at >= size) return false
  if (readPart(file, at, Math.min(size - at, beginning.length)).toString('latin1') === beginning) return true
  throw refusal('damaged')
}

/**
 * Takes the saved figures out of a backup that may be anybody's file, into a folder that is not there yet: nothing but whole
 * files of the history, each under the name that its bytes have, and of these owners alone.
 * @throws DeskFailure where anything else is in it; errors of the file system. Then the folder is not to be used
 */
export function takeOutFigures(
  { file, at: tail, size }: BackupTail,
  into: string,
  owners: ReadonlySet<DataScopeId>,
): FiguresInBackup {
  const buffer = Buffer.allocUnsafe(portion)
  const folders = new Set<string>()
  let at = tail + beginning.length
  let [files, bytes] = [0, 0]
  for (;;) {
    const line = lineAt(file, at, size)
    at += line.length + 1
    const end = endLine.exec(line)
    if (end) {
      if (Number(end[1]) !== files || at !== size) throw refusal('damaged')
      break
    }
    const [, path = '', length = '', writtenAt = ''] = fileLine.exec(line) ?? []
    if (!isHistoryPath(path) || !owners.has(ownerIn(path))) throw refusal('noBackup')
    if (files >= maxFiles || Number(length) > size - at) throw refusal('damaged')
    const to = createIn(into, path, folders)
    try {
      let written = 0
      const checksum = copyPart(file, at, Number(length), buffer, (part) => {
        written += writeAll(to, part, written)
      })
      if (checksum !== checksumIn(path)) throw refusal('damaged')
      // The catalogue is made from the newest first. What claims to come from later comes from now.
      const moment = new Date(Math.min(Number(writtenAt), Date.now()))
      futimesSync(to, moment, moment)
      fsyncSync(to)
    } finally {
      closeSync(to)
    }
    at += Number(length)
    files += 1
    bytes += Number(length)
  }
  for (const folder of folders) syncFolder(folder)
  return { files, bytes }
}

function createIn(into: string, path: HistoryPath, folders: Set<string>): number {
  const place = join(into, path)
  for (
    let folder = dirname(place);
    !folders.has(folder) && folder.length >= into.length;
    folder = dirname(folder)
  )
    folders.add(folder)
  mkdirSync(dirname(place), { recursive: true, mode: 0o700 })
  try {
    return openSync(place, 'wx', 0o600)
  } catch (error) {
    if (hasCode(error, 'EEXIST')) throw refusal('damaged')
    throw error
  }
}

/** A line without its end. @throws DeskFailure where none ends there */
function lineAt(file: number, at: number, size: number): string {
  const found = readPart(file, at, Math.min(longestLine, Math.max(0, size - at)))
  const end = found.indexOf(0x0a)
  if (end < 0) throw refusal('damaged')
  return found.toString('latin1', 0, end)
}
