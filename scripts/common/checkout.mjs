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

/** The Node that the project's packages bring along: the same major as inside the official Electron. */
export const projectNode = inCheckout(
  'node_modules',
  'node',
  'bin',
  process.platform === 'win32' ? 'node.exe' : 'node',
)
