import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What the sources look like from outside: one line a file, with its time and size. Two equal manifests mean that
 * nothing was touched in between; reading them costs milliseconds where hashing would cost a second.
 *
 * @param {string} root
 * @param {readonly string[]} inputs files and folders relative to `root`; missing ones are left out
 */
export function manifestOf(root, inputs) {
  return inputs
    .flatMap((input) => filesOf(root, input))
    .map((file) => {
      const { mtimeMs, size } = statSync(join(root, file))
      return `${file}\t${mtimeMs}\t${size}\n`
    })
    .join('')
}

/**
 * @param {string} root
 * @param {string} input
 * @returns {string[]}
 */
function filesOf(root, input) {
  const stat = statSync(join(root, input), { throwIfNoEntry: false })
  if (stat === undefined) return []
  if (!stat.isDirectory()) return [input]
  return readdirSync(join(root, input))
    .sort()
    .flatMap((name) => filesOf(root, join(input, name)))
}
