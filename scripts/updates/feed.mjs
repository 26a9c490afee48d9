import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { readdir, rename, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { Failure } from '../common/failure.mjs'

/** What a package's name ends with, and for which system and kind it is then. */
const kinds = /** @type {const} */ ({
  '.deb': 'linux-*-deb',
  '.AppImage': 'linux-*-appimage',
  '.msix': 'win32-*-msix',
  '.dmg': 'darwin-*-dmg',
})

/** How packagers write processors, and how Node does. @type {readonly (readonly [RegExp, string])[]} */
const processors = [
  [/(?:^|[-_.])(?:x64|amd64|x86_64)(?=[-_.])/, 'x64'],
  [/(?:^|[-_.])(?:arm64|aarch64)(?=[-_.])/, 'arm64'],
]

/**
 * What a feed calls the package of a file; undefined for a file that is none, or of another version.
 *
 * @param {string} name
 * @param {string} version
 * @returns {string | undefined}
 */
export function targetOf(name, version) {
  const kind = Object.entries(kinds).find(([ending]) => name.endsWith(ending))?.[1]
  const processor = processors.find(([pattern]) => pattern.test(name))?.[1]
  const isOfVersion = name.split(/[-_]/).some((part) => part === version || part.startsWith(`${version}.`))
  if (/not-for-people|-unsigned/.test(name) || !isOfVersion) return undefined
  return processor && kind?.replace('*', processor)
}

/**
 * @typedef {{
 *   version: string, date: Date, expires: Date, notes: string,
 *   addressOf: (file: string) => string,
 * }} Facts
 */

/**
 * The text of a feed of the packages in a folder.
 *
 * @param {string} folder
 * @param {Facts} facts
 * @returns {Promise<string>}
 */
export async function feedOf(folder, { version, date, expires, notes, addressOf }) {
  /** @type {Record<string, { address: string, size: number, sha512: string }>} */
  const files = {}
  for (const name of (await readdir(folder)).sort()) {
    const target = targetOf(name, version)
    if (target === undefined) continue
    if (files[target]) throw new Failure(`There are two packages for ${target}: take one away.`)
    const path = join(folder, name)
    files[target] = { address: addressOf(name), size: (await stat(path)).size, sha512: await digestOf(path) }
  }
  if (Object.keys(files).length === 0)
    throw new Failure(`There is no package of version ${version} in ${folder} that people may be given.`)
  const feed = {
    format: 'traffic-desk-updates-1',
    version,
    date: date.toISOString(),
    expires: expires.toISOString(),
    notes,
    files,
  }
  return `${JSON.stringify(feed, undefined, 2)}\n`
}

/** @param {string} path */
async function digestOf(path) {
  const hash = createHash('sha512')
  await pipeline(createReadStream(path), hash)
  return hash.digest('hex')
}

/**
 * The signature of a text, as it lies beside the feed.
 *
 * @param {string} text
 * @param {string} key a private key, Ed25519, as PEM
 */
export const signatureOf = (text, key) =>
  `${sign(null, Buffer.from(text), createPrivateKey(key)).toString('base64')}\n`

/**
 * The public half of a key, as a build takes it.
 *
 * @param {string} key a private key as PEM
 */
export const publicHalfOf = (key) =>
  createPublicKey(createPrivateKey(key)).export({ format: 'der', type: 'spki' }).toString('base64')

/**
 * Reads a private key from what a variable says: the key itself, or the file that it lies in.
 *
 * @param {string} given
 */
export function readKey(given) {
  const key = given.startsWith('-----BEGIN') ? given : readFileSync(given, 'utf8')
  if (createPrivateKey(key).asymmetricKeyType !== 'ed25519')
    throw new Failure('The key has to be an Ed25519 key.')
  return key
}

/**
 * Writes a feed and its signature, each of them whole or not at all.
 *
 * @param {string} folder
 * @param {string} text
 * @param {string} key
 */
export async function writeFeed(folder, text, key) {
  for (const [name, content] of [
    ['latest.json.sig', signatureOf(text, key)],
    ['latest.json', text],
  ]) {
    await writeFile(join(folder, `${name}.part`), content ?? '')
    await rename(join(folder, `${name}.part`), join(folder, name ?? ''))
  }
}
