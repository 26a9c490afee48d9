import { createWriteStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/**
 * Writes the entries of a ZIP archive that have a place.
 *
 * @param {string} archive
 * @param {string} folder
 * @param {(entry: string) => string | undefined} placeOf relative paths; undefined leaves the entry out
 */
export async function unzip(archive, folder, placeOf) {
  // Only here: the script that imports this file runs before the project's packages are installed.
  const { openPromise } = await import('yauzl')
  const zip = await openPromise(archive, { autoClose: false })
  try {
    for await (const entry of zip.eachEntry()) {
      const place = placeOf(entry.fileName)
      if (place === undefined) continue
      const path = join(folder, place)
      await mkdir(dirname(path), { recursive: true })
      const executable = ((entry.externalFileAttributes >>> 16) & 0o111) !== 0
      await pipeline(
        await zip.openReadStreamPromise(entry),
        createWriteStream(path, { mode: executable ? 0o755 : 0o644 }),
      )
    }
  } finally {
    zip.close()
  }
}
