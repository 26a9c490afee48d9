import { downloading } from './raw/downloading.ts'
import { idleMemory } from './raw/idle-memory.ts'
import { idleWork } from './raw/idle-work.ts'
import { polling } from './raw/polling.ts'
import { tableOf } from './measure/target.ts'

/** What raw reports cost: saving a large archive, resting in the tray, and looking at a long list. */
export async function raw(): Promise<string> {
  const targets = [
    ...(await polling()),
    ...(await downloading()),
    ...(await idleMemory()),
    ...(await idleWork()),
  ]
  return `Raw reports\n${tableOf(targets)}`
}
