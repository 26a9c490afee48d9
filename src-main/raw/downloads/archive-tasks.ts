import { open, stat, unlink, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { asDiskFailure } from '../../files/disk-failure.ts'
import { safeStem } from '../../../src-shared/values/file-name.ts'
import { publish } from '../../files/publish.ts'
import { archiveFiles } from './archive-entries.ts'
import type { ArchiveFile } from './archive-entries.ts'
import type { UnpackTask } from './messages.ts'
import { PartWriter, sweepDrafts } from './part-file.ts'
import { checkSpace } from './space.ts'

/**
 * Reads every file of an archive to its end, and keeps nothing.
 * @throws BrokenArchive and HostileArchive
 */
export async function checkArchive(path: string): Promise<void> {
  for await (const file of archiveFiles(path)) {
    for await (const piece of file.read()) void piece
  }
}

/** Files whose names end otherwise stay in the archive: nothing that a system would run is put beside it. */
const UNPACKED = /\.csv$/i

/**
 * Puts the tables of an archive beside it, each under the archive's own name or, where there are several, that and its
 * own. What lies there already from an earlier attempt stays.
 * @throws BrokenArchive, HostileArchive, DeskFailure `disk`; nothing half-written stays
 */
export async function unpackArchive(task: UnpackTask): Promise<void> {
  await sweepDrafts(task.folder, task.mark)
  const files: { readonly name: string; readonly stem: string }[] = []
  for await (const { name } of archiveFiles(task.path)) {
    if (UNPACKED.test(name)) files.push({ name, stem: stemOf(name) })
  }
  let index = 0
  for await (const file of archiveFiles(task.path)) {
    if (!UNPACKED.test(file.name)) continue
    const stem = files.length === 1 ? task.stem : safeStem(`${task.stem} - ${stemOf(file.name)}`)
    await unpackFile(file, stem, join(task.folder, `${task.mark}${(index += 1)}.part`), task)
  }
}

const stemOf = (name: string) => safeStem((name.split('/').at(-1) ?? '').replace(UNPACKED, ''), 'table')

async function unpackFile(file: ArchiveFile, stem: string, draft: string, task: UnpackTask): Promise<void> {
  const there = await stat(join(task.folder, `${stem}.csv`)).catch(() => null)
  if (there?.size === file.size && sameMoment(there.mtimeMs, task.modified)) return
  try {
    await checkSpace(task.folder, file.size)
    const handle = await open(draft, 'w')
    try {
      const writer = new PartWriter({
        file: Promise.resolve(handle),
        from: 0,
        most: file.size,
        allow: () => Promise.resolve(),
        wrote: () => undefined,
      })
      try {
        for await (const piece of file.read()) if (!writer.take(piece)) await writer.room()
      } finally {
        await writer.end()
      }
      await handle.sync()
    } finally {
      await handle.close()
    }
    if (task.modified !== null) await utimes(draft, task.modified / 1000, task.modified / 1000)
    await publish(draft, task.folder, stem, 'csv')
  } catch (error) {
    await unlink(draft).catch(() => undefined)
    throw asDiskFailure(error)
  }
}

/** File systems keep times as exactly as two seconds. */
const sameMoment = (one: number, other: number | null) => other !== null && Math.abs(one - other) <= 2000
