import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { DeskFailure } from '#shared/app/desk-failure.ts'
import { hasCode } from '#main/files/disk-failure.ts'
import { FolderHangs } from '#main/lib/slow-folder-guard.ts'
import type { SlowFolderGuard } from '#main/lib/slow-folder-guard.ts'
import type { Entry, DownloadList } from './download-list.ts'

const fileOf = ({ stored: { folder, file } }: Entry) => join(folder, file)

/** Whether the service keeps the report no longer. */
export const hasExpired = ({ stored: { expires } }: Entry, now: number): boolean =>
  Date.parse(expires ?? '') <= now

/** Whether a file lies there, has gone, or cannot be looked for: then it may be there again later. */
type FileLocation = 'there' | 'gone' | 'away'

async function locate(entry: Entry): Promise<FileLocation> {
  try {
    return (await stat(fileOf(entry))).isFile() ? 'there' : 'gone'
  } catch (error) {
    return hasCode(error, 'ENOENT') && (await isFolder(entry.stored.folder)) ? 'gone' : 'away'
  }
}

async function isFolder(path: string): Promise<boolean> {
  return await stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}

/**
 * Looks for the files that were saved. One that has gone and cannot be fetched again is off the list; one whose disk is
 * away, or whose folder, stays on it. Of a folder that does not answer, everything stays as it was.
 */
export async function lookForFiles(list: DownloadList, looks: SlowFolderGuard, now: number): Promise<void> {
  const saved = list.entries.filter(({ stored }) => stored.state.kind === 'saved')
  const folders = new Set(saved.map(({ stored }) => stored.folder))
  await Promise.all(
    [...folders].map((folder) =>
      lookInto(
        saved.filter(({ stored }) => stored.folder === folder),
        { list, looks, now },
      ),
    ),
  )
}

type Looking = { readonly list: DownloadList; readonly looks: SlowFolderGuard; readonly now: number }

async function lookInto(entries: readonly Entry[], { list, looks, now }: Looking): Promise<void> {
  for (const entry of entries) {
    const found = await looks
      .at(entry.stored.folder, () => locate(entry), 'list')
      .catch((error: unknown) => {
        if (error instanceof FolderHangs) return null
        throw error
      })
    if (found === null) return
    // What became of it meanwhile is known better.
    if (entry.stored.state.kind !== 'saved') continue
    const missing = found !== 'there'
    if (missing !== entry.missing) {
      entry.missing = missing
      list.notify(entry)
    }
    if (found === 'gone' && hasExpired(entry, now)) await list.remove(entry).catch(() => undefined)
  }
}

/**
 * Where the file of a saved download lies; null where it does not (any more).
 * @throws FolderHangs
 */
export async function savedFile(entry: Entry, looks: SlowFolderGuard): Promise<string | null> {
  if (entry.stored.part !== null) return null
  return (await looks.at(entry.stored.folder, () => locate(entry))) === 'there' ? fileOf(entry) : null
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
