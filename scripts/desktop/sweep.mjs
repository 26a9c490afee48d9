import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

/** The variable that marks everything started within one desktop. */
export const mark = 'TRAFFIC_DESK_DESKTOP'

/** How long the marked may take to go when asked, in ms: Xvfb removes its lock file then. */
const timeoutMs = 1_000

/**
 * Ends what was started within a desktop and outlived it: services that the bus started, for instance, are nobody's
 * children.
 *
 * @param {string} value the desktop's own value of the mark
 */
export async function sweep(value) {
  if (process.platform !== 'linux') return
  const until = Date.now() + timeoutMs
  for (const pid of marked(value)) signal(pid, 'SIGTERM')
  while (marked(value).length > 0 && Date.now() < until) await pause(20)
  for (const pid of marked(value)) signal(pid, 'SIGKILL')
}

/**
 * The living processes that carry the mark, without this one. Of the dead and of other people's nothing is seen.
 *
 * @param {string} value
 */
function marked(value) {
  return readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) return false
    try {
      return readFileSync(`/proc/${name}/environ`, 'latin1').includes(`${mark}=${value}\0`)
    } catch {
      return false
    }
  })
}

/**
 * @param {string} pid
 * @param {NodeJS.Signals} name
 */
function signal(pid, name) {
  try {
    process.kill(Number(pid), name)
  } catch {
    // Gone meanwhile.
  }
}
