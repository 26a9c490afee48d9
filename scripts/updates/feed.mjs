import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Failure } from '../common/failure.mjs'

/** @typedef {{ version: string, date: Date, expires: Date, notes: string, page: string }} Facts */

/**
 * The text of a feed.
 *
 * @param {Facts} facts
 */
export const feedOf = (facts) =>
  `${JSON.stringify({ format: 'traffic-desk-updates-2', ...facts }, undefined, 2)}\n`

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
