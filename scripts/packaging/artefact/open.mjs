import { mkdir, readFile, stat } from 'node:fs/promises'
import { extname, join, normalize } from 'node:path'
import { Failure } from '../../common/failure.mjs'
import { run } from '../../common/processes.mjs'
import { unzip } from '../../runtime/unzip.mjs'
import { endOfProgram } from '../appimage-runtime.mjs'

/**
 * Unpacks what people install. A folder is taken as it is. Throws a Failure for what cannot be opened here.
 *
 * @param {string} path of a .deb, AppImage, zip or msix, or of a folder
 * @param {string} workshop an empty folder
 * @returns {Promise<string>} the folder in which the app lies somewhere
 */
export async function openArtefact(path, workshop) {
  if ((await stat(path)).isDirectory()) return path
  const folder = join(workshop, 'opened')
  await mkdir(folder)
  switch (extname(path)) {
    case '.deb':
      return unpackedBy('dpkg-deb', ['--extract', path, folder], folder)
    case '.AppImage': {
      const offset = String(endOfProgram(await readFile(path)))
      return unpackedBy(
        'unsquashfs',
        ['-quiet', '-no-progress', '-force', '-offset', offset, '-dest', folder, path],
        folder,
      )
    }
    case '.zip':
    case '.msix':
      // The names in an MSIX are written like addresses.
      await unzip(path, folder, (entry) =>
        placeOf(extname(path) === '.msix' ? decodeURIComponent(entry) : entry),
      )
      return folder
    default:
      throw new Failure(`${path} cannot be opened here: a .dmg holds what the zip beside it holds.`)
  }
}

/** @param {string} entry */
const placeOf = (entry) =>
  entry.endsWith('/') || normalize(entry).startsWith('..') ? undefined : normalize(entry)

/**
 * @param {string} command
 * @param {readonly string[]} args
 * @param {string} folder
 */
async function unpackedBy(command, args, folder) {
  if ((await run(command, args, { stdio: ['ignore', 'ignore', 'inherit'] })) !== 0)
    throw new Failure(`${command} could not unpack it.`)
  return folder
}
