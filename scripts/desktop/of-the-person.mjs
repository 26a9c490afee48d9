import { join } from 'node:path'
import { stateFolder } from '../common/folders.mjs'
import { displayPresent, sessionBus } from './present.mjs'

/**
 * The surroundings in which a person's start of the app runs: what is there is used, what is missing is made. On a
 * bus of one's own nobody keeps secrets, so a keyring comes with it; it is the same one each time.
 *
 * @returns {import('./surroundings.mjs').Surroundings}
 */
export function surroundingsOfThePerson() {
  const screen = !displayPresent()
  const address = sessionBus()
  const bus = process.platform === 'linux' && address === undefined
  return { screen, bus, ...(address && { address }), keyring: bus ? join(stateFolder, 'keyring') : undefined }
}
