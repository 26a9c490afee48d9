import { homedir } from 'node:os'
import { join } from 'node:path'

/** Where things lie that can be fetched anew: outside the checkout, so that a fresh clone finds them. */
export const cacheFolder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'traffic-desk')

/** Where things lie that must be found again by the next start. */
export const stateFolder = join(
  process.env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state'),
  'traffic-desk-development',
)
