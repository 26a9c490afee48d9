import { readdirSync, readFileSync } from 'node:fs'

/** The variable that marks everything started within one desktop. */
export const mark = 'TRAFFIC_DESK_DESKTOP'

/**
 * Ends what was started within a desktop and outlived it: services that the bus started, for instance, are nobody's
 * children.
 *
 * @param {string} value the desktop's own value of the mark
 */
export function sweep(value) {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue
    try {
      if (readFileSync(`/proc/${name}/environ`, 'latin1').includes(`${mark}=${value}\0`))
        process.kill(Number(name), 'SIGKILL')
    } catch {
      // Gone meanwhile, or somebody else's.
    }
  }
}
