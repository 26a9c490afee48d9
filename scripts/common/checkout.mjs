import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The checkout's folder, wherever it lies. */
export const checkout = fileURLToPath(new URL('../..', import.meta.url)).replace(/[/\\]$/, '')

/**
 * A path inside the checkout.
 *
 * @param {...string} parts
 */
export function inCheckout(...parts) {
  return join(checkout, ...parts)
}

const { optionalDependencies: made } = JSON.parse(
  readFileSync(inCheckout('scripts', 'node', 'package.json'), 'utf8'),
)
const system = process.platform === 'win32' ? 'win' : process.platform
const nodePackage = `node-${system}-${process.arch}`

/**
 * The Node that the project's packages bring along: the same major as inside the official Electron. For a system that they
 * bring none for, such as macOS, it is the one that runs this.
 *
 * @type {string}
 */
export const projectNode =
  nodePackage in made
    ? inCheckout('node_modules', nodePackage, 'bin', system === 'win' ? 'node.exe' : 'node')
    : process.execPath
