import { readFileSync } from 'node:fs'
import { constants } from 'node:os'

/** @type {readonly NodeJS.Signals[]} */
const fatal = ['SIGINT', 'SIGTERM', 'SIGHUP']

/** How often to look whether npm is still there, in ms. */
const glance = 100

/**
 * Calls `leave` once when the person, the terminal or the system wants this script to go, or when the npm that
 * started it was killed without a word. Then exits with the code that shells give for that signal.
 *
 * @param {() => Promise<void>} leave
 */
export function onLeaving(leave) {
  let leaving = false
  /** @param {NodeJS.Signals} signal */
  const handle = (signal) => {
    if (leaving) return
    leaving = true
    void leave().finally(() => process.exit(128 + constants.signals[signal]))
  }
  for (const signal of fatal) process.on(signal, handle)
  watchNpm(() => handle('SIGHUP'))
}

/**
 * npm passes signals on, but cannot when it is killed with force: then its script lives on under another parent.
 * Between npm and the script there may be a shell.
 *
 * @param {() => void} gone
 */
function watchNpm(gone) {
  if (process.platform !== 'linux' || process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  const shell = isShell(parent)
  const npm = shell ? parentOf(parent) : String(parent)
  const timer = setInterval(() => {
    if (process.ppid !== parent || (shell && parentOf(parent) !== npm)) gone()
  }, glance)
  timer.unref()
}

/** @param {number} pid */
function isShell(pid) {
  return ['sh', 'bash', 'dash', 'zsh'].includes(fromProc(`${pid}/comm`).trim())
}

/** @param {number} pid */
function parentOf(pid) {
  return /^PPid:\t(\d+)$/m.exec(fromProc(`${pid}/status`))?.[1]
}

/** @param {string} name */
function fromProc(name) {
  try {
    return readFileSync(`/proc/${name}`, 'utf8')
  } catch {
    return ''
  }
}
